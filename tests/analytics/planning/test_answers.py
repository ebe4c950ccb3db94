"""Simulated people against what they were told to be."""

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from analytics.planning.precision.answers import answer, people
from tests.cases import each

SKEWED = [0.55, 0.25, 0.15, 0.05]


@each("kappa", [0.0, 0.2, 0.5, 0.9, 1.0])
@each("shares", [[0.5, 0.5], SKEWED])
def test_two_people_agree_by_the_kappa_that_was_assumed(kappa: float, shares: list[float]) -> None:
    rng = np.random.default_rng(1)
    they = people(np.tile(shares, (60_000, 1)), kappa=kappa)

    first, second = answer(they, 2, rng=rng).T

    assert they.kappa == pytest.approx(kappa)
    assert cohen_kappa_score(first, second) == pytest.approx(kappa, abs=0.015)


@each("kappa", [0.3, 0.6])
def test_kappa_holds_where_units_differ(kappa: float) -> None:
    rng = np.random.default_rng(2)
    chances = rng.dirichlet([2.0, 1.0, 1.0], size=60_000)
    they = people(chances, kappa=kappa)

    first, second = answer(they, 2, rng=rng).T

    assert they.kappa == pytest.approx(kappa)
    assert cohen_kappa_score(first, second) == pytest.approx(kappa, abs=0.015)


def test_units_that_differ_make_people_agree_without_any_insight() -> None:
    chances = np.array([[0.9, 0.1], [0.1, 0.9]])

    they = people(chances, kappa=0.1)

    assert they.insight == 0.0
    assert they.kappa == pytest.approx((0.82 - 0.5) / 0.5)


def test_everybody_answers_by_the_chances_whatever_the_insight() -> None:
    rng = np.random.default_rng(3)
    they = people(np.tile(SKEWED, (40_000, 1)), kappa=0.5)

    said = answer(they, 3, rng=rng)

    for person in said.T:
        assert np.bincount(person, minlength=4) / len(person) == pytest.approx(SKEWED, abs=0.01)


def test_one_answer_for_all_leaves_nothing_to_agree_on() -> None:
    they = people(np.array([[1.0, 0.0]] * 3), kappa=0.4)

    assert (they.kappa, answer(they, 2, rng=np.random.default_rng(0)).tolist()) == (0.0, [[0, 0]] * 3)
