"""Who meets next: each rule against its definition computed by brute force, and what the draws come to."""

from itertools import combinations

import numpy as np
import pytest

from arena.pairing.policy import BIAS, FLOOR, RULES, Field, NoPair, draw_item, draw_pair, draws_forth, pair_chances
from stats.arrays import Bools, Floats
from stats.ratings.bradley_terry import inverse, laplacian
from tests.cases import each


def everybody(n: int) -> Bools:
    return np.ones((n, n), dtype=bool)


def field_of(seed: int, n: int = 6, votes: int = 200) -> Field:
    rng = np.random.default_rng(seed)
    scores = np.zeros((n, n))
    for _ in range(votes):
        one, other = rng.choice(n, 2, replace=False)
        scores[one, other] += rng.choice([0.5, 1.0])
    return Field.of(scores, rng.normal(1000, 100, n))


@each("rule", RULES)
@each("seed", range(5))
def test_chances_are_a_distribution_over_the_allowed_pairs(rule: str, seed: int) -> None:
    allowed = everybody(6)
    allowed[0, 1] = allowed[1, 0] = False

    chances = pair_chances(field_of(seed), allowed, rule=rule)

    assert chances.sum() == pytest.approx(1)
    assert chances[0, 1] == 0
    assert np.array_equal(chances, np.triu(chances, 1))


@each("seed", range(5))
def test_a_optimal_weighs_pairs_by_the_fall_of_the_trace(seed: int) -> None:
    field = field_of(seed)
    pairs = list(combinations(range(6), 2))
    falls = np.array([fall_of_trace(field, one, other) for one, other in pairs])

    chances = pair_chances(field, everybody(6), rule="a_optimal")

    expected = (1 - FLOOR) * falls / falls.sum() + FLOOR / len(pairs)
    assert [chances[pair] for pair in pairs] == pytest.approx(expected, rel=1e-6)


def fall_of_trace(field: Field, one: int, other: int) -> float:
    """The same by inverting twice, before and after the vote."""
    gap = field.fit.log_odds[one] - field.fit.log_odds[other]
    weights = np.zeros(field.votes.shape)
    weights[one, other] = weights[other, one] = np.exp(gap) / (1 + np.exp(gap)) ** 2
    after = field.fit.information + laplacian(weights)
    return float(np.trace(inverse(field.fit.information)) - np.trace(inverse(after)))


def test_variance_reduction_narrows_the_win_rate_most() -> None:
    field = field_of(0)
    assert (field.votes[np.triu_indices(6, 1)] > 0).all()

    chances = pair_chances(field, everybody(6), rule="variance_reduction")

    falls = []
    for one, other in combinations(range(6), 2):
        p, n = 1 / (1 + np.exp(field.fit.log_odds[other] - field.fit.log_odds[one])), field.votes[one, other]
        falls.append(np.sqrt(p * (1 - p) / n) - np.sqrt(p * (1 - p) / (n + 1)))
    assert chances[np.triu_indices(6, 1)] == pytest.approx(np.array(falls) / sum(falls))


def test_variance_reduction_begins_with_pairs_that_never_met() -> None:
    scores = np.ones((3, 3)) - np.eye(3)
    scores[0, 2] = scores[2, 0] = 0

    chances = pair_chances(Field.of(scores, np.zeros(3)), everybody(3), rule="variance_reduction")

    assert chances[0, 2] == 1


def test_closest_elo_takes_the_pair_whose_ratings_are_closest() -> None:
    field = Field.of(np.zeros((4, 4)), np.array([1000.0, 1100.0, 1210.0, 1090.0]))

    assert pair_chances(field, everybody(4), rule="closest_elo")[1, 3] == 1


def test_closest_elo_looks_only_at_pairs_that_may_meet() -> None:
    allowed = everybody(4)
    allowed[1, 3] = allowed[3, 1] = False
    field = Field.of(np.zeros((4, 4)), np.array([1000.0, 1100.0, 1210.0, 1090.0]))

    assert pair_chances(field, allowed, rule="closest_elo")[0, 3] == 1


def test_balanced_takes_the_pairs_that_met_least_all_alike() -> None:
    scores = np.array([[0, 3, 1], [0, 0, 1], [0, 0, 0]], dtype=float)

    chances = pair_chances(Field.of(scores, np.zeros(3)), everybody(3), rule="balanced")

    assert chances.tolist() == [[0, 0, 0.5], [0, 0, 0.5], [0, 0, 0]]


def test_nobody_left_to_meet_is_said() -> None:
    with pytest.raises(NoPair):
        pair_chances(field_of(0), np.eye(6, dtype=bool))


def test_draws_come_as_often_as_their_propensity_says() -> None:
    rng = np.random.default_rng(0)
    chances = pair_chances(field_of(1), everybody(6))
    drawn = [draw_pair(chances, rng) for _ in range(20_000)]

    met = np.zeros((6, 6))
    for pair in drawn:
        assert pair.propensity == chances[pair.one, pair.other]
        met[pair.one, pair.other] += 1
    error = np.sqrt(chances * (1 - chances) / len(drawn))
    assert (np.abs(met / len(drawn) - chances) <= 4.5 * error).all()


def test_a_newcomer_is_drawn_most_of_the_time_until_its_place_is_known() -> None:
    n = 20
    scores = 5_000 * (np.ones((n, n)) - np.eye(n))
    scores[n - 1] = scores[:, n - 1] = 0

    chances = pair_chances(Field.of(scores, np.zeros(n)), everybody(n))

    assert share_of(chances, n - 1) > 0.8
    assert share_of(pair_chances(Field.of(scores, np.zeros(n)), everybody(n), rule="uniform"), n - 1) == 2 / n


def share_of(chances: Floats, place: int) -> float:
    return float(chances[place].sum() + chances[:, place].sum())


def test_items_of_a_pair_stay_balanced() -> None:
    rng, votes = np.random.default_rng(0), np.zeros(7, dtype=np.int64)
    for _ in range(50):
        votes[draw_item(votes, rng)] += 1

    assert votes.max() - votes.min() <= 1


def test_sides_of_a_pair_stay_balanced_and_cannot_be_predicted() -> None:
    rng = np.random.default_rng(0)
    imbalances, predicted = [], []
    for _ in range(300):
        forth = back = 0
        for _ in range(40):
            goes_forth = draws_forth(forth, back, rng)
            if forth != back:
                predicted.append(goes_forth == (forth < back))
            forth, back = forth + goes_forth, back + (not goes_forth)
        imbalances.append(abs(forth - back))

    assert np.mean(imbalances) < 2  # a fair coin comes to 5
    assert np.mean(predicted) == pytest.approx(BIAS, abs=0.02)
