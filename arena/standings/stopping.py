"""Rules of stopping that read a board: its first places are settled, or no further place is worth its price.

The board is the one that is shown first: the first question, every vote that is used. A place is settled when the
system on it, by ranks that hold for all systems and at every look together, can be on no other. What further votes
would cost is an estimate, which decides only when to stop; what the board claims then does not depend on it.
"""

import math
from collections.abc import Iterator, Mapping

from analytics.data.votes.table import questions
from arena.standings.choices import Settings
from arena.standings.refresh import refresh
from arena.standings.tables import Json
from campaigns.launch.stopping import Look
from campaigns.models import Campaign
from campaigns.reasons import (
    NO_BOARD_YET,
    NO_PLACE_IS_OPEN,
    PLACES_OF_SYSTEMS,
    PLACES_SETTLED,
    WORTH_ITS_PRICE,
)


def first_places(campaign: Campaign, said: Mapping[str, float]) -> Look:
    """Whether each of the first `places` is settled."""
    if (rows := _rows(campaign)) is None:
        return Look(False, NO_BOARD_YET())
    if (wanted := int(said["places"])) > len(rows):
        return Look(False, PLACES_OF_SYSTEMS(of=wanted, systems=len(rows)))
    n = n_settled(rows[:wanted])
    return Look(n == wanted, PLACES_SETTLED(settled=n, of=wanted))


def worth_of_places(campaign: Campaign, said: Mapping[str, float]) -> Look:
    """Whether settling the cheapest open place would cost more than it is worth, at this price for each answer."""
    table = _table(campaign)
    if table is None or not (island := _largest(table)):
        return Look(False, NO_BOARD_YET())
    more = min(votes_to_settle(island), default=None)
    if more is None:
        return Look(True, NO_PLACE_IS_OPEN())
    cost = more * said["price"]
    return Look(cost > said["worth"], WORTH_ITS_PRICE(n=more, cost=f"{cost:.2f}", worth=f"{said['worth']:.2f}"))


def n_settled(rows: list[Json]) -> int:
    """How many of these systems, which stand in the order of their ratings, can be on no other place.

    >>> n_settled([{"ranks": [1, 1]}, {"ranks": [2, 3]}, {"ranks": [2, 3]}])
    1
    """
    return sum(row["ranks"] == [place, place] for place, row in enumerate(rows, 1))


def votes_to_settle(island: Json) -> Iterator[int]:
    """About how many more votes tell each two neighbours apart that the votes do not tell apart yet.

    If the difference stays what it is, its interval excludes 0 once it is as narrow; widths fall with the square root
    of the votes.
    """
    known = {frozenset((it["of"], it["to"])): it for it in island["differences"]}
    for above, below in zip(island["rows"], island["rows"][1:], strict=False):
        found = known.get(frozenset((above["system"], below["system"])))
        if found is None or found["value"] is None or found["low"] is None or found["beats"] != "not enough data":
            continue
        reach, gap = (found["high"] - found["low"]) / 2, abs(found["value"])
        times = (reach / gap) ** 2 if gap else math.inf
        yield math.ceil(min(island["n"] * (times - 1), 1e9))


def _table(campaign: Campaign) -> Json | None:
    if not (aspects := questions(campaign)):
        return None
    standing = refresh(campaign, Settings(aspect=next(iter(aspects))))
    return standing.table if standing and standing.n else None


def _largest(table: Json) -> Json | None:
    """The systems that votes connect, if it is all of them: others could be on any place."""
    islands = table["islands"]
    return islands[0] if len(islands) == 1 else None


def _rows(campaign: Campaign) -> list[Json] | None:
    table = _table(campaign)
    island = _largest(table) if table else None
    return island["rows"] if island else None
