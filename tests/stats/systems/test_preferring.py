from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from stats.agreement.labels import LabelTable
from stats.intervals import Bootstrap
from stats.systems.preferring import mean_pairwise_kappa, preferences


def ratings_of(rng: np.random.Generator, *, items: int = 30, systems: int = 4, raters: int = 3) -> tuple:
    true = rng.normal(0, 1, items * systems)
    ratings = np.clip(np.round(3 + true[:, None] + rng.normal(0, 0.7, (items * systems, raters))), 1, 5)
    ratings[rng.random(ratings.shape) < 0.2] = np.nan
    return ratings, np.repeat(np.arange(items), systems)


def test_mean_of_scikit_learns_kappas():
    ratings, items = ratings_of(np.random.default_rng(1))
    table, _groups = preferences(ratings, items)

    kappas = []
    for one, other in combinations(range(3), 2):
        both = (table.codes[:, [one, other]] >= 0).all(axis=1)
        kappas.append(cohen_kappa_score(table.codes[both, one], table.codes[both, other]))
    found = mean_pairwise_kappa(table)
    assert (found.estimate, found.n) == (pytest.approx(np.mean(kappas)), 3)


def test_order_and_names_change_nothing():
    ratings, items = ratings_of(np.random.default_rng(2))
    turned = np.arange(len(items)).reshape(-1, 4)[:, ::-1].reshape(-1)

    found = mean_pairwise_kappa(preferences(ratings, items)[0]).estimate

    assert mean_pairwise_kappa(preferences(ratings[turned], items)[0]).estimate == pytest.approx(found)
    assert mean_pairwise_kappa(preferences(ratings[:, ::-1], items + 7)[0]).estimate == pytest.approx(found)


def test_resampled_kappas_are_those_of_resampled_tables():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 3, (24, 3))
    table = LabelTable(codes, ("a", "b", "c"))
    places = np.random.default_rng(4).integers(24, size=(200, 24))
    values = [mean_pairwise_kappa(LabelTable(codes[rows], ("a", "b", "c"))).estimate for rows in places]

    found = mean_pairwise_kappa(table, bootstrap=Bootstrap(np.random.default_rng(4), resamples=200))

    assert found.interval.low == pytest.approx(np.quantile(values, 0.0178), abs=0.02)
    assert min(values) <= found.interval.low < found.estimate < found.interval.high <= max(values)


def test_nothing_in_common_is_undefined():
    table = LabelTable(np.array([[0, -1], [-1, 1]]), ("a", "b"))
    assert mean_pairwise_kappa(table).reason == "no two raters said something of the same"
    same = LabelTable(np.zeros((3, 2), dtype=np.int64), ("a", "b"))
    assert mean_pairwise_kappa(same).reason == "no two raters have a κ"
    assert mean_pairwise_kappa(same).excluded[0].n == 1


def test_few_groups_that_are_alike_by_chance_do_not_narrow_the_interval():
    rng = np.random.default_rng(5)
    codes = np.repeat(rng.integers(0, 3, (24, 1)), 3, axis=1)
    codes = np.where(rng.random((24, 3)) < 0.4, rng.integers(0, 3, (24, 3)), codes)
    table, alike = LabelTable(np.tile(codes, (4, 1)), ("a", "b", "c")), np.repeat(np.arange(4), 24)
    table.codes[0] = [0, 1, 2]

    found = mean_pairwise_kappa(table, bootstrap=Bootstrap(np.random.default_rng(4), clusters=alike)).interval

    units = mean_pairwise_kappa(table, bootstrap=Bootstrap(np.random.default_rng(4))).interval
    assert found.high - found.low == pytest.approx(units.high - units.low, rel=0.1)
