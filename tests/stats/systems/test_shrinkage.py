import numpy as np
import pytest
from scipy import stats

from stats.results import Estimate
from stats.systems.shrinkage import Measured, interval_between, true_means
from stats.systems.system_rates import correlations
from tests.cases import each

ITEMS = 10_000


def measured(rng: np.random.Generator, true: np.ndarray, noise: float, draws: int = 500) -> Measured:
    """As if every mean were known with this standard error."""
    means = true + rng.normal(0, noise, len(true))
    return Measured(means, means + rng.normal(0, noise, (draws, len(true))), ITEMS)


def test_draws_are_the_normal_posterior_where_many_systems_tell_the_spread():
    """With a spread of 1 and noise of 0.5, 4/5 of each mean is believed, and 4/5 of the noise's variance is left."""
    rng = np.random.default_rng(1)
    sides = [measured(rng, rng.normal(size=1_500), 0.5, draws=200) for _ in range(2)]

    drawn = true_means(*sides, rng=rng)

    assert not isinstance(drawn, str)
    for side, truth in zip(sides, drawn, strict=True):
        believed = stats.linregress(side.means, truth.mean(axis=0)).slope
        assert believed == pytest.approx(0.8, abs=0.03)
        assert (truth - truth.mean(axis=0)).std() == pytest.approx(np.sqrt(0.8) * 0.5, rel=0.03)


def test_without_noise_the_resamples_stay_as_they_are():
    rng = np.random.default_rng(2)
    sides = [measured(rng, rng.normal(size=6), 1e-9) for _ in range(2)]

    drawn = true_means(*sides, rng=rng)

    assert not isinstance(drawn, str)
    for side, truth in zip(sides, drawn, strict=True):
        centred = side.means - side.means.mean()
        assert np.ptp(truth - centred, axis=0) == pytest.approx(np.zeros(6), abs=1e-7)


@each("alike", [0.3, 0.95])
def test_intervals_hold_the_true_coefficient_where_those_of_plain_resamples_do_not(alike):
    shrunken, plain, repeats = 0, 0, 300
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        one, other = rng.normal(size=(2, 13))
        other = alike * one + np.sqrt(1 - alike**2) * other
        truth = stats.kendalltau(one, other).statistic
        sides = [measured(rng, side, 0.3) for side in (one, other)]
        drawn = true_means(*sides, rng=rng)
        assert not isinstance(drawn, str)
        for how, rows in (("shrunken", drawn), ("plain", [side.resampled for side in sides])):
            values = correlations(rows[0], rows[1], kind="kendall")
            interval = interval_between(Estimate(0, 13, "τ"), values, level=0.95, method="drawn").interval
            assert interval is not None
            held = interval.low - 1e-9 <= truth <= interval.high + 1e-9
            shrunken, plain = shrunken + (held and how == "shrunken"), plain + (held and how == "plain")
    assert 0.92 <= shrunken / repeats <= 0.99
    assert alike < 0.9 or plain / repeats < 0.7


def test_the_names_and_the_order_of_systems_do_not_matter():
    rng = np.random.default_rng(3)
    one, other = (measured(rng, rng.normal(size=7), 0.2) for _ in range(2))
    turned = np.random.default_rng(4).permutation(7)

    plain = true_means(one, other, rng=np.random.default_rng(5))
    mixed = true_means(
        *(Measured(it.means[turned], it.resampled[:, turned], ITEMS) for it in (one, other)),
        rng=np.random.default_rng(5),
    )

    assert mixed[0] == pytest.approx(plain[0][:, turned])
    assert mixed[1] == pytest.approx(plain[1][:, turned])


def test_the_same_side_twice_is_the_same():
    side = measured(np.random.default_rng(6), np.arange(6.0), 0.5)

    one, other = true_means(side, side, rng=np.random.default_rng(7))

    assert np.array_equal(one, other)


def test_a_side_that_is_known_exactly_stays_so():
    rng = np.random.default_rng(8)
    known = Measured(np.arange(8.0), np.tile(np.arange(8.0), (500, 1)), ITEMS)

    _, whole = true_means(measured(rng, np.arange(8.0), 1.0), known, rng=rng)

    assert whole == pytest.approx(np.tile(np.arange(8.0) - 3.5, (500, 1)), abs=1e-4)


def test_what_means_nothing_is_refused_with_its_reason():
    rng = np.random.default_rng(9)
    four = [measured(rng, np.arange(4.0), 0.1) for _ in range(2)]
    assert true_means(*four, rng=rng) == "an interval needs 5 systems, and there are 4"
    noisy, clear = measured(rng, np.zeros(8), 1.0), measured(rng, np.arange(8.0), 0.1)
    noise = "more than half of how far systems lie apart may be noise; more items are needed"
    assert true_means(noisy, clear, rng=rng) == noise
    gaps = Measured(clear.means, np.where(np.arange(500)[:, np.newaxis] < 50, np.nan, clear.resampled), ITEMS)
    assert true_means(gaps, clear, rng=rng) == "50 of 500 resamples were undefined"


def test_few_items_stretch_what_they_tell_too_little():
    """With hardly any noise, as `intervals.percentiles` does: √(n / (n − 1)) · t / z."""
    rng = np.random.default_rng(10)
    means, off = np.arange(6.0), rng.normal(0, 1e-3, (400, 6))
    spreads = []
    for n_items in (6, ITEMS):
        side = Measured(means, means + off, n_items)
        other = Measured(means, means + rng.normal(0, 1e-3, (400, 6)), n_items)
        drawn, _ = true_means(side, other, rng=rng)
        spreads.append((drawn - drawn.mean(axis=0)).std())
    expected = np.sqrt(6 / 5) * stats.t.ppf(0.975, 5) / stats.norm.ppf(0.975)
    assert spreads[0] / spreads[1] == pytest.approx(expected, rel=1e-2)


def test_half_of_a_value_that_comes_often_counts_as_beyond_the_end():
    found = Estimate(0.5, 5, "ρ")
    values = np.repeat([0.1, 0.4, 0.7, 1.0], [20, 60, 900, 20])

    interval = interval_between(found, values, level=0.95, method="drawn").interval

    assert (interval.low, interval.high) == (0.4, 0.7)
    assert interval_between(found, np.array([np.nan, 1, 1]), level=0.95, method="drawn").interval.low == 1.0
