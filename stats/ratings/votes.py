"""Votes between two systems, and the table that counts them by presented order and outcome."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from stats.arrays import Bools, Floats, Ints

FIRST, SECOND, BOTH_GOOD, BOTH_BAD = range(4)
#: The outcomes of protocols whose ties have no type.
TIE = 2

Ties = Literal["typed", "untyped", "none"]

_OUTCOMES: dict[Ties, int] = {"typed": 4, "untyped": 3, "none": 2}

Integers = NDArray[np.integer]


@dataclass(frozen=True, eq=False)
class Votes:
    """One vote per place: which system was presented first and second, by place in `systems`, and the outcome.

    Outcomes are FIRST, SECOND, and then BOTH_GOOD and BOTH_BAD, or TIE, or nothing, as `ties` says.
    """

    first: Integers
    second: Integers
    outcome: Integers
    systems: tuple[str, ...]
    ties: Ties = "typed"

    def __post_init__(self) -> None:
        if not len(self.first) == len(self.second) == len(self.outcome):
            raise ValueError("votes need a first system, a second system and an outcome each")
        for places, size in ((self.first, len(self.systems)), (self.second, len(self.systems)), (self.outcome, 4)):
            if len(places) and not 0 <= places.min() <= places.max() < size:
                raise ValueError("a vote names a system or an outcome that is not there")
        if len(self.outcome) and self.outcome.max() >= _OUTCOMES[self.ties]:
            raise ValueError(f"an outcome of {self.outcome.max()} where ties are {self.ties}")

    def scores(self) -> Floats:
        """What each vote gives to the system presented first: 1, 0, or ½ for a tie of any kind."""
        return np.array([1.0, 0.0, 0.5, 0.5])[self.outcome]

    def between(self, places: Ints) -> tuple["Votes", Bools]:
        """The votes between two of these systems, and which of all the votes those are."""
        if np.array_equal(places, np.arange(len(self.systems))):
            return self, np.ones(len(self.first), dtype=bool)
        place = np.full(len(self.systems), -1)
        place[places] = np.arange(len(places))
        first, second = place[self.first], place[self.second]
        kept = (first >= 0) & (second >= 0)
        systems = tuple(self.systems[at] for at in places)
        return Votes(first[kept], second[kept], self.outcome[kept], systems, self.ties), kept

    def where(self, kept: Bools | Ints) -> "Votes":
        """Those of the votes, or these places in their order, between the same systems."""
        return Votes(self.first[kept], self.second[kept], self.outcome[kept], self.systems, self.ties)


@dataclass(frozen=True, eq=False)
class Counts:
    """How often each ordered pair of systems had each outcome: `table`, shape (systems, systems, outcomes).

    `table[i, j, FIRST]` is how often i, presented first, won over j. The presented order and the type of ties are
    never thrown away; what follows from them is computed when it is asked for.
    """

    table: Ints
    systems: tuple[str, ...]

    def __post_init__(self) -> None:
        size = len(self.systems)
        if self.table.shape[:2] != (size, size) or self.table.shape[2] not in _OUTCOMES.values():
            raise ValueError(f"a table of shape {self.table.shape} counts no votes between {size} systems")
        if (self.table < 0).any():
            raise ValueError("nothing can have happened fewer than zero times")

    @property
    def ties(self) -> Ties:
        return next(ties for ties, size in _OUTCOMES.items() if size == self.table.shape[2])

    @property
    def n(self) -> int:
        """All votes, those of a system against itself among them."""
        return int(self.table.sum())

    @property
    def n_against_itself(self) -> int:
        return int(np.trace(self.table).sum())

    def wins(self) -> Ints:
        """How often the system of the row won over that of the column, shape (systems, systems)."""
        return _without_self(self.table[:, :, FIRST] + self.table[:, :, SECOND].T)

    def tied(self, *outcomes: int) -> Ints:
        """How often two systems tied, shape (systems, systems), symmetric; by default in whatever way."""
        chosen = self.table[:, :, list(outcomes)] if outcomes else self.table[:, :, TIE:]
        ties: Ints = chosen.sum(axis=2)
        return _without_self(ties + ties.T)

    def scores(self) -> Floats:
        """What the row's system took from the column's: a win is 1, a tie half, shape (systems, systems)."""
        return self.wins() + self.tied() / 2

    def without_both_bad(self) -> "Counts":
        """The table without the votes that found both bad."""
        if self.ties != "typed":
            raise ValueError(f"where ties are {self.ties}, no vote says that both are bad")
        table = self.table.copy()
        table[:, :, BOTH_BAD] = 0
        return Counts(table, self.systems)

    def among(self, kept: Bools) -> "Counts":
        """The votes between these systems, in the table of all."""
        return Counts(self.table * (kept[:, np.newaxis] & kept)[..., np.newaxis], self.systems)

    def between(self, places: Sequence[int] | Ints) -> "Counts":
        """The table of these systems alone."""
        chosen = list(places)
        return Counts(self.table[np.ix_(chosen, chosen)], tuple(self.systems[place] for place in chosen))


def count_votes(votes: Votes) -> Counts:
    """Count votes by ordered pair and outcome.

    >>> counts = count_votes(Votes(np.array([0, 1]), np.array([1, 0]), np.array([FIRST, SECOND]), ("A", "B")))
    >>> counts.wins().tolist()
    [[0, 2], [0, 0]]
    """
    size, outcomes = len(votes.systems), _OUTCOMES[votes.ties]
    cell = votes.first.astype(np.int64) * size
    cell += votes.second
    cell *= outcomes
    cell += votes.outcome
    table = np.bincount(cell, minlength=size * size * outcomes)
    return Counts(table.reshape(size, size, outcomes), votes.systems)


def _without_self(table: Ints) -> Ints:
    np.fill_diagonal(table, 0)
    return table
