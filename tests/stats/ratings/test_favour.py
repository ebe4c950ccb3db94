"""Favour of voters: against the same ratio by plain integration, in simulation, and its invariants."""

import numpy as np
import pytest
from scipy import integrate
from scipy import stats as distributions
from scipy.special import expit

from benchmarks.statistics.favour import AT_TOLERANCE, alarms, attacked
from benchmarks.statistics.rigging import ATTACKS, World, honest_arena, rigged_arena
from stats.ratings import favour as favouring
from stats.ratings.bradley_terry import PRIOR_SD, bradley_terry
from stats.ratings.favour import AGAINST, ENOUGH, FOR, SIZES, TASTE, favour, favoured_together
from stats.ratings.others import boards_without
from stats.ratings.votes import Votes, count_votes

ARENA = honest_arena(World(voters=30, votes=600), np.random.default_rng(3))


def test_board_without_each_voter_is_the_fit_of_the_other_votes() -> None:
    of = np.arange(30)
    (found,) = boards_without(ARENA.votes, ARENA.voters, of, counted=np.ones(600, dtype=bool))

    for voter in (0, 7, 29):
        rest = count_votes(ARENA.votes.where(ARENA.voters != voter))
        expected = bradley_terry(rest.scores(), prior_sd=PRIOR_SD).log_odds
        assert found.log_odds[voter] - found.log_odds[voter].mean() == pytest.approx(expected, abs=1e-7)
    assert found.others.tolist() == [29] * 30


def test_evidence_is_the_ratio_of_likelihoods_averaged_over_the_board() -> None:
    found = favour(ARENA.votes, ARENA.voters, suspect=np.inf)
    (board,) = boards_without(ARENA.votes, ARENA.voters, np.arange(30), counted=np.ones(600, dtype=bool))
    voter, system = 4, 2
    mine = ARENA.voters == voter
    first, second, score = ARENA.votes.first[mine], ARENA.votes.second[mine], ARENA.votes.scores()[mine]
    turned = second == system
    ours = (first == system) | turned
    other = np.where(turned, first, second)[ours]
    x = np.where(turned, 1 - score, score)[ours]
    ahead = board.log_odds[voter, system] - board.log_odds[voter, other]
    spread = np.sqrt(board.variance[voter, system, other].mean())

    def likelihood(size: float) -> float:
        def at(error: float) -> float:
            p = expit(ahead + TASTE + size + error)
            return float(np.prod(p**x * (1 - p) ** (1 - x)) * distributions.t.pdf(error / spread, 28) / spread)

        return float(integrate.quad(at, -6 * spread, 6 * spread)[0])

    expected = np.mean([likelihood(size) for size in SIZES]) / likelihood(0.0)
    assert found.evidence[voter, system, FOR] == pytest.approx(expected, rel=0.05)


def test_favour_for_one_of_two_systems_is_one_against_the_other() -> None:
    arena = honest_arena(World(systems=2, voters=10, votes=200), np.random.default_rng(1))
    found = favour(arena.votes, arena.voters)

    assert found.evidence[:, 0, FOR] == pytest.approx(found.evidence[:, 1, AGAINST])
    assert found.taste[:, 0] == pytest.approx(-found.taste[:, 1])


def test_order_of_votes_numbers_of_voters_and_sides_change_nothing() -> None:
    order = np.random.default_rng(0).permutation(600)
    plain = favour(ARENA.votes, ARENA.voters)
    votes = ARENA.votes.where(order)
    outcome = np.where(votes.outcome < 2, 1 - votes.outcome, votes.outcome)
    other = favour(Votes(votes.second, votes.first, outcome, votes.systems, votes.ties), 29 - ARENA.voters[order])

    assert other.evidence[::-1] == pytest.approx(plain.evidence)


def test_nothing_is_known_without_two_others_or_without_votes() -> None:
    few = ARENA.voters < 2
    found = favour(ARENA.votes.where(few), ARENA.voters[few])
    none = favour(ARENA.votes, ARENA.voters, of=np.array([2, 30]))

    assert [str(why) for why in found.reason] == ["fewer than two others have voted"] * 2
    assert found.of_voters.tolist() == [1, 1]
    assert [str(why) for why in none.reason] == ["None", "no votes"]
    assert none.of_voters[1] == 1
    assert np.isnan(none.taste[1]).all()


def test_without_votes_there_is_nobody() -> None:
    nothing = np.empty(0, dtype=np.int64)
    found = favour(Votes(nothing, nothing, nothing, ()), nothing)

    assert found.reason == ()
    assert found.of_voters.tolist() == []
    assert favoured_together(found).tolist() == []


def test_strongest_is_a_system_with_votes() -> None:
    once = np.flatnonzero((ARENA.voters != 3) | (np.arange(600) == np.flatnonzero(ARENA.voters == 3)[0]))
    found = favour(ARENA.votes.where(once), ARENA.voters[once])
    system, _direction = found.strongest(3)

    assert found.n[3].sum() == 2
    assert found.n[3, system] == 1


def test_a_system_against_itself_is_no_vote() -> None:
    votes = Votes(
        np.append(ARENA.votes.first, 0), np.append(ARENA.votes.second, 0), np.append(ARENA.votes.outcome, 0),
        ARENA.votes.systems, ARENA.votes.ties,
    )  # fmt: skip
    found = favour(votes, np.append(ARENA.voters, 0))

    assert found.evidence == pytest.approx(favour(ARENA.votes, ARENA.voters).evidence)


def test_a_taste_below_none_is_refused() -> None:
    with pytest.raises(ValueError, match="no size of a taste"):
        favour(ARENA.votes, ARENA.voters, taste=-0.1)


def test_boards_in_parts_are_the_boards_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = favour(ARENA.votes, ARENA.voters)
    monkeypatch.setattr("stats.ratings.others._CELLS", 300)

    assert favouring.favour(ARENA.votes, ARENA.voters).evidence == pytest.approx(at_once.evidence)


def test_mean_evidence_of_honest_voters_at_the_tolerance_is_at_most_one() -> None:
    world = World(voters=60, votes=1_200, taste=0.0, favourite=TASTE, ties=0.0)
    arenas = [honest_arena(world, np.random.default_rng(seed)) for seed in range(8)]
    found = np.concatenate([favour(it.votes, it.voters, suspect=np.inf).evidence for it in arenas])

    assert found.mean(axis=0).max() <= 1.1


def test_honest_voters_are_not_flagged_at_any_look() -> None:
    worlds = (World(), World(ties=0.0), World(taste=1.0), AT_TOLERANCE)
    found = [alarms(world, seed, looks=6) for world in worlds for seed in range(3)]

    assert np.mean([it.false for it in found]) <= 0.01


def test_attackers_are_found_and_the_rule_takes_their_lift_away() -> None:
    found = [attacked(World(), ATTACKS[1], seed) for seed in range(4)]

    assert np.mean([it.attackers for it in found]) == 1
    assert np.mean([it.honest for it in found]) == 0
    assert all(abs(it.lifts[1]) < 5 and it.lifts[0] > 50 for it in found)


def test_many_accounts_with_few_votes_show_together_or_as_a_group() -> None:
    found = [attacked(World(), next(it for it in ATTACKS if "60 accounts × 4" in it.name), seed) for seed in range(2)]

    assert [it.attackers for it in found] == [0, 0]
    assert all(it.as_group for it in found)


def test_some_favour_is_said_where_some_do_and_not_where_none_does() -> None:
    rigged = rigged_arena(World(), ATTACKS[0], np.random.default_rng(5))
    honest = honest_arena(World(), np.random.default_rng(5))

    assert favoured_together(favour(rigged.votes, rigged.voters))[World().target] >= ENOUGH
    assert favoured_together(favour(honest.votes, honest.voters)).max() < 1
