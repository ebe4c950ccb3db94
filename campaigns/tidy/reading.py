"""From the cells of a row back to what it says. What `campaigns.tidy.writing` wrote is read as it was."""

import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from string import ascii_lowercase
from sys import intern
from typing import Any, TypeVar

from campaigns.tidy.cells import Cells, Unfit, finite, kept
from campaigns.tidy.rows import EXCLUDED_BY, MARK, Given, Origin, TidyAnswer, TidyRow, TidyUnit
from protocols import CONFIDENCE
from protocols.questions import MAX_TEXT

T = TypeVar("T")
KINDS = ("pair", "single", "item")
#: how many characters are kept of each cell, and of each text inside a cell of JSON
LONGEST = {
    "campaign": 400,
    "protocol": 400,
    "protocol_digest": 64,
    "unit": 500,
    "item": 200,
    "category": 100,
    "systems": 200,
    "responses": 500,
    "annotator": 100,
    "aspect": 60,
    "value": MAX_TEXT,
    "flag": MAX_TEXT,
    "marks": 15,
    "language": 10,
}
MOST_SLOTS, MOST_TURNS, MOST_REVISIONS = 26, 100, 10_000
MOST_SECONDS, MOST_TIMES = 1e9, 10**9 - 1
LEAST_CHANCE = 1e-12


class FaultyCells(ValueError):
    """A row that cannot be read. `errors` says why, by column."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


def read_row(row: Mapping[str, str]) -> TidyRow:
    """The row, from its cells as text by column. Raises FaultyCells with everything that is wrong."""
    cells = Cells(row)
    unit = _unit(cells)
    if "systems" in cells.errors:  # without slots there is no telling what else is wrong
        raise FaultyCells(cells.errors)
    read = TidyRow(
        Origin(_text(cells, "campaign"), _text(cells, "protocol"), _text(cells, "protocol_digest")),
        unit,
        _given(cells, unit.systems),
        _answer(cells, unit),
    )
    _compare_derived(cells, read)
    if cells.errors:
        raise FaultyCells(cells.errors)
    return read


def read_unit(row: Mapping[str, str]) -> TidyUnit:
    """What the row is about, whoever answered. Raises FaultyCells."""
    cells = Cells(row)
    unit = _unit(cells)
    if cells.errors:
        raise FaultyCells(cells.errors)
    return unit


def _text(cells: Cells, column: str, *, needed: bool = False) -> str:
    return cells.text(column, longest=LONGEST[column], needed=needed)


def _unit(cells: Cells) -> TidyUnit:
    kind = cells.one_of("kind", KINDS)
    systems = cells.json("systems", partial(_by_slot, longest=LONGEST["systems"])) or {}
    responses = cells.json("responses", partial(_by_slot, longest=LONGEST["responses"])) or {}
    if "".join(systems) != _slots(kind, len(systems)):
        cells.refuse("systems", f"A unit of kind {kind} cannot have the slots {', '.join(systems)}.")
    elif responses and responses.keys() != systems.keys():
        cells.refuse("responses", "The slots of responses are not those of systems.")
    key, item = _text(cells, "unit", needed=True), _text(cells, "item", needed=True)
    return TidyUnit(key, kind, item, _text(cells, "category"), systems, responses)


def _slots(kind: str, n: int) -> str:
    """Those that a unit must have: of a whole item, two or more."""
    return {"pair": "ab", "single": "a"}.get(kind) or ascii_lowercase[: max(n, 2)]


def _given(cells: Cells, slots: Collection[str]) -> Given:
    order = cells.text("order", longest=MOST_SLOTS)
    if order and sorted(order) != sorted(slots):
        cells.refuse("order", f"The order {order!r} does not name every slot once.")
    shown_at, recorded_at = cells.time("shown_at"), cells.time("recorded_at")
    if shown_at and not recorded_at:
        cells.refuse("recorded_at", "There is shown_at, and no recorded_at.")
    return Given(
        annotator=_text(cells, "annotator"),
        order=order,
        shown_at=shown_at,
        recorded_at=recorded_at,
        revision=cells.whole("revision", 1, MOST_REVISIONS),
        confidence=cells.whole("confidence", 1, len(CONFIDENCE.options)),
        flag=_text(cells, "flag"),
        marks=cells.json("marks", partial(_marks, slots=slots)) or (),
        listening=_listening(cells, slots),
        language=_text(cells, "language"),
        purpose=_code(cells, "purpose"),
        **_excluded(cells),
        expected=cells.json("expected", _passing) or {},
        propensity=cells.number("propensity", LEAST_CHANCE, 1),
    )


def _code(cells: Cells, column: str) -> str:
    """A word as the programme uses it for itself. Which ones there are may be more in another installation."""
    text = cells.text(column, longest=100)
    if text and not re.fullmatch(r"[a-z][a-z_]{0,11}", text):
        cells.refuse(column, f"{text!r} is not a word of at most 12 small letters.")
        return ""
    return text


def _excluded(cells: Cells) -> dict[str, str]:
    excluded, by = _code(cells, "excluded"), cells.one_of("excluded_by", ("", *EXCLUDED_BY))
    if bool(excluded) != bool(by):
        cells.refuse("excluded_by", "Of excluded and excluded_by, only one is there.")
    return {"excluded": excluded, "excluded_by": by}


def _passing(said: object) -> dict[str, list[str]]:
    if not isinstance(said, dict) or not all(isinstance(values, list) for values in said.values()):
        raise Unfit('it is to be an object by aspect, as in {"overall": ["a"]}')
    return {
        kept(name, longest=LONGEST["aspect"] + 2): [kept(value, longest=MAX_TEXT) for value in said[name]]
        for name in sorted(said)
    }


def _answer(cells: Cells, unit: TidyUnit) -> TidyAnswer:
    slot = cells.text("slot", longest=1)
    if slot and slot not in unit.systems:
        cells.refuse("slot", f"The unit has no slot {slot!r}.")
    a, b = cells.truth("acceptable_a"), cells.truth("acceptable_b")
    if (a is None) != (b is None) or (a is not None and unit.kind != "pair"):
        cells.refuse("acceptable_a", "Acceptability is said of both responses of a pair, or of neither.")
    return TidyAnswer(_text(cells, "aspect", needed=True), slot, _text(cells, "value", needed=True), a, b)


def _compare_derived(cells: Cells, row: TidyRow) -> None:
    """What follows from other cells may be empty, but may not say otherwise: it would not come out again."""
    slots = {"system_a": "a", "system_b": "b", "system": row.answer.slot}
    for column, slot in slots.items():
        said = cells.text(column, longest=LONGEST["systems"])
        if said and said != row.unit.systems.get(slot):
            cells.refuse(column, f"{said!r} is not what systems and slot say.")
    said_seconds, lasted = cells.number("seconds", -MOST_SECONDS, MOST_SECONDS), row.given.seconds
    if said_seconds is not None and (lasted is None or abs(lasted - said_seconds) > 0.001):
        cells.refuse("seconds", "The seconds are not those from shown_at to recorded_at.")


def _listening(cells: Cells, slots: Collection[str]) -> dict[str, Any]:
    """As an annotation keeps it; only what is there."""
    coverage = cells.json("coverage", partial(_by_clip, slots=slots, read=_share)) or {}
    plays = cells.json("plays", partial(_by_clip, slots=slots, read=_times)) or {}
    if coverage.keys() != plays.keys():
        cells.refuse("plays", "The clips of plays are not those of coverage.")
        return {}
    found: dict[str, Any] = {
        "clips": {intern(clip): {"coverage": coverage[clip], "plays": plays[clip]} for clip in coverage},
        "played_s": cells.number("played_s", 0, MOST_SECONDS),
        "switches": cells.whole("switches", 0, MOST_TIMES),
        "hidden_s": cells.number("hidden_s", 0, MOST_SECONDS),
    }
    return {name: value for name, value in found.items() if value not in (None, {})}


def _by_slot(said: object, *, longest: int) -> dict[str, str]:
    if not isinstance(said, dict) or not all(re.fullmatch("[a-z]", slot) for slot in said):
        raise Unfit('it is to be an object by slot, as in {"a": "…"}')
    return {slot: kept(said[slot], longest=longest) for slot in sorted(said)}


def _by_clip(said: object, *, slots: Collection[str], read: Callable[[object], T]) -> dict[str, T]:
    if not isinstance(said, dict):
        raise Unfit('it is to be an object by clip, as in {"a-1": 1}')
    for clip in said:
        slot, _, turn = clip.partition("-")
        _clip(slot, turn, slots=slots)
    return {clip: read(value) for clip, value in said.items()}


def _share(said: object) -> float:
    return finite(said, least=0, most=1)


def _times(said: object) -> int:
    if not isinstance(said, int):
        raise Unfit(f"{str(said)[:40]!r} is to be a whole number")
    return int(finite(said, least=0, most=MOST_TIMES))


def _marks(said: object, *, slots: Collection[str]) -> tuple[dict[str, Any], ...]:
    if not isinstance(said, list):
        raise Unfit("it is to be a list of marks")
    return tuple(_mark(mark, slots) for mark in said)


def _mark(said: object, slots: Collection[str]) -> dict[str, Any]:
    if not isinstance(said, dict) or set(said) != set(MARK):
        raise Unfit(f"a mark has {', '.join(MARK)}, and nothing else")
    _clip(said["slot"], str(said["turn"]), slots=slots)
    start = finite(said["start"], least=0, most=MOST_SECONDS)
    end = finite(said["end"], least=start, most=MOST_SECONDS)
    kind = kept(said["kind"], longest=LONGEST["marks"])
    return {"slot": said["slot"], "turn": int(said["turn"]), "start": start, "end": end, "kind": kind}


def _clip(slot: object, turn: str, *, slots: Collection[str]) -> None:
    """Raise Unfit unless there can be such a clip."""
    if slot not in ("prompt", *slots):
        raise Unfit(f"there is no slot {str(slot)[:40]!r}")
    if not re.fullmatch("[1-9][0-9]{0,2}", turn) or int(turn) > MOST_TURNS:
        raise Unfit(f"there is no turn {turn[:40]!r}")
