"""The units behind a cell of the matrix."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from campaigns.models import System

MOST_UNITS = 200


@dataclass(frozen=True)
class VotedUnit:
    """A unit, and how often it was won by the one system, by the other, or ended in each kind of tie."""

    key: str
    item: int
    item_key: str
    votes: tuple[tuple[str, int], ...]


def voted_units(rows: Iterable[Mapping[str, Any]], *, one: System) -> list[VotedUnit]:
    """Units by the first vote on them. The kinds of votes are `one`, `other` and the ties as they are stored."""
    votes: dict[str, Counter[str]] = {}
    about: dict[str, Mapping[str, Any]] = {}
    for row in rows:
        about.setdefault(row["unit_key"], row)
        votes.setdefault(row["unit_key"], Counter())[_said(row, one)] += 1
    return [
        VotedUnit(key, row["item"], row["item_key"], tuple(sorted(votes[key].items()))) for key, row in about.items()
    ]


def _said(row: Mapping[str, Any], one: System) -> str:
    """Which system the vote names; of numbers, the sign of b against a."""
    value = str(row["value"])
    if value.lstrip("-").isdecimal() and value != "0":
        value = "b" if int(value) > 0 else "a"
    if value in {"a", "b"}:
        return "one" if (value == "a") == (row["a_system"] == one.pk) else "other"
    return value if value != "0" else "tie"
