"""Simulated widths against theory: 1/√n, the standard error of κ, binomial shares, and the coverage of intervals."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from analytics.planning.precision.answers import answer, people
from analytics.planning.precision.widths import (
    MOST_ANSWERS,
    MOST_UNITS,
    Assumptions,
    Design,
    chances,
    kappa_of,
    plan,
    share_of,
)
from stats.ratings.elo import POINTS
from tests.cases import each

Z = float(stats.norm.isf(0.025))


def pairs(n: int, systems: int = 4, *, seed: int = 0) -> Design:
    """Every two systems equally often."""
    both = [(a, b) for a in range(systems) for b in range(a + 1, systems)]
    return Design(np.array([both[place % len(both)] for place in range(n)]), systems)


def singles(n: int, systems: int = 4) -> Design:
    return Design((np.arange(n) % systems).reshape(-1, 1), systems)


def planned(design: Design, assumed: Assumptions = Assumptions(), *, studies: int = 30):  # noqa: B008
    return plan(design, assumed, rng=np.random.default_rng(7), studies=studies)


@each("design", [pairs, singles])
def test_width_falls_with_the_root_of_the_units(design) -> None:
    few, many = planned(design(300)).widths, planned(design(1200)).widths

    for one, other in zip(few[1:], many[1:], strict=True):
        assert one.kappa / other.kappa == pytest.approx(2, rel=0.12)
        assert one.rating / other.rating == pytest.approx(2, rel=0.12)


@each("kappa", [0.2, 0.4, 0.7])
def test_width_of_kappa_is_that_of_its_standard_error(kappa: float) -> None:
    """Two people, four hundred units, no difference between systems: statsmodels has the standard error."""
    design, assumed = pairs(400), Assumptions(kappa=kappa, spread=0.0, ties=0.3)
    shares = np.array([0.35, 0.35, 0.3])
    q = math.sqrt(kappa)
    table = 400 * ((1 - q**2) * np.outer(shares, shares) + q**2 * np.diag(shares))
    error = cohens_kappa(table).std_kappa

    width = planned(design, assumed).widths[1].kappa

    assert width == pytest.approx(2 * Z * error, rel=0.06)


def test_width_of_a_share_is_that_of_the_binomial_with_one_answer() -> None:
    width = planned(singles(800), Assumptions(acceptable=0.7)).widths[0].rating

    assert width == pytest.approx(2 * Z * math.sqrt(0.7 * 0.3 / 200), rel=0.06)


def test_more_answers_to_a_share_help_as_far_as_they_differ() -> None:
    """Answers to one response are correlated by κ: the variance is that of one, times κ + (1 − κ) / m."""
    widths = planned(singles(800), Assumptions(kappa=0.5)).widths

    for width in widths:
        expected = math.sqrt(0.5 + 0.5 / width.answers)
        assert width.rating / widths[0].rating == pytest.approx(expected, rel=0.08)


def test_width_of_a_rating_is_that_of_the_information_with_one_answer() -> None:
    """Equal systems that all met equally often: the information is a Laplacian, and its inverse is known."""
    n, systems, ties = 1200, 4, 0.0
    per_pair = n / (systems * (systems - 1) / 2)
    variance = (systems - 1) / systems**2 / (per_pair / 4)

    width = planned(pairs(n, systems), Assumptions(spread=0.0, ties=ties)).widths[0].rating

    assert width == pytest.approx(2 * Z * math.sqrt(variance) * POINTS, rel=0.06)


@each("n_people", [2, 5])
def test_interval_of_kappa_covers_it_95_times_in_a_hundred(n_people: int) -> None:
    rng = np.random.default_rng(11)
    they = people(np.tile([0.35, 0.35, 0.3], (200, 1)), kappa=0.4)
    found = [kappa_of(answer(they, n_people, rng=rng), they, rng=rng).interval for _ in range(400)]

    covered = np.mean([interval.low <= 0.4 <= interval.high for interval in found if interval])

    assert covered == pytest.approx(0.95, abs=0.035)


def test_interval_of_a_share_covers_it_95_times_in_a_hundred() -> None:
    rng = np.random.default_rng(12)
    they = people(np.tile([0.7, 0.3], (150, 1)), kappa=0.4)
    found = [share_of(answer(they, 3, rng=rng), rng=rng).interval for _ in range(400)]

    covered = np.mean([interval.low <= 0.7 <= interval.high for interval in found if interval])

    assert covered == pytest.approx(0.95, abs=0.035)


def test_one_answer_has_no_kappa_and_more_never_widen() -> None:
    widths = planned(pairs(300)).widths

    assert [width.answers for width in widths] == list(range(1, MOST_ANSWERS + 1))
    assert widths[0].kappa is None
    kappas = [width.kappa for width in widths[1:]]
    ratings = [width.rating for width in widths]
    assert kappas == sorted(kappas, reverse=True)
    assert ratings == sorted(ratings, reverse=True)


def test_many_units_are_simulated_with_fewer_and_narrowed() -> None:
    small, large = planned(pairs(MOST_UNITS), studies=10), planned(pairs(4 * MOST_UNITS), studies=10)

    assert (large.n_units, large.n_simulated) == (4 * MOST_UNITS, MOST_UNITS)
    assert small.widths[2].kappa / large.widths[2].kappa == pytest.approx(2, rel=0.1)


def test_systems_that_never_met_the_others_have_a_rating_of_their_island() -> None:
    apart = Design(np.array([[0, 1], [2, 3]] * 100), 4)

    assert all(width.rating for width in planned(apart, studies=5).widths)


def test_same_seed_plans_the_same() -> None:
    assert planned(pairs(60), studies=3) == planned(pairs(60), studies=3)


def test_plan_without_units_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing to plan"):
        planned(Design(np.zeros((0, 2), dtype=int), 0))


def test_units_of_three_systems_are_no_design() -> None:
    with pytest.raises(ValueError, match="a pair of systems, or one"):
        Design(np.zeros((2, 3), dtype=int), 3)


def test_chances_follow_the_distance_of_the_systems() -> None:
    rng = np.random.default_rng(0)

    drawn = chances(pairs(6), Assumptions(ties=0.2, spread=200), rng=rng)

    assert drawn.sum(axis=1) == pytest.approx(1)
    assert drawn[:, 2] == pytest.approx(0.2)
    assert len(np.unique(drawn[:, 0].round(6))) == 6
