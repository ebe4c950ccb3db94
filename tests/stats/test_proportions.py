import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from stats.proportions import proportion, share_within, wilson
from tests.cases import each


@settings(deadline=None, max_examples=80)
@given(st.integers(0, 300), st.integers(0, 300), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_is_that_of_scipy(hits, misses, level):
    n = hits + misses
    found = wilson(hits, n, level=level)
    if n == 0:
        assert found is None
        return
    expected = stats.binomtest(hits, n).proportion_ci(confidence_level=level, method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_reaches_exactly_zero_and_one():
    assert wilson(0, 7).low == 0.0
    assert wilson(7, 7).high == 1.0


@each("hits, n", [(-1, 3), (4, 3)])
def test_wilson_refuses_what_is_no_proportion(hits, n):
    with pytest.raises(ValueError, match="no proportion"):
        wilson(hits, n)


def test_proportion_of_nothing_is_undefined_with_its_reason():
    found = proportion(0, 0, method="accuracy", reason="no units")
    assert (found.estimate, found.interval, found.reason) == (None, None, "no units")


def test_trials_that_hang_together_are_fewer():
    found = proportion(30, 60, method="share", effect=6).interval
    expected = proportion_confint(5, 10, method="wilson")
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)


@each("share, n", [(0.25, 40), (0.9, 30)])
def test_share_that_varies_like_so_many_trials_has_wilsons_interval_of_these(share, n):
    half = stats.norm.isf(0.025) * (share * (1 - share) / n) ** 0.5
    expected = wilson(share * n, n)
    assert share_within(share, half, 7, level=0.95) == pytest.approx((expected.low, expected.high), abs=1e-12)


@each("share", [0.0, 0.4, 1.0])
def test_share_that_does_not_vary_is_of_as_many_trials_as_clusters(share):
    expected = wilson(share * 7, 7)
    assert share_within(share, 0.0, 7, level=0.95) == pytest.approx((expected.low, expected.high), abs=1e-12)
