"""How few votes or voters a place depends on, against all removals tried one by one with another library's fit."""

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import minimize

from stats.arrays import Floats
from stats.ratings.fragility import Hold, fragility
from stats.ratings.votes import FIRST, SECOND, TIE, Votes

NAMES = ("Aardwolf", "Binturong", "Cacomistle", "Dugong", "Echidna", "Fossa")


def world(seed: int, *, systems: int, votes: int, spread: float = 0.6) -> Votes:
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, spread, systems)
    first = rng.integers(0, systems, votes)
    second = (first + rng.integers(1, systems, votes)) % systems
    wins = rng.random(votes) < 1 / (1 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(votes) < 0.2, TIE, np.where(wins, FIRST, SECOND))
    return Votes(first, second, outcome, NAMES[:systems], "untyped")


def fitted(votes: Votes) -> Floats | None:
    """By SciPy's own optimiser; None where the likelihood has no maximum inside of its bounds."""
    score, size = votes.scores(), len(votes.systems)

    def loss(theta: Floats) -> float:
        difference = theta[votes.first] - theta[votes.second]
        return float(np.sum(np.logaddexp(0, difference) - score * difference))

    found = minimize(loss, np.zeros(size), method="L-BFGS-B", bounds=[(-9, 9)] * size, options={"ftol": 1e-14})
    return None if np.ptp(found.x) > 8 else np.asarray(found.x)


def smallest(votes: Votes, ahead: int, most: int) -> int | None:
    """How many votes have to go before another system that was behind is level or ahead: every removal is tried."""
    before = fitted(votes)
    assert before is not None
    behind = [it for it in range(len(before)) if before[it] < before[ahead] - 1e-6]
    n = len(votes.first)
    for size in range(1, most + 1):
        for gone in combinations(range(n), size):
            theta = fitted(votes.where(np.setdiff1d(np.arange(n), gone)))
            if theta is not None and any(theta[it] >= theta[ahead] - 1e-4 for it in behind):
                return size
    return None


@pytest.mark.parametrize("seed", range(6))
def test_small_boards_are_exact(seed: int) -> None:
    votes = world(seed, systems=3, votes=18)
    holds = fragility(votes)
    assert len(holds) == 2

    for hold in holds:
        expected = smallest(votes, NAMES.index(hold.system), most=2)
        if expected is None:
            assert hold.votes.n is None or hold.votes.n > 2
        else:
            assert (hold.votes.n, hold.votes.is_exact) == (expected, True)


@pytest.mark.parametrize(("won", "lost", "tied"), [(9, 4, 0), (9, 4, 5), (5, 4, 2), (60, 20, 1)])
def test_two_systems_need_as_many_votes_as_one_is_ahead(won: int, lost: int, tied: int) -> None:
    outcome = np.repeat([FIRST, SECOND, TIE], [won, lost, tied])
    n = won + lost + tied
    votes = Votes(np.zeros(n, dtype=int), np.ones(n, dtype=int), outcome, NAMES[:2], "untyped")

    (hold,) = fragility(votes)

    assert (hold.system, hold.votes.by) == NAMES[:2]
    assert (hold.votes.n, hold.votes.of, hold.votes.is_exact) == (won - lost, n, True)


@pytest.mark.parametrize("seed", range(4))
def test_bound_is_a_removal_that_changes_the_place(seed: int) -> None:
    """Larger boards: so many votes can go, by a search that knows nothing of influence, and the first is level."""
    votes = world(seed, systems=5, votes=300, spread=0.3)
    (hold, *_) = fragility(votes)
    assert hold.votes.n is not None

    left, n = votes, 0
    while fitted_order(left)[0] == hold.system and n < 100:
        left, n = without_the_best_one(left, hold.system, hold.votes.by), n + 1

    assert n >= hold.votes.n


def fitted_order(votes: Votes) -> list[str]:
    theta = fitted(votes)
    assert theta is not None
    return [votes.systems[it] for it in np.argsort(-theta, kind="stable")]


def without_the_best_one(votes: Votes, ahead: str, behind: str) -> Votes:
    """Without the one vote whose absence brings the two closest together, of each kind of vote tried once."""
    i, j = votes.systems.index(ahead), votes.systems.index(behind)
    kinds = np.unique(np.stack([votes.first, votes.second, votes.outcome]), axis=1, return_index=True)[1]
    tried = []
    for place in kinds:
        theta = fitted(votes.where(np.delete(np.arange(len(votes.first)), place)))
        assert theta is not None
        tried.append((theta[i] - theta[j], place))
    return votes.where(np.delete(np.arange(len(votes.first)), min(tried)[1]))


def test_presented_order_and_names_change_nothing() -> None:
    votes = world(3, systems=4, votes=40)
    turned = Votes(votes.second, votes.first, np.array([SECOND, FIRST, TIE])[votes.outcome], votes.systems, "untyped")
    relabelled = Votes(3 - votes.first, 3 - votes.second, votes.outcome, votes.systems[::-1], "untyped")

    assert fragility(turned) == fragility(votes)
    assert fragility(relabelled) == fragility(votes)


def test_one_voter_can_hold_a_place_that_needs_many_votes() -> None:
    """Binturong leads by 12 votes, all of one voter; everybody else is even."""
    outcome = np.array([SECOND] * 12 + [FIRST, SECOND] * 10)
    voters = np.array([0] * 12 + [n // 2 + 1 for n in range(20)])
    n = len(outcome)
    votes = Votes(np.zeros(n, dtype=int), np.ones(n, dtype=int), outcome, NAMES[:2], "untyped")

    (hold,) = fragility(votes, voters)

    assert hold.voters
    assert (hold.system, hold.votes.n, hold.votes.of) == ("Binturong", 12, n)
    assert (hold.voters.n, hold.voters.of, hold.voters.is_exact) == (1, 11, True)


def test_what_cannot_be_compared_afterwards_is_no_answer() -> None:
    """All three votes for one system: without them nothing is left to compare."""
    votes = Votes(np.zeros(3, dtype=int), np.ones(3, dtype=int), np.zeros(3, dtype=int), NAMES[:2], "untyped")

    (hold,) = fragility(votes)

    assert hold.votes.n is None
    assert hold.votes.share is None


def test_no_votes_and_islands() -> None:
    nothing = np.empty(0, dtype=int)
    assert fragility(Votes(nothing, nothing, nothing, NAMES[:3])) == ()

    first, second = np.array([0, 0, 0, 1, 3, 3]), np.array([1, 1, 2, 2, 4, 4])
    votes = Votes(first, second, np.array([0, 0, 0, 1, 0, 1]), NAMES[:5], "untyped")
    assert {hold.system for hold in fragility(votes)} <= set(NAMES[:3])


def test_only_the_first_places_are_examined() -> None:
    assert len(fragility(world(1, systems=6, votes=400), places=3)) == 3


def test_clear_leads_depend_on_many_more_votes_than_close_ones() -> None:
    """2,000 votes between 8 systems, equal or with one far ahead: the lead of chance and the lead that is one."""
    close, clear = (lead(gap) for gap in (0.0, 1.2))

    assert clear.system == "A"
    assert close.votes.n
    assert clear.votes.n
    assert 5 * close.votes.n < clear.votes.n


def lead(gap: float) -> Hold:
    rng = np.random.default_rng(5)
    strength = np.zeros(8)
    strength[0] = gap
    first = rng.integers(0, 8, 2_000)
    second = (first + rng.integers(1, 8, 2_000)) % 8
    wins = rng.random(2_000) < 1 / (1 + np.exp(strength[second] - strength[first]))
    (hold,) = fragility(Votes(first, second, np.where(wins, FIRST, SECOND), tuple("ABCDEFGH"), "none"), places=1)
    return hold
