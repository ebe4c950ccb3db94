import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from analytics.stats.means import cluster_mean


def test_single_values_have_the_textbooks_interval():
    values = np.random.default_rng(0).normal(3, 2, 40)

    found = cluster_mean(list(values), range(40))

    low, high = stats.t.interval(0.95, 39, loc=values.mean(), scale=stats.sem(values))
    assert (found.estimate, found.interval.low, found.interval.high) == pytest.approx((values.mean(), low, high))


def test_clusters_have_statsmodels_error():
    rng = np.random.default_rng(1)
    clusters = rng.integers(12, size=80)
    values = rng.normal(size=80) + rng.normal(size=12)[clusters]

    found = cluster_mean(list(values), list(clusters))

    fit = sm.OLS(values, np.ones(80)).fit(cov_type="cluster", cov_kwds={"groups": clusters})
    error = fit.bse[0] / np.sqrt((80 - 1) / (80 - 1))
    half = error * stats.t.isf(0.025, 11)
    assert found.interval.high - found.estimate == pytest.approx(half, rel=1e-9)


def test_repeating_every_value_inside_its_cluster_changes_nothing():
    once = cluster_mean([1.0, 4.0, 2.0], "abc")
    twice = cluster_mean([1.0, 4.0, 2.0] * 2, "abcabc")

    assert (twice.estimate, twice.n) == (once.estimate, 6)
    assert twice.interval.low == pytest.approx(once.interval.low)


def test_what_is_missing_is_counted_and_never_zero():
    found = cluster_mean([None, 2.0, None, 4.0], "abcd")

    assert (found.estimate, found.n, found.excluded[0].n, found.excluded[0].why) == (3.0, 2, 2, "no value")
    assert cluster_mean([None], "a").reason == "no value"
    assert (cluster_mean([1.0, 2.0], "aa").estimate, cluster_mean([1.0, 2.0], "aa").interval) == (1.5, None)


def test_interval_covers_as_often_as_it_says():
    rng = np.random.default_rng(3)
    covered = 0
    for _ in range(400):
        values = (rng.normal(size=15)[:, None] + rng.normal(size=(15, 4))).reshape(-1)
        interval = cluster_mean(list(values), list(np.repeat(np.arange(15), 4))).interval
        covered += interval.low <= 0 <= interval.high
    assert covered / 400 == pytest.approx(0.95, abs=0.035)


def test_values_that_are_all_the_same_have_no_interval():
    found = cluster_mean([0.0, 0.0, 0.0], [1, 2, 3])
    assert (found.estimate, found.interval) == (0.0, None)
    assert found.reason == "values that are all the same say nothing of how others would vary"
