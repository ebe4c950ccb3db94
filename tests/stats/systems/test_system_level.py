import numpy as np
import pytest
from scipy import stats

from stats.systems.system_level import OverItems
from tests.cases import each


def scores(rng: np.random.Generator, *, items: int = 40, systems: int = 6) -> tuple:
    item, system = np.repeat(np.arange(items), systems), np.tile(np.arange(systems), items)
    one = system + rng.normal(0, 3, len(item))
    other = system + rng.normal(0, 3, len(item))
    other[::7] = np.nan
    return item, system, one, other


@each(
    "kind, scipy",
    [("pearson", stats.pearsonr), ("spearman", stats.spearmanr), ("kendall", stats.kendalltau)],
)
def test_coefficients_are_those_of_scipy_over_means(kind, scipy):
    item, system, one, other = scores(np.random.default_rng(1))
    over = OverItems(40, 6, rng=np.random.default_rng(2), resamples=200)

    found = over.correlate(over.means(one, item, system), over.means(other, item, system), kind=kind)

    means = [[np.nanmean(side[system == it]) for it in range(6)] for side in (one, other)]
    assert (found.estimate, found.n) == (pytest.approx(scipy(*means).statistic), 6)
    assert found.interval.low <= found.estimate <= found.interval.high


def test_resamples_are_of_items_with_all_their_scores():
    item, system, _one, other = scores(np.random.default_rng(3), items=5, systems=4)
    over = OverItems(5, 4, rng=np.random.default_rng(4), resamples=50)
    drawn = np.random.default_rng(4).integers(5, size=(50, 5))

    means = over.means(other, item, system)

    for row, places in zip(means[1:], drawn, strict=True):
        rows = np.concatenate([np.flatnonzero(item == place) for place in places])
        known = rows[~np.isnan(other[rows])]
        by_hand = [
            other[known][system[known] == it].mean() if (system[known] == it).any() else np.nan for it in range(4)
        ]
        assert row == pytest.approx(by_hand, nan_ok=True)


def test_undefined_has_its_reason():
    item, system, one, _ = scores(np.random.default_rng(5), systems=3)
    over = OverItems(40, 3, rng=np.random.default_rng(6), resamples=10)
    means = over.means(one, item, system)
    assert over.correlate(means, over.constant(np.ones(3))).reason == "one side is always the same"
    few = over.correlate(means, over.constant(np.array([1.0, 2.0, np.nan])))
    assert (few.reason, few.excluded[0].n) == ("fewer than 3 systems with both scores", 1)


def test_intervals_cover_the_coefficient_of_all_items():
    true = np.stack([np.arange(8) * 0.3, np.array([2, 0, 1, 4, 3, 7, 5, 6]) * 0.2], axis=1)
    truth = np.corrcoef(true.T)[0, 1]
    item, system = np.repeat(np.arange(100), 8), np.tile(np.arange(8), 100)
    hits, repeats = 0, 300
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        said = true + rng.normal(0, 0.5, (100, 8, 2))
        over = OverItems(100, 8, rng=rng, resamples=300)
        sides = [over.means(said[:, :, side].reshape(-1), item, system) for side in (0, 1)]
        interval = over.correlate(*sides, kind="pearson").interval
        hits += interval.low <= truth <= interval.high
    assert hits / repeats == pytest.approx(0.95, abs=0.035)
