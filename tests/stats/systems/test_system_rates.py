from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from stats.ratings.acceptability import win_rates
from stats.ratings.votes import Counts
from stats.systems.system_rates import (
    Rates,
    correlations,
    rank_correlation,
    rates_by_item,
    resample_items,
    win_rate_estimates,
)
from tests.cases import each


def some_votes(seed: int, n: int = 400, systems: int = 6, items: int = 30) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    a = rng.integers(systems, size=n)
    return {
        "a": a,
        "b": (a + rng.integers(1, systems, size=n)) % systems,
        "score": rng.choice([0.0, 0.5, 1.0, np.nan], size=n, p=[0.3, 0.2, 0.4, 0.1]),
        "items": rng.integers(items, size=n),
    }


def test_rates_are_those_of_the_counts() -> None:
    votes = some_votes(1)
    table = np.zeros((6, 6, 3), dtype=np.int64)
    for a, b, score in zip(votes["a"], votes["b"], votes["score"], strict=True):
        if not np.isnan(score):
            table[a, b, {1.0: 0, 0.0: 1, 0.5: 2}[float(score)]] += 1
    counts = Counts(table, tuple("ABCDEF"))

    assert rates_by_item(**votes, shape=(30, 6)).exact == [it.exact for it in win_rates(counts)]
    against = [it.exact for it in win_rates(counts, against="B")]
    assert rates_by_item(**votes, shape=(30, 6), against=1).exact == against
    assert against[1] is None


def test_rates_do_not_depend_on_which_side_is_a() -> None:
    votes = some_votes(2)
    turned = np.random.default_rng(5).random(400) < 0.5
    mixed = {
        "a": np.where(turned, votes["b"], votes["a"]),
        "b": np.where(turned, votes["a"], votes["b"]),
        "score": np.where(turned, 1 - votes["score"], votes["score"]),
        "items": votes["items"],
    }

    for against in (None, 2):
        plain = rates_by_item(**votes, shape=(30, 6), against=against)
        assert rates_by_item(**mixed, shape=(30, 6), against=against).exact == plain.exact


def test_a_system_against_itself_counts_only_where_it_is_the_reference() -> None:
    a, b = np.array([0, 0, 1]), np.array([0, 0, 0])
    score, items = np.array([1.0, 0.0, 1.0]), np.zeros(3, dtype=np.int64)

    assert rates_by_item(a, b, score, items, shape=(1, 2), against=0).exact == [Fraction(1, 2), Fraction(1)]
    assert rates_by_item(a, b, score, items, shape=(1, 2)).exact == [Fraction(0), Fraction(1)]


@each("kind", ["pearson", "spearman", "kendall"])
def test_correlations_of_many_rows_are_those_of_scipy(kind: str) -> None:
    rng = np.random.default_rng(4)
    one, other = rng.integers(5, size=(40, 9)).astype(float), rng.integers(5, size=(40, 9)).astype(float)
    one[3, 2], other[7] = np.nan, 1.0
    of_scipy = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[kind]

    found = correlations(one, other, kind=kind)  # type: ignore[arg-type]

    assert np.isnan(found[[3, 7]]).all()
    rest = [row for row in range(40) if row not in (3, 7)]
    expected = [of_scipy(one[row], other[row]).statistic for row in rest]
    assert found[rest] == pytest.approx(expected)


def test_two_voters_are_drawn_on_the_same_items() -> None:
    rates = rates_by_item(**some_votes(3), shape=(30, 6))

    drawn = resample_items([rates, rates], rng=np.random.default_rng(1), resamples=50)

    assert np.array_equal(drawn.rates[0], drawn.rates[1])
    found = rank_correlation(rates, rates, (drawn.rates[0], drawn.rates[1]), drawn, kind="spearman")
    assert (found.estimate, found.n) == (pytest.approx(1.0), 6)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(1.0)
    again = rank_correlation(rates, rates, (drawn.rates[0], drawn.rates[1]), drawn, kind="spearman")
    assert again == found


def test_intervals_hold_the_true_rate() -> None:
    """Of 200 simulated studies, 95 % should; a system's quality differs from item to item."""
    rng = np.random.default_rng(8)
    held = 0
    for _ in range(200):
        chance = np.clip(0.6 + 0.2 * rng.standard_normal(60), 0, 1)
        score = (rng.random((60, 4)) < chance[:, np.newaxis]).astype(float).reshape(-1)
        items = np.repeat(np.arange(60), 4)
        zeros = np.zeros(240, dtype=np.int64)
        rates = rates_by_item(zeros, zeros + 1, score, items, shape=(60, 2))
        drawn = resample_items([rates], rng=rng, resamples=400)
        interval = win_rate_estimates(rates, drawn.rates[0], drawn)[0].interval
        assert interval is not None
        held += interval.low <= 0.593 <= interval.high  # the mean of what was clipped
    assert 183 <= held <= 198


@pytest.mark.parametrize("wins", [0, 1])
def test_system_that_wins_or_loses_on_every_item_has_the_interval_of_that_many_trials(wins: int) -> None:
    """Percentiles of draws that are all alike have no width; `statsmodels` has Wilson's."""
    rates = Rates(np.tile([4 * wins, 0], (10, 1)), np.tile([2, 0], (10, 1)))
    drawn = resample_items([rates], rng=np.random.default_rng(1), resamples=50)

    found = win_rate_estimates(rates, drawn.rates[0], drawn)[0]

    assert (found.estimate, found.n) == (wins, 20)
    assert found.interval is not None
    assert found.interval.method == "Wilson over 10 items"
    expected = proportion_confint(10 * wins, 10, method="wilson")
    assert (found.interval.low, found.interval.high) == pytest.approx(expected, abs=1e-12)


def test_one_item_says_nothing_of_others() -> None:
    rates = Rates(np.array([[2, 0]]), np.array([[1, 1]]))
    drawn = resample_items([rates], rng=np.random.default_rng(1), resamples=10)

    found = win_rate_estimates(rates, drawn.rates[0], drawn)

    assert (found[0].estimate, found[0].interval) == (1.0, None)
    assert found[0].reason == "one item alone says nothing of how others would vary"
