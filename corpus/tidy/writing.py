"""From what a row says to its line in the table of answers."""

from collections.abc import Iterator

from corpus.tidy.cells import as_json
from corpus.tidy.given import given_cells
from corpus.tidy.rows import TIDY_COLUMNS, TidyRow, TidyUnit
from infrastructure.files.csv_files import csv_line


def header_line() -> str:
    return csv_line(TIDY_COLUMNS)


def line_of(row: TidyRow) -> str:
    return csv_line(cells_of(row))


def cells_of(row: TidyRow) -> tuple[object, ...]:
    """The row's cells, by TIDY_COLUMNS. JSON has its names in one order, whatever order they come in."""
    origin, unit, answer = row.origin, row.unit, row.answer
    annotator, order, *given = given_cells(row.given)
    return (
        origin.campaign, origin.protocol, origin.digest, *_unit_cells(unit), annotator, order,
        answer.aspect, answer.slot, unit.systems.get(answer.slot), answer.value, answer.acceptable_a,
        answer.acceptable_b, *given,
    )  # fmt: skip


def _unit_cells(unit: TidyUnit) -> Iterator[object]:
    yield from (unit.key, unit.kind, unit.item, unit.category, unit.systems.get("a"), unit.systems.get("b"))
    for by_slot in (unit.systems, unit.responses):
        yield as_json({slot: by_slot[slot] for slot in sorted(by_slot)})
