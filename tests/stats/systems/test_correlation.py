from fractions import Fraction

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats.intervals import Bootstrap, percentiles
from stats.systems.correlation import (
    correlation,
    drawn_correlation,
    interval_alpha,
    linear_spearman,
    mean_ranks,
)
from tests.cases import each

KINDS = ("pearson", "spearman", "kendall")
SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
pairs = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=3, max_size=12).filter(
    lambda them: len({a for a, _ in them}) > 1 and len({b for _, b in them}) > 1
)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(pairs=pairs)
def test_coefficients_are_those_of_scipy(kind, pairs):
    one, other = zip(*pairs, strict=True)
    assert correlation(one, other, kind=kind).estimate == pytest.approx(SCIPY[kind](one, other).statistic, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@settings(deadline=None, max_examples=25)
@given(pairs=pairs)
def test_coefficients_are_symmetric_and_turn_with_the_sign(kind, pairs):
    one, other = zip(*pairs, strict=True)
    found = correlation(one, other, kind=kind).estimate
    assert correlation(other, one, kind=kind).estimate == pytest.approx(found, abs=1e-12)
    assert correlation([-it for it in one], other, kind=kind).estimate == pytest.approx(-found, abs=1e-12)
    assert correlation(one[::-1], other[::-1], kind=kind).estimate == pytest.approx(found, abs=1e-12)


def test_spearman_is_that_of_the_textbook_example():
    # Intelligence and hours of television: ρ = −29/165.
    iq = [106, 86, 100, 101, 99, 103, 97, 113, 112, 110]
    hours = [7, 0, 27, 50, 28, 29, 20, 12, 6, 17]
    assert correlation(iq, hours).estimate == pytest.approx(-29 / 165)


def test_fractions_that_are_equal_stay_equal_where_floats_would_not():
    thirds = [Fraction(1, 10) * 3, Fraction(3, 10), Fraction(1, 2)]
    assert 0.1 * 3 != 0.3
    assert mean_ranks(thirds).tolist() == [1.5, 1.5, 3]
    assert mean_ranks([0.1 * 3, 0.3, 0.5]).tolist() == [2, 1, 3]


def test_missing_scores_are_left_out_and_counted():
    found = correlation([1, 2, None, 3, 4], [1, 2, 3, None, 4])
    assert (found.estimate, found.n) == (1.0, 3)
    assert [(it.n, it.why) for it in found.excluded] == [(2, "no score on one side")]


@each("kind", KINDS)
def test_coefficients_of_fewer_than_three_or_of_a_constant_are_undefined(kind):
    assert correlation([1, 2], [1, 2], kind=kind).reason == "fewer than 3 pairs of scores"
    assert correlation([1, 2, 3], [5, 5, 5], kind=kind).reason == "one side is always the same"


@each("kind", KINDS)
def test_bootstrap_of_a_coefficient_is_near_that_of_scipy(kind):
    rng = np.random.default_rng(1)
    one = rng.normal(size=60)
    other = one + rng.normal(size=60)
    found = correlation(one.tolist(), other.tolist(), kind=kind, bootstrap=Bootstrap(rng, resamples=1_000)).interval
    expected = stats.bootstrap(
        (one, other),
        lambda x, y: SCIPY[kind](x, y).statistic,
        paired=True,
        vectorized=False,
        n_resamples=1_000,
        method="percentile",
        rng=rng,
    ).confidence_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.04)


def test_bootstrap_counts_resamples_in_which_one_side_is_constant():
    found = correlation([1] * 23 + [2], [*range(24)], bootstrap=Bootstrap(np.random.default_rng(1), resamples=200))
    assert found.interval is None
    assert found.reason.endswith("of 200 resamples were undefined")


def test_bootstrap_over_clusters_of_systems():
    rng = np.random.default_rng(1)
    one = np.repeat(rng.normal(size=15), 4)
    other = one + np.repeat(rng.normal(size=15), 4)
    alone = correlation(one.tolist(), other.tolist(), bootstrap=Bootstrap(rng, resamples=500)).interval
    clusters = np.repeat(np.arange(15), 4)
    together = correlation(
        one.tolist(), other.tolist(), bootstrap=Bootstrap(rng, resamples=500, clusters=clusters)
    ).interval
    assert together.high - together.low > 1.5 * (alone.high - alone.low)


@each("kind", ["pearson", "spearman"])
@each("clusters", [None, np.repeat(np.arange(20), 2).tolist()])
def test_resamples_are_those_of_scipy_on_rows_that_were_drawn(kind, clusters):
    rng = np.random.default_rng(1)
    one, other = rng.integers(0, 5, 40).astype(float), rng.normal(size=40).round(1)
    bootstrap = Bootstrap(np.random.default_rng(2), resamples=300, clusters=clusters)
    members = [[row] for row in range(40)] if clusters is None else np.arange(40).reshape(20, 2).tolist()
    drawn = np.random.default_rng(2).integers(len(members), size=(300, len(members)))
    rows = [np.concatenate([members[place] for place in places]) for places in drawn]
    values = [SCIPY[kind](one[it], other[it]).statistic for it in rows if len(set(one[it])) > 1]

    found = correlation(one.tolist(), other.tolist(), kind=kind, bootstrap=bootstrap)

    ends = percentiles(0.95, len(members))
    assert found.interval.low == pytest.approx(np.quantile(values, ends.low), abs=1e-9)
    assert found.interval.high == pytest.approx(np.quantile(values, ends.high), abs=1e-9)


def test_linear_form_is_close_to_ranking_every_resample_anew():
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(100), 5)
    common = rng.normal(size=100)[clusters]
    one, other = (common + rng.normal(size=500)).round(1).tolist(), (common + rng.normal(size=500)).round().tolist()

    ranked, linear = (
        taken(one, other, bootstrap=Bootstrap(np.random.default_rng(4), resamples=2_000, clusters=clusters))
        for taken in (correlation, linear_spearman)
    )

    assert linear.estimate == ranked.estimate
    assert linear.interval.low == pytest.approx(ranked.interval.low, abs=0.02)
    assert linear.interval.high == pytest.approx(ranked.interval.high, abs=0.02)
    assert linear_spearman([1, 2], [1, 2], bootstrap=Bootstrap(rng)).reason == "fewer than 3 pairs of scores"


def test_interval_alpha_is_that_of_the_krippendorff_package():
    rng = np.random.default_rng(8)
    one = rng.normal(3, 1, 60)
    other = one + rng.normal(0.5, 1, 60)

    found = interval_alpha([*one, None], [*other, 1.0], bootstrap=Bootstrap(rng, resamples=400))

    expected = krippendorff.alpha(np.stack([one, other]), level_of_measurement="interval")
    assert (found.estimate, found.n) == (pytest.approx(expected, abs=1e-12), 60)
    assert found.interval.low < expected < found.interval.high
    assert interval_alpha([2.0, 2.0], [2.0, 2.0]).reason == "every label is the same"
    assert interval_alpha([None], [1.0]).reason == "no unit has labels from two raters"


def test_the_interval_of_a_sample_is_that_of_scipy_for_r():
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(2, 9))
    found, of_scipy = drawn_correlation(one.tolist(), other.tolist(), kind="pearson"), stats.pearsonr(one, other)

    assert found.estimate == pytest.approx(of_scipy.statistic)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(of_scipy.confidence_interval(0.95)))


def test_the_interval_of_a_sample_is_that_of_bonett_and_wright_for_rho():
    one, other = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [2, 1, 4, 3, 6, 5, 8, 7, 10, 9]
    found = drawn_correlation(one, other)

    reach = stats.norm.ppf(0.975) * np.sqrt((1 + found.estimate**2 / 2) / 7)
    ends = np.tanh(np.arctanh(stats.spearmanr(one, other).statistic) + reach * np.array([-1, 1]))
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(ends))


def test_the_same_ranks_leave_open_that_others_differ():
    found = drawn_correlation(range(8), range(8))
    turned = drawn_correlation(range(8), range(8, 0, -1))

    assert found.estimate == 1.0
    assert 0.8 < found.interval.low < 0.99 < found.interval.high < 1
    assert (turned.interval.low, turned.interval.high) == pytest.approx((-found.interval.high, -found.interval.low))


def test_a_sample_that_is_too_small_has_no_interval_and_says_so():
    for kind, n in (("pearson", 4), ("spearman", 6)):
        found = drawn_correlation(range(n), [*range(1, n), 0], kind=kind)
        assert (found.n, found.interval) == (n, None)
        assert found.reason == f"an interval needs {n + 1} systems, and there are {n}"
    assert drawn_correlation([1, 2, 3], [4, 4, 4]).reason == "one side is always the same"


@each("kind", ["pearson", "spearman"])
def test_intervals_of_samples_hold_the_truth(kind):
    rng, hits = np.random.default_rng(2), 0
    for _trial in range(1_000):
        alike = rng.random()
        one, other = rng.normal(size=(2, 8))
        found = drawn_correlation(one.tolist(), (alike * one + np.sqrt(1 - alike**2) * other).tolist(), kind=kind)
        truth = alike if kind == "pearson" else 6 / np.pi * np.arcsin(alike / 2)
        hits += found.interval.low <= truth <= found.interval.high
    assert 0.93 <= hits / 1_000 <= 0.975
