"""How many votes until the first places of a board are settled: arenas that are simulated until they stop.

Systems stand one gap apart; voters and items have tastes of their own (0.5 in log-odds); pairs are drawn at random.
The board is rated as the real one is, with intervals that hold at every look, and looked at after 50 votes and each
time there are a quarter more.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.arrays import Floats, Ints
from stats.ratings.elo import POINTS
from stats.ratings.errors import OverClusters
from stats.ratings.table import RatingTable, rate
from stats.ratings.votes import FIRST, SECOND, TIE, Votes, count_votes

ARENAS = 20
#: An arena that has not stopped by then is given up.
MOST_VOTES = 20_000
TASTE = 0.5
_FIRST_LOOK, _MORE = 50, 1.25


@dataclass(frozen=True)
class World:
    """What one believes of an arena before it opens: `gap` in points between neighbours, `ties` as a share."""

    systems: int
    gap: float
    ties: float
    voters: int
    items: int


@dataclass(frozen=True, eq=False)
class Rehearsed:
    """The votes at which each simulated arena stopped, infinite where it did not, and how many stopped wrongly."""

    votes: Floats
    wrong: int

    @property
    def stopped(self) -> int:
        return int(np.isfinite(self.votes).sum())

    def quantile(self, share: float) -> float | None:
        """The number of votes by which this share of the arenas has stopped; None where fewer did."""
        place = int(np.ceil(share * len(self.votes))) - 1
        found = float(np.sort(self.votes)[place])
        return found if np.isfinite(found) else None


def rehearse(world: World, places: int, *, rng: np.random.Generator, arenas: int = ARENAS) -> Rehearsed:
    """Simulate arenas until each of the first `places` is settled. Raises ValueError for more places than systems."""
    if not 1 <= places <= world.systems:
        raise ValueError(f"{places} places of {world.systems} systems")
    found = [_stop(world, places, rng) for _ in range(arenas)]
    return Rehearsed(np.array([votes for votes, _ in found]), sum(not right for _, right in found))


def _stop(world: World, places: int, rng: np.random.Generator) -> tuple[float, bool]:
    """The vote at which it stops, and whether the places are then those of the truth."""
    for votes, voters, items in _looks(world, rng):
        tables = rate(count_votes(votes), errors=OverClusters(votes, voters, items, watched=True))
        if len(tables) == 1 and (order := _settled(tables[0], places)):
            return float(len(votes.first)), order == list(votes.systems[:places])
    return np.inf, True


def _settled(table: RatingTable, places: int) -> list[str]:
    """The systems on the first places, if each can be on no other; else nobody."""
    at = {ranks[0]: it.system for it in table.ratings if (ranks := it.ranks) and ranks[0] == ranks[1]}
    order = [at[place] for place in range(1, places + 1) if place in at]
    return order if len(order) == places else []


def _looks(world: World, rng: np.random.Generator) -> Iterator[tuple[Votes, Ints, Ints]]:
    """The votes so far at each look, with their voters and items; the systems stand in the order of the truth."""
    names = tuple(f"S{n}" for n in range(world.systems))
    strength = -np.arange(world.systems) * world.gap / POINTS
    tastes = rng.normal(0, TASTE, (world.voters, world.systems))
    of_items = rng.normal(0, TASTE, (world.items, world.systems))
    columns, n = np.zeros((5, 0), dtype=np.int64), 0
    while n < MOST_VOTES:
        step = max(_FIRST_LOOK if n == 0 else 1, int(n * (_MORE - 1)))
        first = rng.integers(world.systems, size=step)
        second = (first + rng.integers(1, world.systems, size=step)) % world.systems
        voter, item = rng.integers(world.voters, size=step), rng.integers(world.items, size=step)
        appeal, row = strength + tastes[voter] + of_items[item], np.arange(step)
        wins = rng.random(step) < 1 / (1 + np.exp(appeal[row, second] - appeal[row, first]))
        outcome = np.where(rng.random(step) < world.ties, TIE, np.where(wins, FIRST, SECOND))
        columns = np.concatenate([columns, np.stack([first, second, outcome, voter, item])], axis=1)
        n += step
        one, other, came, voters, items = columns
        yield Votes(one, other, came, names), voters, items
