import math
import random

import numpy as np
import pytest

from campaigns.audio.signals.staircase import EASIEST_DB, HARDEST_DB, MOST_PAIRS, Staircase, climb
from tests.cases import each


def listen(threshold: float, rng: random.Random, slope: float = 1.0) -> Staircase:
    """Somebody whose answers are right with a chance that falls from 1 to 1/2, and is 70.7 % at the threshold."""
    shift = math.log(0.586 / 0.414)
    right: list[bool] = []
    while not (stairs := climb(right)).is_over:
        right.append(rng.random() < 0.5 + 0.5 / (1 + math.exp((stairs.snr_db - threshold) / slope + shift)))
    return stairs


@each("threshold", [32, 34, 36, 38, 40, 42, 44, 46])
def test_staircase_finds_the_threshold_of_a_simulated_listener(threshold):
    """Within 2 dB on average over 500 listeners; a single run is off by about 3 dB."""
    rng = random.Random(threshold)
    runs = [listen(threshold, rng).threshold_db for _ in range(500)]
    found = [run for run in runs if run is not None]

    assert len(found) >= 450
    assert np.mean(found) == pytest.approx(threshold, abs=2)
    assert np.std(found) < 3.3


def test_who_guesses_hardly_ever_passes():
    """At the usual 36 dB, one in twenty."""
    rng = random.Random(1)
    runs = [listen(-100, rng).threshold_db for _ in range(2000)]

    assert sum(run is not None and run >= 36 for run in runs) / len(runs) < 0.06


@each(
    "right, levels",
    [
        ([True] * 8, [30, 30, 36, 36, 42, 42, 48, 48, 48]),
        ([True, True, False, True, True, False], [30, 30, 36, 34, 34, 36, 34]),
        ([False, False], [30, 30, 30]),
    ],
)
def test_two_right_make_it_harder_and_one_wrong_easier(right, levels):
    assert [climb(right[:n]).snr_db for n in range(len(right) + 1)] == levels


def test_staircase_is_over_after_six_turns_or_all_pairs():
    turning = [True, True] + [False, True, True] * 3

    assert climb(turning[:-1]).is_over is False
    over = climb(turning)
    assert (over.is_over, over.turns) == (True, (36, 34, 36, 34, 36, 34))
    assert over.threshold_db == pytest.approx((34 + 36 + 34 + 36 + 34) / 5)
    assert climb([True] * MOST_PAIRS).threshold_db == HARDEST_DB


def test_three_wrong_at_the_easiest_leave_no_threshold():
    stairs = climb([False, True, False, True, False])

    assert (stairs.is_over, stairs.threshold_db, stairs.snr_db) == (True, None, EASIEST_DB)
