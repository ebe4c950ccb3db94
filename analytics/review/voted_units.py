"""Units with the votes on them, to be heard by those who may know the systems."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.models import Clip, ResponseTurn, System, Turn, Unit
from judges.models import Run, Verdict
from measurements.identity_leaks.units import IdentityLeak, identity_leaks_of

MOST_UNITS = 200


@dataclass(frozen=True)
class Heard:
    """What was heard of the prompt (no name), or of a system: a text, a recording, or both."""

    system: str
    turn: int
    text: str
    clip: Clip | None


@dataclass(frozen=True)
class SaidByJudge:
    """One of the verdicts that a judge's vote comes from: whom it heard first, what it said (empty: nothing)."""

    verdict: Verdict
    first: str
    said: str


@dataclass(frozen=True)
class VotedUnit:
    """A unit, and how often it was won by the one system, by the other, or ended in each kind of tie.

    `identity_leaks` are words in it that name the system; `sounds` are what was heard, turn by turn. `verdicts` are
    there where the vote is a judge's.
    """

    unit: Unit
    votes: tuple[tuple[str, int], ...]
    sounds: tuple[Heard, ...]
    identity_leaks: tuple[IdentityLeak, ...] = ()
    verdicts: tuple[SaidByJudge, ...] = ()


def voted_units(
    rows: Sequence[Mapping[str, Any]], *, one: System, run: Run | None = None, aspect: str = ""
) -> list[VotedUnit]:
    """Units by the first vote on them. The kinds of votes are `one`, `other` and the ties as they are stored.

    Where the votes are a run's, its verdicts on the aspect come along.
    """
    votes: dict[int, Counter[str]] = {}
    for row in rows:
        votes.setdefault(row["unit_of"], Counter())[_said(row, one)] += 1
    shown = list(votes)[:MOST_UNITS]
    units = Unit.objects.select_related("item", "a__system", "b__system").in_bulk(shown)
    leaks, sounds = identity_leaks_of(one.dataset, shown), _sounds(units, one)
    verdicts = _verdicts(run, units, one, aspect) if run else {}
    return [
        VotedUnit(
            units[key], tuple(sorted(votes[key].items())), tuple(sounds[key]), leaks.get(key, ()),
            tuple(verdicts.get(key, ())),
        )
        for key in shown
    ]  # fmt: skip


def _verdicts(run: Run, units: Mapping[int, Unit], one: System, aspect: str) -> dict[int, list[SaidByJudge]]:
    """By unit, order and sample. In two queries."""
    rows = Verdict.objects.filter(run=run, unit__in=units).order_by("unit", "order", "sample")
    found: dict[int, list[SaidByJudge]] = {}
    for verdict in rows.prefetch_related("answers"):
        unit = units[verdict.unit_id]
        heard = {"a": unit.a, "b": unit.b}[verdict.order[0]]
        values = [it.value for it in verdict.answers.all() if it.aspect == aspect and not it.slot]
        said = [_said({"value": value, "a_system": unit.a and unit.a.system_id}, one) for value in values]
        found.setdefault(verdict.unit_id, []).append(
            SaidByJudge(verdict, heard.system.name if heard else "", next(iter(said), ""))
        )
    return found


def _sounds(units: Mapping[int, Unit], one: System) -> dict[int, list[Heard]]:
    """By unit: in each turn the prompt, then the one system, then the other. In two queries."""
    ids = [pk for unit in units.values() for pk in (unit.a_id, unit.b_id)]
    asked: dict[int, list[Heard]] = {}
    prompts = Turn.objects.filter(item__in={unit.item_id for unit in units.values()}).select_related("clip")
    for turn in prompts:
        asked.setdefault(turn.item_id, []).append(Heard("", turn.position, turn.text, turn.clip))
    said: dict[int | None, list[Heard]] = {}
    for reply in ResponseTurn.objects.filter(response__in=ids).select_related("clip", "response__system"):
        heard = Heard(reply.response.system.name, reply.position, reply.text, reply.clip)
        said.setdefault(reply.response_id, []).append(heard)
    rank = {"": 0, one.name: 1}
    return {
        key: sorted(
            [*asked.get(unit.item_id, ()), *said.get(unit.a_id, ()), *said.get(unit.b_id, ())],
            key=lambda it: (it.turn, rank.get(it.system, 2)),
        )
        for key, unit in units.items()
    }


def _said(row: Mapping[str, Any], one: System) -> str:
    """Which system the vote names; of numbers, the sign of b against a."""
    value = str(row["value"])
    if value.lstrip("-").isdecimal() and value != "0":
        value = "a" if value.startswith("-") else "b"
    if value in {"a", "b"}:
        return "one" if (value == "a") == (row["a_system"] == one.pk) else "other"
    return value if value != "0" else "tie"
