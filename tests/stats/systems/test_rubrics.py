import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import cohen_kappa_score

from stats.systems.rubrics import (
    Checks,
    case_scores,
    implied_winners,
    internal_consistency,
    pseudo_agreement,
    rubric_exclusion,
    rubric_scores,
    turn_trend,
)


def simulated(rng: np.random.Generator, chances: list[float], *, n_items: int = 60, n_criteria: int = 8) -> Checks:
    """Every system answers every item, and meets each criterion with its own chance."""
    systems, items, criteria = (
        it.reshape(-1)
        for it in np.meshgrid(np.arange(len(chances)), np.arange(n_items), np.arange(n_criteria), indexing="ij")
    )
    return Checks(
        systems, items, items * n_criteria + criteria, rng.random(len(systems)) < np.array(chances)[systems]
    )


def test_every_case_has_the_same_weight_however_many_criteria_it_has():
    checks = Checks(
        np.zeros(5, dtype=np.int64),
        np.array([0, 0, 0, 0, 1]),
        np.arange(5),
        np.array([True, True, True, True, False]),
    )
    scores, systems, items = case_scores(checks)

    assert (scores.tolist(), systems.tolist(), items.tolist()) == ([1.0, 0.0], [0, 0], [0, 1])
    assert rubric_scores(checks, 2)[0].estimate == 0.5
    assert rubric_scores(checks, 2)[1].reason == "no value"


def test_scores_recover_their_chances_and_their_intervals_cover_them():
    hits = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        found = rubric_scores(simulated(rng, [0.7]), 1)[0]
        hits += found.interval.low <= 0.7 <= found.interval.high
    assert 52 <= hits <= 60


def test_the_interval_is_over_items():
    """Criteria of one item that go together widen it."""
    rng = np.random.default_rng(1)
    items = np.repeat(np.arange(40), 8)
    met = np.repeat(rng.random(40) < 0.5, 8)
    checks = Checks(np.zeros(320, dtype=np.int64), items, np.arange(320), met)
    found = rubric_scores(checks, 1)[0]

    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 * met.std() / 40**0.5, rel=0.15)


def test_consistency_is_the_kappa_of_scikit_learn_on_decided_pairs():
    rng = np.random.default_rng(2)
    explicit = rng.choice(["a", "b"], size=200).tolist()
    implied = [it if rng.random() < 0.8 else "a" for it in explicit]
    implied[:10], explicit[10:15] = ["tie"] * 10, [None] * 5
    found = internal_consistency(explicit, implied)

    assert found.estimate == pytest.approx(cohen_kappa_score(explicit[15:], implied[15:]))
    assert (found.n, [(it.n, it.why) for it in found.excluded]) == (
        185,
        [(5, "not judged both ways"), (10, "a tie on one side")],
    )


def test_typed_ties_are_no_winners():
    found = internal_consistency(["a", "both_good", "b"], ["a", "a", "b"])
    assert (found.estimate, found.n) == (1.0, 2)


def test_consistency_of_nothing_is_undefined():
    assert internal_consistency(["a"], ["tie"]).estimate is None


def test_implied_winner_has_the_higher_score():
    assert implied_winners([0.5, 0.2, 0.4, None], [0.4, 0.3, 0.4, 0.1]) == ["a", "b", "tie", None]


@given(st.floats(0, 1), st.floats(0, 1))
def test_pseudo_agreement_is_symmetric_and_does_not_care_whose_win_rate_it_is(one, other):
    found = pseudo_agreement(one, other)
    assert found == pytest.approx(pseudo_agreement(other, one))
    assert found == pytest.approx(pseudo_agreement(1 - one, 1 - other))
    assert 0 <= found <= 1


def test_pseudo_agreement_is_what_independent_evaluators_show():
    rng = np.random.default_rng(3)
    said = (rng.random(100_000) < 0.8) == (rng.random(100_000) < 0.6)
    assert pseudo_agreement(0.8, 0.6) == pytest.approx(said.mean(), abs=0.01)


def test_systems_far_apart_keep_their_ranks_when_criteria_go():
    checks = simulated(np.random.default_rng(4), [0.9, 0.7, 0.5, 0.3])
    found = rubric_exclusion(checks, 4, rng=np.random.default_rng(5), shares=[0.1, 0.9], resamples=400)

    assert found[0].rho.estimate == pytest.approx(1.0)
    assert found[1].rho.estimate > 0.95
    assert [it.undefined for it in found] == [0, 0]


def test_systems_alike_lose_them():
    checks = simulated(np.random.default_rng(6), [0.5] * 6)
    found = rubric_exclusion(checks, 6, rng=np.random.default_rng(7), shares=[0.3, 0.95], resamples=400)

    assert found[1].rho.estimate < 0.5 < found[0].rho.estimate


def test_one_exclusion_by_hand():
    checks = simulated(np.random.default_rng(8), [0.8, 0.6, 0.5, 0.4], n_items=1, n_criteria=4)
    arena = [3.0, 2.0, 1.0, 4.0]
    table = np.zeros((4, 4))
    table[checks.criteria, checks.systems] = checks.met
    kept = [[it for it in range(4) if it != gone] for gone in range(4)]
    by_hand = [stats.spearmanr(table[rows].sum(axis=0), arena).statistic for rows in kept]
    found = rubric_exclusion(checks, 4, arena, rng=np.random.default_rng(9), shares=[0.25], resamples=8000)

    assert found[0].rho.estimate == pytest.approx(np.mean(by_hand), abs=0.01)


def test_without_criteria_or_with_systems_that_rank_alike_there_is_a_reason():
    checks = simulated(np.random.default_rng(10), [0.5, 0.5, 0.5], n_items=2)
    rng = np.random.default_rng(11)
    assert rubric_exclusion(checks, 3, rng=rng, shares=[1.0])[0].rho.reason == "no criterion is left"
    alike = rubric_exclusion(checks, 3, [1.0, 1.0, 1.0], rng=rng, shares=[0.5])[0]
    assert alike.rho.reason == "fewer than three systems, or all rank alike"


def test_turn_trend_is_the_line_of_scipy():
    rng = np.random.default_rng(12)
    turns = np.repeat([1, 2, 3], 30)
    scores = 0.9 - 0.1 * turns + rng.normal(0, 0.05, size=90)
    found = turn_trend([*scores, None], [*turns, 2])

    line = stats.linregress(turns, scores)
    assert found.slope.estimate == pytest.approx(line.slope)
    assert found.slope.interval.low < -0.1 < found.slope.interval.high
    assert [it.estimate for it in found.means] == pytest.approx([scores[turns == turn].mean() for turn in (1, 2, 3)])
    assert [(it.n, it.why) for it in found.slope.excluded] == [(1, "no score")]


def test_a_trend_on_one_turn_is_undefined():
    assert turn_trend([0.1, 0.2, 0.3], [1, 1, 1]).slope.estimate is None
    assert turn_trend([], []).means == ()


def test_scores_on_one_line_have_a_slope_without_an_interval() -> None:
    for scores, slope in (([1.0, 1.0, 1.0, 1.0], 0.0), ([1.0, 0.5, 1.0, 0.5], -0.5)):
        found = turn_trend(scores, [1, 2, 1, 2]).slope
        assert (found.estimate, found.interval) == (pytest.approx(slope), None)
        assert found.reason == "scores that all lie on one line say nothing of how others would vary"
