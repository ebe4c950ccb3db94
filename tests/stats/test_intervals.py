import numpy as np
import pytest
from scipy import stats

from stats.arrays import ratio
from stats.intervals import Bootstrap, Percentiles, UnitSums, Watched, percentile_interval, percentiles
from stats.reasons import NOTHING_YET
from stats.results import Estimate
from tests.cases import each

ENDS = Percentiles(0.05, 0.95, level=0.9)


def mean_of(values, **options):
    """The bootstrap of a mean, each unit with its own value."""
    values = np.asarray(values, dtype=float)
    sums = UnitSums(
        np.stack([values, np.ones(len(values))], axis=1),
        np.arange(len(values)),
        np.ones(len(values), dtype=bool),
        lambda s: ratio(s[..., 0], s[..., 1]),
    )
    estimate = Estimate(float(values.mean()), len(values), "mean")
    return Bootstrap(np.random.default_rng(5), **options).of_sums(estimate, sums)


def test_bootstrap_of_a_mean_has_the_width_that_theory_gives():
    values = np.random.default_rng(3).normal(10, 2, 400)
    found = mean_of(values, resamples=20_000)
    half = 1.96 * values.std() / 20
    assert found.interval.low == pytest.approx(values.mean() - half, abs=0.01)
    assert found.interval.high == pytest.approx(values.mean() + half, abs=0.01)


def test_bootstrap_by_kinds_draws_from_the_same_distribution_as_unit_by_unit():
    values = np.array([0.0, 1.0] * 60)
    used = np.ones(120, dtype=bool)
    by_kind = UnitSums(np.array([[0.0, 1], [1, 1]]), values.astype(int), used, lambda s: ratio(s[..., 0], s[..., 1]))
    estimate = Estimate(0.5, 120, "mean")
    found = Bootstrap(np.random.default_rng(5), resamples=20_000).of_sums(estimate, by_kind)
    exact = stats.binom(120, 0.5).ppf([0.025, 0.975]) / 120
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(exact), abs=0.005)
    alone = mean_of(values, resamples=20_000)
    assert (alone.interval.low, alone.interval.high) == pytest.approx(tuple(exact), abs=0.005)


def test_bootstrap_draws_kinds_by_how_many_units_have_them_even_where_there_are_as_many_kinds_as_units():
    kinds, used = np.repeat([0, 1], [18, 6]), np.ones(24, dtype=bool)
    parts = np.array([[0.0, 1], [1, 1], [7, 1], [9, 1]])
    sums = UnitSums(parts, kinds, used, lambda s: ratio(s[..., 0], s[..., 1]))
    found = Bootstrap(np.random.default_rng(5), resamples=20_000, level=0.5).of_sums(Estimate(0.25, 24, "mean"), sums)
    ends = percentiles(0.5, 24)
    expected = stats.binom(24, 0.25).ppf([ends.low, ends.high]) / 24
    assert (found.interval.low, found.interval.high) == tuple(expected)


def test_bootstrap_with_the_same_seed_is_the_same():
    values = np.random.default_rng(3).normal(size=50)
    assert mean_of(values) == mean_of(values)


def test_bootstrap_over_clusters_is_as_wide_as_that_of_the_clusters_means():
    rng = np.random.default_rng(3)
    means = rng.normal(size=100)
    values = np.repeat(means, 10)
    clusters = np.repeat(np.arange(100), 10)
    by_cluster = mean_of(values, clusters=clusters, resamples=10_000).interval
    by_mean = mean_of(means, resamples=10_000).interval
    assert by_cluster.high - by_cluster.low == pytest.approx(by_mean.high - by_mean.low, rel=0.05)
    assert "over clusters" in by_cluster.method


def test_bootstrap_takes_clusters_of_any_name():
    values = [1.0, 2, 3, 4, 5, 6]
    named = mean_of(values, clusters=["x", "x", "y", "y", "z", "z"])
    numbered = mean_of(values, clusters=[7, 7, 8, 8, 9, 9])
    assert named == numbered


def test_bootstrap_over_clusters_hangs_on_none_of_their_names():
    values = [1.0, 2, 3, 40, 5, 6, 77]
    one = mean_of(values, clusters=[1, 1, 2, 2, 3, 3, 4])
    other = mean_of(values, clusters=[9, 9, 4, 4, 7, 7, 1])
    assert one.interval == other.interval


def test_bootstrap_refuses_clusters_for_another_number_of_units():
    with pytest.raises(ValueError, match="2 clusters for 3 units"):
        mean_of([1, 2, 3], clusters=["x", "y"])


def test_bootstrap_of_one_unit_or_one_cluster_says_that_there_is_none():
    assert mean_of([1.0]).reason == "one unit alone says nothing of how others would vary"
    assert mean_of([1.0, 2.0], clusters=[1, 1]).reason == "one cluster alone says nothing of how others would vary"
    assert mean_of([1.0]).interval is None


def test_bootstrap_of_rows_resamples_whole_clusters():
    bootstrap = Bootstrap(np.random.default_rng(1), resamples=200, clusters=np.repeat(np.arange(20), 2))
    drawn = set()

    def note(places):
        times = np.bincount(places, minlength=40)
        assert times[::2].tolist() == times[1::2].tolist()
        drawn.add(tuple(times))
        return float(places.mean())

    bootstrap.of_rows(Estimate(1.0, 40, "mean"), np.ones(40, dtype=bool), note)
    assert len(drawn) == 200


def test_bootstrap_of_rows_counts_places_among_the_used():
    used = np.array([True, False, True])
    seen = set()
    Bootstrap(np.random.default_rng(1), resamples=50).of_rows(
        Estimate(1.0, 2, "mean"), used, lambda places: seen.update(places.tolist()) or 0.0
    )
    assert seen == {0, 1}


def test_percentiles_of_few_units_make_the_interval_as_wide_as_students():
    values = np.random.default_rng(3).normal(0, 1, 20)
    found = mean_of(values, resamples=40_000).interval
    student = stats.t(19, values.mean(), stats.sem(values)).interval(0.95)
    assert found.high - found.low == pytest.approx(student[1] - student[0], rel=0.06)
    assert found.method.startswith("percentile bootstrap over units")


def test_fewer_than_twenty_units_have_students_interval():
    values = np.random.default_rng(3).normal(0, 1, 19)
    found = mean_of(values).interval
    student = stats.t(18, values.mean(), stats.sem(values)).interval(0.95)
    assert (found.low, found.high) == pytest.approx(student, abs=1e-12)
    assert found.method == "delete-one jackknife over 19 units, Student's t"


def test_few_clusters_that_are_alike_by_chance_do_not_narrow_the_interval():
    values = [1.0, 5, 9, 2, 5, 8.1, 0, 5, 10]
    clustered, plain = mean_of(values, clusters=[0, 0, 0, 1, 1, 1, 2, 2, 2]).interval, mean_of(values).interval
    normal, student = stats.norm.isf(0.025), stats.t.isf(0.025, 8)
    assert clustered.high - clustered.low == pytest.approx((plain.high - plain.low) * normal / student)


def test_many_rows_of_few_clusters_are_left_out_in_groups():
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=(2, 900))
    clusters = np.arange(900) % 5
    found = Bootstrap(np.random.default_rng(5), clusters=clusters).of_weights(
        Estimate(0.0, 900, "difference"),
        np.ones(900, dtype=bool),
        lambda weights: (weights @ (one - other) - 0) / weights.sum(axis=1),
    )
    means = np.array([(one - other)[clusters == it].mean() for it in range(5)])
    assert found.interval.high >= stats.t.isf(0.025, 4) * np.sqrt(np.mean(means**2) / 5)
    assert found.interval.high >= stats.norm.isf(0.025) * 0.85 * (one - other).std() / 30


def test_values_that_are_all_alike_have_no_interval():
    assert mean_of([3.0] * 30).reason == "units that are all alike say nothing of how others would vary"
    clusters = np.repeat(np.arange(4), 2)
    assert mean_of([3.0, 4] * 4, clusters=clusters).reason.startswith("clusters that are all alike")
    assert mean_of([1.0, 2]).reason == "two units alone say too little of how others would vary"


def test_percentiles_of_many_units_are_those_of_the_level():
    found = percentiles(0.9, 10**9)
    assert (found.low, found.high) == pytest.approx((0.05, 0.95), abs=1e-8)
    assert percentiles(0.9, 2).low < 1e-4


def test_few_undefined_resamples_are_left_out_and_counted():
    values = np.append(np.arange(100.0), np.nan)
    found = percentile_interval(Estimate(50, 9, "mean"), values, ENDS, method="bootstrap")
    assert found.interval.method == "bootstrap, 1 of them undefined"


def test_many_undefined_resamples_leave_no_interval():
    values = np.append(np.arange(90.0), np.full(10, np.nan))
    found = percentile_interval(Estimate(50, 9, "mean"), values, ENDS, method="bootstrap")
    assert (found.interval, found.reason) == (None, "10 of 100 resamples were undefined")


def test_what_is_undefined_gets_no_interval():
    undefined = Estimate(None, 0, "mean", reason="no units")
    rng = Bootstrap(np.random.default_rng(0))
    assert rng.of_rows(undefined, np.ones(3, dtype=bool), lambda _: 0.0) is undefined


# -- intervals that hold at every look ---------------------------------------------------------------------------


def test_watched_interval_is_the_mixture_over_the_variance_of_the_mean() -> None:
    """With the variance that theory gives for a mean, and Student's t by SciPy; resamples vary by some percent."""
    values = np.random.default_rng(2).normal(0.1, 1.0, 400)
    n, scale = len(values), 0.2

    interval = mean_of(values, watched=Watched(scale)).interval

    variance = values.var(ddof=1) / n
    time = scale**2 / variance
    normal = np.sqrt((1 + 1 / time) * (np.log1p(time) - 2 * np.log(0.05)))
    reach = stats.t.isf(stats.norm.sf(normal), n - 1) * np.sqrt(variance)
    assert (interval.low + interval.high) / 2 == pytest.approx(values.mean())
    assert (interval.high - interval.low) / 2 == pytest.approx(reach, rel=0.05)


@each("n", [2, 99])
def test_watched_interval_waits_until_the_variance_is_known(n: int) -> None:
    found = mean_of(np.arange(n), watched=Watched(1.0))

    assert (found.interval, found.reason) == (None, NOTHING_YET())


def test_watched_interval_of_what_never_varied_is_not_there() -> None:
    assert mean_of(np.ones(200), watched=Watched(1.0)).reason == NOTHING_YET()


def test_watched_interval_stays_within_its_ends() -> None:
    values = np.array([0.0] * 3 + [1.0] * 117)

    interval = mean_of(values, watched=Watched(0.2, low=0.0, high=1.0)).interval

    assert 0 < interval.low < values.mean() < interval.high == 1.0


def test_means_that_are_watched_are_missed_in_one_of_twenty_at_most() -> None:
    """Skewed values, 200 series of 600, a look at every 50th: intervals for one look miss in far more."""
    misses = {"watched": 0, "one look": 0}
    for seed in range(200):
        series = np.random.default_rng(seed).exponential(1.0, 600)
        for way, watched in (("watched", Watched(0.2)), ("one look", None)):
            intervals = (mean_of(series[:n], resamples=300, watched=watched).interval for n in range(100, 601, 50))
            misses[way] += any(not it.low <= 1.0 <= it.high for it in intervals)

    assert misses["watched"] <= 10
    assert misses["one look"] >= 30
