"""The units behind a cell of the matrix."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from campaigns.models import System, Unit
from judges.telling_units import Telling, tellings_of

MOST_UNITS = 200


@dataclass(frozen=True)
class VotedUnit:
    """A unit, and how often it was won by the one system, by the other, or ended in each kind of tie.

    `tellings` are words in it that tell who speaks.
    """

    unit: Unit
    votes: tuple[tuple[str, int], ...]
    tellings: tuple[Telling, ...] = ()


def voted_units(rows: Sequence[Mapping[str, Any]], *, one: System) -> list[VotedUnit]:
    """Units by the first vote on them. The kinds of votes are `one`, `other` and the ties as they are stored."""
    votes: dict[int, Counter[str]] = {}
    for row in rows:
        votes.setdefault(row["unit_of"], Counter())[_said(row, one)] += 1
    shown = list(votes)[:MOST_UNITS]
    units = Unit.objects.select_related("item").in_bulk(shown)
    tells = tellings_of(one.dataset, shown)
    return [VotedUnit(units[key], tuple(sorted(votes[key].items())), tells.get(key, ())) for key in shown]


def _said(row: Mapping[str, Any], one: System) -> str:
    """Which system the vote names; of numbers, the sign of b against a."""
    value = str(row["value"])
    if value.lstrip("-").isdecimal() and value != "0":
        value = "b" if int(value) > 0 else "a"
    if value in {"a", "b"}:
        return "one" if (value == "a") == (row["a_system"] == one.pk) else "other"
    return value if value != "0" else "tie"
