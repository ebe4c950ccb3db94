"""From what a row says to its line in the table of answers."""

from collections.abc import Iterator, Mapping
from typing import Any

from campaigns.tidy.cells import as_json, csv_line
from campaigns.tidy.rows import MARK, TIDY_COLUMNS, Given, TidyRow, TidyUnit


def header_line() -> str:
    return csv_line(TIDY_COLUMNS)


def line_of(row: TidyRow) -> str:
    return csv_line(cells_of(row))


def cells_of(row: TidyRow) -> tuple[object, ...]:
    """The row's cells, by TIDY_COLUMNS. JSON has its names in one order, whatever order they come in."""
    origin, unit, given, answer = row.origin, row.unit, row.given, row.answer
    systems = unit.systems
    return (
        origin.campaign, origin.protocol, origin.digest, *_unit_cells(unit), given.annotator, given.order,
        answer.aspect, answer.slot, systems.get(answer.slot), answer.value, answer.acceptable_a, answer.acceptable_b,
        *_given_cells(given),
    )  # fmt: skip


def _unit_cells(unit: TidyUnit) -> Iterator[object]:
    yield from (unit.key, unit.kind, unit.item, unit.category, unit.systems.get("a"), unit.systems.get("b"))
    for by_slot in (unit.systems, unit.responses):
        yield as_json({slot: by_slot[slot] for slot in sorted(by_slot)})


def _given_cells(given: Given) -> Iterator[object]:
    yield from (given.confidence, given.flag, as_json([{name: mark[name] for name in MARK} for mark in given.marks]))
    for time in (given.shown_at, given.recorded_at):
        yield time.isoformat() if time else None
    yield from (given.seconds, given.revision, *_heard_cells(given.listening), given.language)
    yield from (given.purpose, given.excluded, given.excluded_by)
    yield as_json({name: given.expected[name] for name in sorted(given.expected)})
    yield given.propensity


def _heard_cells(listening: Mapping[str, Any]) -> Iterator[object]:
    clips = listening.get("clips", {})
    for what in ("coverage", "plays"):
        yield as_json({clip: clips[clip][what] for clip in sorted(clips, key=_place)})
    for what in ("played_s", "switches", "hidden_s"):
        yield listening.get(what)


def _place(clip: str) -> tuple[bool, str, int]:
    """The prompt's turns first, then those of each slot."""
    slot, turn = clip.split("-")
    return slot != "prompt", slot, int(turn)
