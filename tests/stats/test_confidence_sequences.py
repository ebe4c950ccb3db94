"""Held against the integral that the closed form solves, Student's t of SciPy, and walks that were simulated."""

import numpy as np
import pytest
from scipy import integrate, stats

from stats.arrays import Floats
from stats.confidence_sequences import SCALES, reaches
from tests.cases import each


@each("variance", [0.002, 0.02, 0.3, 4.0])
@each("alpha", [0.05, 0.001])
def test_one_of_the_mixtures_of_likelihoods_is_one_over_its_part_of_alpha_at_the_end(
    variance: float, alpha: float
) -> None:
    (reach,) = reaches(np.array([variance]), level=1 - alpha)

    largest = max(share * mixed(reach, variance, scale) for scale, share in SCALES)

    assert largest == pytest.approx(1 / alpha, rel=1e-6)


def mixed(estimate: float, variance: float, scale: float) -> float:
    """The likelihood of an estimate beside that of no effect, over effects N(0, scale²)."""

    def likelihood(effect: float) -> float:
        density = float(stats.norm.pdf(effect, 0, scale))
        return density * float(np.exp((effect * estimate - effect**2 / 2) / variance))

    return float(integrate.quad(likelihood, -60, 60, points=[0, estimate], limit=1_000)[0])


@each("freedom", [1, 2, 3, 9, 39, 400])
@each("at_once", [1, 28, 190])
def test_few_clusters_widen_as_students_t_at_the_same_tail(freedom: int, at_once: int) -> None:
    variance = np.geomspace(0.002, 1, 7)

    known = reaches(variance, at_once=at_once) / np.sqrt(variance)
    found = reaches(variance, at_once=at_once, freedom=freedom) / np.sqrt(variance)

    assert found == pytest.approx(stats.t.isf(stats.norm.sf(known), freedom), rel=0.001)


def test_intervals_are_five_thirds_as_wide_as_for_one_look() -> None:
    one_look = stats.norm.isf(0.025)

    ratios = [float(reaches(np.array([(points / 173.7) ** 2]))[0] * 173.7 / points / one_look) for points in (20, 60)]

    assert ratios == pytest.approx([1.65, 1.63], abs=0.01)


def test_nothing_can_be_said_before_anything_is_known() -> None:
    assert reaches(np.array([1e6]), freedom=5).tolist() == [np.inf]


def test_nothing_varies_where_there_is_no_variance() -> None:
    assert reaches(np.zeros(2)).tolist() == [0, 0]


def walks(rng: np.random.Generator, n: int, looks: int) -> tuple[Floats, Floats]:
    """Means of normal values around 0 as they come, shape (n, looks), and their variances."""
    steps = np.arange(1, looks + 1)
    return rng.normal(0, 2, (n, looks)).cumsum(axis=1) / steps, 4 / steps


def test_walk_leaves_the_interval_at_any_time_as_seldom_as_said() -> None:
    rng = np.random.default_rng(4)
    means, variance = walks(rng, 2_000, 3_000)

    missed = (np.abs(means) > reaches(variance)).any(axis=1).mean()
    of_one_look = (np.abs(means) > stats.norm.isf(0.025) * np.sqrt(variance)).any(axis=1).mean()

    assert 0.01 < missed <= 0.05
    assert of_one_look > 0.4


def test_several_walks_hold_together() -> None:
    rng = np.random.default_rng(4)
    means, variance = walks(rng, 6_000, 500)

    outside = (np.abs(means) > reaches(variance, at_once=10)).any(axis=1)

    assert outside.reshape(600, 10).any(axis=1).mean() <= 0.05
