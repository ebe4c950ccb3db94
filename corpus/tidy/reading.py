"""From the cells of a row back to what it says. What `corpus.tidy.writing` wrote is read as it was."""

import re
from collections.abc import Mapping
from functools import partial
from string import ascii_lowercase

from corpus.tidy import reasons
from corpus.tidy.cells import Cells, Unfit, kept
from corpus.tidy.given import MOST_SECONDS, read_given
from corpus.tidy.rows import LONGEST, Origin, TidyAnswer, TidyRow, TidyUnit
from infrastructure.wording.reasons import Reason

KINDS = ("pair", "single", "item")


class FaultyCells(ValueError):
    """A row that cannot be read. `errors` says why, by column."""

    def __init__(self, errors: dict[str, Reason]) -> None:
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
        read_given(cells, unit.systems),
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
        cells.refuse("systems", reasons.KIND_WITHOUT_SLOTS(kind=kind, slots=", ".join(systems)))
    elif responses and responses.keys() != systems.keys():
        cells.refuse("responses", reasons.SLOTS_DIFFER())
    key, item = _text(cells, "unit", needed=True), _text(cells, "item", needed=True)
    return TidyUnit(key, kind, item, _text(cells, "category"), systems, responses)


def _slots(kind: str, n: int) -> str:
    """Those that a unit must have: of a whole item, two or more."""
    return {"pair": "ab", "single": "a"}.get(kind) or ascii_lowercase[: max(n, 2)]


def _answer(cells: Cells, unit: TidyUnit) -> TidyAnswer:
    slot = cells.text("slot", longest=1)
    if slot and slot not in unit.systems:
        cells.refuse("slot", reasons.NO_SUCH_SLOT(slot=repr(slot)))
    a, b = cells.truth("acceptable_a"), cells.truth("acceptable_b")
    if (a is None) != (b is None) or (a is not None and unit.kind != "pair"):
        cells.refuse("acceptable_a", reasons.ACCEPTABILITY_OF_BOTH())
    return TidyAnswer(_text(cells, "aspect", needed=True), slot, _text(cells, "value", needed=True), a, b)


def _compare_derived(cells: Cells, row: TidyRow) -> None:
    """What follows from other cells may be empty, but may not say otherwise: it would not come out again."""
    slots = {"system_a": "a", "system_b": "b", "system": row.answer.slot}
    for column, slot in slots.items():
        said = cells.text(column, longest=LONGEST["systems"])
        if said and said != row.unit.systems.get(slot):
            cells.refuse(column, reasons.SYSTEM_DIFFERS(text=repr(said)))
    said_seconds, lasted = cells.number("seconds", -MOST_SECONDS, MOST_SECONDS), row.given.seconds
    if said_seconds is not None and (lasted is None or abs(lasted - said_seconds) > 0.001):
        cells.refuse("seconds", reasons.SECONDS_DIFFER())


def _by_slot(said: object, *, longest: int) -> dict[str, str]:
    if not isinstance(said, dict) or not all(re.fullmatch("[a-z]", slot) for slot in said):
        raise Unfit(reasons.BY_SLOT())
    return {slot: kept(said[slot], longest=longest) for slot in sorted(said)}
