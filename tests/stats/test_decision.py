"""D studies: how many raters, how many items; against print, simulation, and the intervals that studies end with."""

import numpy as np
import pytest

from stats.rater_models.components import Components, variance_components
from stats.rater_models.decision import (
    Size,
    expected,
    half_width,
    items_needed,
    known_within,
    raters_needed,
    reaching,
)
from stats.rater_models.rated import Rated
from stats.rater_models.severity import adjusted_means
from tests.stats.rater_models.test_rater_models import SHROUT_FLEISS

#: Synthetic data set No. 3 of Brennan (2001, Table 3.1): ten persons, four items on each of two occasions.
BRENNAN = "2675 2555 4567 6757 5546 5455 5986 5776 4356 4564 4447 6478 2665 2775 3445 6664 0545 5553 6876 6886"
PILOT = Components({"system": 0.5, "item": 0.1, "rater": 0.3, "response": 0.1, "residual": 0.8}, {}, 600)


def brennan() -> Rated:
    """Persons as systems, occasions as raters."""
    scores = np.array([[int(it) for it in block] for block in BRENNAN.split()]).reshape(10, 2, 4)
    person, occasion, item = (it.reshape(-1) for it in np.indices(scores.shape))
    return Rated(scores.reshape(-1).astype(float), person, item, occasion)


def test_variance_components_are_those_that_brennan_prints():
    """Brennan (2001), Table 3.2: p, i, o, pi, po, io, pio."""
    found = variance_components(brennan()).variances

    printed = {
        "system": 0.5528, "item": 0.4417, "rater": 0.0074, "response": 0.5750, "system_rater": 0.1009,
        "item_rater": 0.1565, "residual": 0.9352,
    }  # fmt: skip
    assert {name: round(it, 4) for name, it in found.items()} == printed


def test_coefficients_of_two_facets_are_those_that_brennan_prints():
    """Eρ² = .64 and Φ = .55 for four items and two occasions."""
    found = expected(variance_components(brennan()), Size(items=4, raters=2, per_response=2))

    assert (round(found.reliability, 2), round(found.dependability, 2)) == (0.64, 0.55)
    assert found.mean is None  # two occasions say too little of others


def test_coefficients_of_one_facet_are_those_of_shrout_and_fleiss():
    """As systems heard once: Φ of the mean of four is ICC(2,4) = .62, and Eρ² ICC(3,4) = .91 (their Table 4)."""
    variances = variance_components(
        Rated(SHROUT_FLEISS.reshape(-1), np.repeat(np.arange(6), 4), np.zeros(24, int), np.tile(np.arange(4), 6))
    )
    found = expected(variances, Size(items=1, raters=4, per_response=4))

    assert (round(found.dependability, 2), round(found.reliability, 2)) == (0.62, 0.91)


@pytest.mark.parametrize("per_response", [2, 5])
def test_expected_errors_are_those_of_simulated_plain_means(per_response):
    """The variance of plain differences and the absolute one, over 4,000 studies drawn from these components."""
    true = {"item": 0.2, "rater": 0.4, "response": 0.1, "system_rater": 0.1, "item_rater": 0.1, "residual": 0.5}
    components = Components({"system": 1.0, **true}, {}, 1000)
    rng, items, raters = np.random.default_rng(13), 6, 5
    sd = {name: value**0.5 for name, value in true.items()}
    means = np.zeros((4_000, 2))
    for study in range(4_000):
        of_item, of_rater = rng.normal(0, sd["item"], items), rng.normal(0, sd["rater"], raters)
        both = rng.normal(0, sd["item_rater"], (items, raters))
        for system in range(2):
            chosen = np.argsort(rng.random((items, raters)), axis=1)[:, :per_response]
            of_system = rng.normal(0, sd["system_rater"], raters)
            rows = np.arange(items)[:, np.newaxis]
            values = of_item[:, np.newaxis] + of_rater[chosen] + of_system[chosen] + both[rows, chosen]
            values = values + rng.normal(0, sd["response"], (items, 1)) + rng.normal(0, sd["residual"], chosen.shape)
            means[study, system] = values.mean()

    found = expected(components, Size(items, raters, per_response))

    assert found.plain_error == pytest.approx((means[:, 0] - means[:, 1]).std(), rel=0.05)
    plain_mean = found.mean_error**2 + 0.4 * (1 / per_response - 1 / raters) / items
    assert plain_mean**0.5 == pytest.approx(means[:, 0].std(), rel=0.05)


@pytest.mark.parametrize("of", ["difference", "plain_difference", "mean"])
def test_items_needed_are_the_fewest_that_suffice(of):
    pilot = Components({"response": 0.2, "rater": 0.1, "system_rater": 0.02, "residual": 0.6}, {}, 600)

    needed = items_needed(pilot, half=0.35, raters=12, per_response=3, of=of)

    assert half_width(pilot, Size(needed, 12, 3), of) <= 0.35
    assert half_width(pilot, Size(needed - 1, 12, 3), of) > 0.35
    assert items_needed(pilot, half=0.05, raters=12, per_response=3, of=of) is None


@pytest.mark.parametrize(("raters", "per_response"), [(2, 3), (3, 0)])
def test_size_that_cannot_be_is_refused(raters, per_response):
    with pytest.raises(ValueError, match="no more than there are"):
        Size(items=3, raters=raters, per_response=per_response)


@pytest.mark.parametrize(("items", "raters", "per_response"), [(24, 30, 3), (12, 3, 3), (6, 12, 12), (60, 20, 1)])
def test_expected_widths_are_those_of_the_intervals_that_simulated_studies_end_with(items, raters, per_response):
    """Mean widths over 100 studies of four systems, drawn here, analysed as reports do: within 8 in 100."""
    true = {"item": 0.09, "rater": 0.3, "response": 0.12, "system_rater": 0.04, "residual": 0.56}
    rng, size = np.random.default_rng(21), Size(items, raters, per_response)
    sd = {name: it**0.5 for name, it in true.items()}
    systems, at = (it.reshape(-1) for it in np.indices((4, items)))
    means, differences = [], []
    for _ in range(100):
        chosen = np.argsort(rng.random((len(systems), raters)), axis=1)[:, :per_response]
        s, i, r = np.repeat(systems, per_response), np.repeat(at, per_response), chosen.reshape(-1)
        values = (
            s + rng.normal(0, sd["item"], items)[i] + rng.normal(0, sd["rater"], raters)[r]
            + rng.normal(0, sd["response"], (4, items))[s, i] + rng.normal(0, sd["system_rater"], (4, raters))[s, r]
            + rng.normal(0, sd["residual"], len(s))
        )  # fmt: skip
        found = adjusted_means(Rated(values, s, i, r), n_systems=4, n_raters=raters)
        means += [it.high - it.low for at_ in range(4) if (it := found.mean(at_).interval)]
        differences += [it.high - it.low for a in (0, 2) if (it := found.difference(a, a + 1).interval)]

    promised = expected(Components({"system": 1.0, **true}, {}, 1), size)

    assert np.mean(means) / 2 == pytest.approx(promised.mean, rel=0.08)
    assert np.mean(differences) / 2 == pytest.approx(promised.difference, rel=0.08)


def test_more_raters_items_and_ratings_never_widen_what_is_expected():
    halves = [
        [half_width(PILOT, size, of) for size in sizes]
        for of in ("difference", "mean")
        for sizes in (
            [Size(it, 12, 3) for it in (3, 6, 12, 50, 400)],
            [Size(20, it, 3) for it in (3, 6, 12, 50, 400)],
            [Size(20, 12, it) for it in (1, 2, 4, 8, 12)],
        )
    ]

    assert halves == [sorted(it, reverse=True) for it in halves]


def test_fewest_raters_suffice_and_one_less_does_not():
    needed = raters_needed(PILOT, half=0.4, items=60, per_response=3, of="mean")

    assert half_width(PILOT, Size(60, needed, 3), "mean") <= 0.4 < half_width(PILOT, Size(60, needed - 1, 3), "mean")
    assert raters_needed(PILOT, half=0.01, items=60, per_response=3, of="mean") is None


def test_designs_that_reach_a_width_are_each_the_smallest():
    found = reaching(PILOT, half=0.4, raters=6)

    assert [it.size.per_response for it in found] == [1, 2, 3, 4, 5, 6]
    for it in found:
        assert (
            it.difference <= 0.4 < half_width(PILOT, Size(it.size.items - 1, 6, it.size.per_response), "difference")
        )
    assert reaching(PILOT, half=0.4, raters=6, most=found[-1].size.items - 1) == ()


def test_fewer_than_three_raters_or_items_have_no_width_and_still_coefficients():
    for size in (Size(20, 2, 2), Size(2, 20, 3)):
        found = expected(PILOT, size)
        assert (found.mean, found.difference, found.plain_difference) == (None, None, None)
        assert 0 < found.dependability < found.reliability < 1


def test_variance_between_few_raters_is_known_as_a_chi_square_says():
    rng = np.random.default_rng(22)
    found = rng.normal(0, 2, (4_000, 5)).var(axis=1, ddof=1)
    low, high = known_within(5)

    assert np.mean((found * low <= 4) & (found * high >= 4)) == pytest.approx(0.95, abs=0.012)
    assert known_within(1) is None
