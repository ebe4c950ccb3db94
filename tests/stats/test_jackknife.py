import numpy as np
import pytest
from scipy import stats

from stats.jackknife import LeftOut, jackknife_interval, jackknife_variance
from stats.proportions import wilson
from stats.reasons import WITHOUT_ONE_CLUSTER
from stats.results import COEFFICIENT, SHARE, UNBOUNDED, Estimate
from tests.cases import each


def test_variance_of_a_mean_is_the_textbooks():
    values = np.random.default_rng(2).normal(size=12)
    without = (values.sum() - values) / 11
    assert jackknife_variance(without, values.mean()) == pytest.approx(stats.sem(values) ** 2)


def test_units_of_one_kind_count_as_often_as_there_are():
    values = np.array([1.0, 1, 1, 4])
    without = (values.sum() - values) / 3
    by_kind = jackknife_variance(without[2:], values.mean(), np.array([3.0, 1]))
    assert by_kind == pytest.approx(jackknife_variance(without, values.mean()))


def test_interval_ends_where_the_statistic_does():
    left = LeftOut(np.array([0.2, 0.9, 0.7]), "cluster")
    found = jackknife_interval(Estimate(0.6, 9, "κ"), left, level=0.95, ends=COEFFICIENT)
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)


def test_interval_is_never_shorter_than_that_of_units():
    left = LeftOut(np.array([0.49, 0.51, 0.5]), "cluster", alone=0.01)
    found = jackknife_interval(Estimate(0.5, 30, "κ"), left, level=0.95, ends=COEFFICIENT)
    assert found.interval.high - 0.5 == pytest.approx(0.1 * stats.norm.isf(0.025))


def test_share_of_clusters_that_are_all_right_is_that_of_as_many_trials():
    left = LeftOut(np.ones(5), "cluster")
    found = jackknife_interval(Estimate(1.0, 50, "accuracy"), left, level=0.95, ends=SHARE)
    expected = wilson(5, 5)
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


@each(
    "over, n, reason",
    [
        ("unit", 1, "one unit alone says nothing of how others would vary"),
        ("cluster", 2, "two clusters alone say too little of how others would vary"),
        ("item", 2, "two items alone say too little of how others would vary"),
        ("cluster", 4, "clusters that are all alike say nothing of how others would vary"),
    ],
)
def test_what_says_too_little_has_no_interval(over, n, reason):
    found = jackknife_interval(Estimate(0.5, 9, "κ"), LeftOut(np.full(n, 0.5), over), level=0.95, ends=UNBOUNDED)
    assert (found.interval, found.reason) == (None, reason)


def test_statistic_that_is_undefined_without_one_cluster_has_no_interval():
    left = LeftOut(np.array([0.3, np.nan, 0.4]), "cluster")
    found = jackknife_interval(Estimate(0.5, 9, "κ"), left, level=0.95, ends=COEFFICIENT)
    assert found.reason == WITHOUT_ONE_CLUSTER()
