"""Ratings as arrays, and how they are grouped by what they have in common."""

from dataclasses import dataclass

import numpy as np

from stats.arrays import Bools, Floats, Ints


@dataclass(frozen=True, eq=False)
class Rated:
    """An entry per rating: its value, and the numbers of the system and item that it is about, and of its rater."""

    values: Floats
    systems: Ints
    items: Ints
    raters: Ints

    def __post_init__(self) -> None:
        if len({len(it) for it in (self.values, self.systems, self.items, self.raters)}) != 1:
            raise ValueError("every rating has a value, a system, an item and a rater")

    def __len__(self) -> int:
        return len(self.values)

    def where(self, kept: Bools) -> "Rated":
        return Rated(self.values[kept], self.systems[kept], self.items[kept], self.raters[kept])


def groups(*kinds: Ints) -> Ints:
    """The group of each rating, counted from 0: those that are alike in all these kinds are one.

    >>> groups(np.array([5, 5, 9]), np.array([1, 1, 1])).tolist()
    [0, 0, 1]
    """
    found = np.unique(kinds[0], return_inverse=True)[1].reshape(-1)
    for kind in kinds[1:]:
        other = np.unique(kind, return_inverse=True)[1].reshape(-1)
        found = np.unique(found * (int(other.max(initial=0)) + 1) + other, return_inverse=True)[1].reshape(-1)
    return np.asarray(found, dtype=np.int64)
