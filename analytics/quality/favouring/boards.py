"""The board with some voters and without them, side by side."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from analytics.quality.favouring.weighed import Weighed
from stats.arrays import Bools
from stats.ratings.table import rate
from stats.ratings.votes import count_votes


@dataclass(frozen=True)
class Stand:
    """A system's place and rating in points, or None where votes do not rate it together with most others."""

    place: int | None
    rating: float | None


@dataclass(frozen=True)
class BoardRow:
    system: int
    with_them: Stand
    without: Stand

    @property
    def moved(self) -> int:
        """How many places higher the system stands with them."""
        if self.with_them.place is None or self.without.place is None:
            return 0
        return self.without.place - self.with_them.place


def boards(found: Weighed, members: Collection[int]) -> list[BoardRow]:
    """Every system with the votes of these members, be they used or not, and without them; best without them first.

    Ratings are Bradley–Terry with ties as half wins, of the largest group of systems that votes connect, whatever
    the board's own settings are.
    """
    theirs = np.isin(np.array(found.members, dtype=int)[found.cast.voters], list(members))
    with_them, without = _stands(found, found.used | theirs), _stands(found, found.used & ~theirs)
    rows = [BoardRow(system, with_them[system], without[system]) for system in range(len(found.favours.systems))]
    return sorted(rows, key=lambda row: (row.without.place is None, row.without.place or 0, row.system))


def _stands(found: Weighed, kept: Bools) -> list[Stand]:
    tables = rate(count_votes(found.cast.votes.where(kept)))
    largest = max(tables, key=lambda table: len(table.ratings))
    points = {it.system: it.rating.estimate for it in largest.ratings if it.rating.estimate is not None}
    return [
        Stand(1 + sum(other > points[name] for other in points.values()), points[name])
        if name in points
        else Stand(None, None)
        for name in found.favours.systems
    ]
