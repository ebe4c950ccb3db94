import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from stats.systems.means import cluster_mean, generalized_half, two_way_mean
from tests.cases import each


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


def test_two_ways_have_statsmodels_error_unless_one_way_has_more():
    rng = np.random.default_rng(4)
    items, raters = np.repeat(np.arange(30), 6), np.tile(np.arange(6), 30)
    values = rng.normal(0, 1, 30)[items] + rng.normal(0, 1, 6)[raters] + rng.normal(size=180)

    found = two_way_mean(values, items, raters)

    fit = sm.OLS(values, np.ones(180)).fit(
        cov_type="cluster", cov_kwds={"groups": np.stack([items, raters], axis=1), "use_correction": True}
    )
    width = found.interval.high - found.interval.low
    assert found.estimate == pytest.approx(values.mean())
    assert width / 2 / fit.bse[0] == pytest.approx(stats.t.isf(0.025, 6.3), rel=0.06)


@each("which", [0, 1])
def test_where_one_way_has_all_the_variance_the_interval_is_students_t(which):
    variances, freedom = [0.0, 0.0, 0.0], (11, 3, 33)
    variances[which] = 0.25
    half = generalized_half(tuple(variances), freedom, 0.95)
    assert half == pytest.approx(0.5 * stats.t.isf(0.025, freedom[which]), rel=0.01)


def test_ratings_that_are_the_only_ones_of_their_item_and_rater_have_hardly_more_than_students_interval():
    """All of them are independent then: 40 numbers know their mean as well as any 40."""
    values = np.random.default_rng(3).normal(size=40)

    found = two_way_mean(values, np.arange(40), np.arange(40)).interval

    students = stats.t.isf(0.025, 39) * values.std(ddof=1) / 40**0.5
    assert students < (found.high - found.low) / 2 < 1.12 * students


def test_many_raters_with_few_ratings_each_cover_as_often_as_they_say():
    rng = np.random.default_rng(4)
    held, widths = [], []
    for _ in range(300):
        items, raters = np.repeat(np.arange(20), 2), rng.integers(0, 60, 40)
        values = rng.normal(0, 0.4, 20)[items] + rng.normal(0, 0.5, 60)[raters] + rng.normal(0, 0.7, 40)
        found = two_way_mean(values, items, raters).interval
        held.append(found.low < 0 < found.high)
        widths.append(found.high - found.low)

    assert 0.93 <= np.mean(held) <= 0.99
    assert np.mean(widths) < 1.0  # of the error alone: 0.69; before freedom was counted by clusters, 4


def test_one_rater_alone_leaves_the_interval_over_items():
    values = [1.0, 2.0, 4.0, 3.0]
    found, one_way = two_way_mean(values, [0, 1, 2, 3], [7] * 4), cluster_mean(values, range(4))
    assert found.interval.low == pytest.approx(one_way.interval.low)
    assert found.interval.method == "Student's t over 4 items"
    assert found.reason == "about this rater alone"
    assert two_way_mean([2.0], [0], [0]).reason == "one cluster alone says nothing of how others would vary"


def test_two_raters_leave_the_interval_over_items_about_them_alone():
    values, items, raters = [1.0, 3.0, 2.0, 4.0, 4.0, 4.0], [0, 0, 1, 1, 2, 2], [0, 1] * 3
    found, of_items = two_way_mean(values, items, raters), cluster_mean([2.0, 3.0, 4.0], "abc")
    assert (found.interval.low, found.interval.high) == pytest.approx((of_items.interval.low, of_items.interval.high))
    assert found.reason == "about these two raters alone"
    assert two_way_mean([*values, 2.0], [*items, 0], [*raters, 2]).reason is None


def test_two_raters_with_items_of_their_own_are_two_strata():
    one, other = [1.0, 2.0, 3.0], [4.0, 6.0, 5.0]
    found = two_way_mean(one + other, range(6), [0] * 3 + [1] * 3)
    error = np.sqrt(stats.sem(one) ** 2 + stats.sem(other) ** 2) / 2
    assert found.interval.high - 3.5 == pytest.approx(error * stats.t.isf(0.025, 4))
    assert two_way_mean([1.0, 2.0], [0, 1], [0, 1]).interval is None


@each(
    "n_items, n_raters, method, about",
    [
        (2, 5, "Student's t over 5 raters", "about these two items alone"),
        (1, 5, "Student's t over 5 raters", "about this item alone"),
        (2, 2, "Student's t over 2 items", "about these two raters alone"),
        (1, 2, "Student's t over 2 raters", "about this item alone"),
        (3, 3, "generalized interval over 3 items and 3 raters", ""),
    ],
)
def test_fewer_than_three_of_a_kind_say_nothing_of_others(n_items, n_raters, method, about):
    items, raters = np.repeat(np.arange(n_items), n_raters), np.tile(np.arange(n_raters), n_items)
    found = two_way_mean(np.random.default_rng(6).normal(size=n_items * n_raters), items, raters)
    assert (found.interval.method, found.reason or "") == (method, about)


def test_raters_who_each_always_say_the_same_have_no_interval():
    found = two_way_mean([3.0, 4.0] * 5, np.repeat(np.arange(5), 2), [0, 1] * 5)
    assert (found.estimate, found.interval) == (3.5, None)
    assert found.reason == "values that are all the same say nothing of how others would vary"


@each("together", [True, False])
def test_two_raters_cover_their_own_mean_as_often_as_they_say(together):
    hits = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        items = np.repeat(np.arange(20), 2) if together else np.arange(40)
        raters, taste = np.tile([0, 1], 20), np.array([-1.5, 0.5])
        values = rng.normal(0, 0.7, 40)[items] + taste[raters] + rng.normal(size=40)
        interval = two_way_mean(values, items, raters).interval
        hits += interval.low <= -0.5 <= interval.high
    assert hits / 500 == pytest.approx(0.95, abs=0.025)


def test_names_of_items_and_raters_change_nothing():
    rng = np.random.default_rng(5)
    items, raters, values = rng.integers(9, size=60), rng.integers(4, size=60), rng.normal(size=60)
    order = rng.permutation(60)
    found = two_way_mean(values, items, raters).interval
    again = two_way_mean(values[order], 5 + items[order] * 3, 8 - raters[order]).interval
    assert (again.low, again.high) == (pytest.approx(found.low), pytest.approx(found.high))


def test_an_interval_stays_on_the_scale_and_is_the_usual_one_far_from_its_ends() -> None:
    near = [5.0, 5.0, 5.0, 4.0, 5.0, 3.0]
    items, raters = [0, 1, 2] * 2, [0, 0, 1, 1, 2, 2]
    plain, held = two_way_mean(near, items, raters), two_way_mean(near, items, raters, ends=(1.0, 5.0))
    assert plain.interval.high > 5
    assert 1 < held.interval.low < held.estimate < held.interval.high < 5

    wide, far = cluster_mean([0.4, 0.5, 0.6] * 9, range(27)), (0.0, 1.0)
    bounded = cluster_mean([0.4, 0.5, 0.6] * 9, range(27), ends=far)
    assert bounded.interval.low == pytest.approx(wide.interval.low, abs=1e-3)
    assert bounded.interval.high == pytest.approx(wide.interval.high, abs=1e-3)
    assert cluster_mean([0.0, 0.0, 0.1], range(3), ends=far).interval.low > 0


def test_clusters_that_are_all_alike_have_no_interval() -> None:
    both_ways = [3.0, -3.0] * 9
    items, raters = np.repeat(np.arange(3), 6), np.tile(np.repeat(np.arange(3), 2), 3)
    for found in (two_way_mean(both_ways, items, raters), cluster_mean(both_ways, items.tolist())):
        assert (found.estimate, found.interval) == (0.0, None)
        assert found.reason == "clusters that are all alike say nothing of how others would vary"
