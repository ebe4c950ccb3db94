"""Evidence against numerical integration, against its own promise by simulation, and in its limits."""

from itertools import product

import numpy as np
import pytest
from scipy import integrate, stats

from analytics.quality.evidence import ENOUGH, FALSE_ALARMS, of_habit, of_low_mean, of_one_side, of_share, of_streak
from tests.cases import each


@each("bad, n, tolerated", [(3, 3, 0.1), (5, 8, 0.1), (1, 10, 0.25), (0, 4, 0.4), (9, 9, 0.65)])
def test_evidence_of_a_share_is_the_mean_likelihood_ratio_above_what_is_tolerated(
    bad: int, n: int, tolerated: float
) -> None:
    at = stats.binom.pmf(bad, n, tolerated)
    area, _ = integrate.quad(lambda p: stats.binom.pmf(bad, n, p), tolerated, 1)

    assert of_share(bad, n, tolerated) == pytest.approx(area / (1 - tolerated) / at, rel=1e-6)


def test_no_answers_are_no_evidence() -> None:
    assert of_share(0, 0, 0.1) == pytest.approx(1)
    assert of_one_side(0, 0, 0.65) == pytest.approx(1)
    assert of_low_mean(np.array([]), 0.5) == pytest.approx(1)
    assert of_habit(np.zeros((0, 4)), np.zeros((0, 4))) == pytest.approx(1)
    assert of_streak(np.zeros(0, dtype=bool), np.zeros(0)) == pytest.approx(1)


def test_evidence_is_one_on_average_at_what_is_tolerated() -> None:
    n, p = 12, 0.3
    mean = sum(stats.binom.pmf(k, n, p) * of_share(k, n, p) for k in range(n + 1))

    assert mean == pytest.approx(1, rel=1e-6)


def test_evidence_of_a_low_mean_is_the_mean_of_four_bets() -> None:
    scores, m = np.array([0.2, 0.7, 0.0]), 0.5
    bets = [np.prod([1 + share / (1 - m) * (m - x) for x in scores]) for share in (0.25, 0.5, 0.75, 0.95)]

    assert of_low_mean(scores, m) == pytest.approx(np.mean(bets))


def test_evidence_of_a_habit_is_the_mean_likelihood_ratio_of_every_habit() -> None:
    gave = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    fine = np.array([[0.5, 0.3], [0.8, 0.3], [0.2, 0.7]])
    ratios = []
    for value in (0, 1):
        for habit in (0.6, 0.75, 0.9, 0.97, 1 - 1e-9):
            q = np.maximum(habit, fine[:, value])
            ratio = np.where(gave[:, value] == 1, q / fine[:, value], (1 - q) / (1 - fine[:, value]))
            ratios.append(np.prod(ratio))

    assert of_habit(gave, fine) == pytest.approx(np.mean(ratios))


def test_evidence_of_a_streak_is_the_mean_likelihood_ratio_of_every_beginning() -> None:
    again, fine = np.array([False, True, True]), np.array([0.5, 0.3, 0.8])
    mean = 1 / 4  # of those that have not begun yet
    for start, weight in enumerate((1 / 2, 1 / 6, 1 / 12)):
        for strength in (0.6, 0.75, 0.9, 0.97, 1 - 1e-9):
            q = np.maximum(strength, fine)
            ratio = np.where(again, q / fine, (1 - q) / (1 - fine))
            mean += weight * np.prod(ratio[start:]) / 5

    assert of_streak(again, fine) == pytest.approx(mean)


def test_evidence_of_a_streak_is_one_on_average_at_what_is_tolerated() -> None:
    fine = np.array([0.3, 0.6, 0.45, 0.7, 0.5, 0.35, 0.55, 0.62])
    sequences = [np.array(one) for one in product([True, False], repeat=len(fine))]
    chances = [float(np.prod(np.where(one, fine, 1 - fine))) for one in sequences]

    mean = sum(chance * of_streak(one, fine) for chance, one in zip(chances, sequences, strict=True))

    assert mean == pytest.approx(1, rel=1e-6)


@each("tolerated", [0.1, 0.25, 0.4])
def test_whoever_is_at_the_limit_is_hardly_ever_accused_in_a_session_looked_at_after_every_answer(
    tolerated: float,
) -> None:
    rng, sessions = np.random.default_rng(5), 4000
    bad = np.cumsum(rng.uniform(size=(sessions, 100)) < tolerated, axis=1)
    counts = {(int(k), n): of_share(int(k), n, tolerated) for n in range(1, 101) for k in np.unique(bad[:, n - 1])}
    accused = sum(any(counts[int(k), n] >= ENOUGH for n, k in enumerate(row, start=1)) for row in bad)

    assert stats.binom.sf(accused - 1, sessions, FALSE_ALARMS) > 0.001


def test_a_plain_test_after_every_answer_would_accuse_many() -> None:
    rng = np.random.default_rng(5)
    bad = np.cumsum(rng.uniform(size=(1000, 100)) < 0.25, axis=1)
    accused = (stats.binom.sf(bad - 1, np.arange(1, 101), 0.25) < 0.05).any(axis=1)

    assert accused.mean() > 0.2


@each("chance, n", [(0.75, 12), (1.0, 4)])
def test_whoever_guesses_gold_is_mostly_caught_in_a_few_units(chance: float, n: int) -> None:
    caught = sum(stats.binom.pmf(k, n, chance) for k in range(n + 1) if of_share(k, n, 0.1) >= ENOUGH)

    assert caught > 0.95


def test_a_long_session_does_not_overflow() -> None:
    assert np.isfinite(of_share(100_000, 100_000, 0.1))
    assert of_share(0, 100_000, 0.1) == pytest.approx(0, abs=1e-9)
