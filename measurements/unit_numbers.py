"""Numbers about units that were found elsewhere, as a table: a column with the unit's key, and columns of numbers.

A name with `_a` or `_b` at its end is of one response; both together tell the two apart: `tokens_a` and `tokens_b`.
"""

import math
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from django.db import transaction

from corpus.imports.files.rows import Row, read_rows
from corpus.imports.plan import Problem
from corpus.models import Dataset, Unit
from measurements import reasons
from measurements.imported_tables import CheckedTable, FaultyRow

#: What the column with a unit's key is called, the first that is there.
KEYS = ("unit", "item_id", "index", "pair")
LONGEST_NAME = 60
#: Columns of imports that are written as numbers and are none: labels, verdicts, keys.
NO_NUMBERS = frozenset({
    "ground_truth", "prediction", "correct", "label", "winner", "preference", "verdict", "instruction_id", "index",
    "item_id", "question_id", "prompt_id", "seed", "n_shots",
})  # fmt: skip
#: So many units are looked at for names.
LOOKED_AT = 20
Key = tuple[str, str]
Checked = CheckedTable[Key, float]


def number_names(dataset: Dataset) -> tuple[str, ...]:
    """What some of a dataset's units have, from few rows, by name."""
    rows = Unit.objects.filter(dataset=dataset).order_by("pk").values_list("source", "numbers")
    some = [*rows[:LOOKED_AT], *rows.exclude(numbers={})[:LOOKED_AT]]
    return tuple(sorted({name for row in some for name in numbers_of(*row)}))


def import_numbers(dataset: Dataset, path: Path, *, key: str = "", columns: Collection[str] = ()) -> Checked:
    """Write the numbers of a CSV, JSON Lines or Parquet file, all of them or, where a cell is at fault, none.

    `key` names the column of units, `columns` those that are taken, else all others. Raises UnreadableManifest where
    it is no table.
    """
    units = {unit.key: unit for unit in Unit.objects.filter(dataset=dataset)}
    checked = check_numbers(read_rows(path), units, key=key, columns=columns)
    if not checked.problems:
        changed = {name for name, _column in checked.new}
        for (unit, column), value in checked.new.items():
            units[unit].numbers[column] = value
        with transaction.atomic():
            Unit.objects.bulk_update([units[it] for it in sorted(changed)], ["numbers"], 500)
    return checked


def check_numbers(
    rows: list[tuple[int, Row]], units: Mapping[str, Unit], *, key: str = "", columns: Collection[str] = ()
) -> Checked:
    """What the rows would bring. Writes nothing."""
    checked = Checked()
    there = list(dict.fromkeys(name for _, row in rows for name in row))
    key = key or next((name for name in KEYS if name in there), "")
    wanted = list(columns) or [name for name in there if name != key]
    for name in [key or KEYS[0], *wanted]:
        if name not in there:
            why = reasons.TABLE_LACKS_COLUMN(column=name, columns=", ".join(there))
            checked.problems.append(Problem(None, name, why))
        elif len(name) > LONGEST_NAME:
            checked.problems.append(Problem(None, name[:LONGEST_NAME], reasons.NAME_TOO_LONG(most=LONGEST_NAME)))
    if checked.problems:
        return checked
    for number, row in rows:
        try:
            _take(checked, row, units, key, wanted)
        except FaultyRow as fault:
            checked.problems.append(Problem(number, "row", fault.reason))
    return checked


def _take(checked: Checked, row: Row, units: Mapping[str, Unit], key: str, wanted: list[str]) -> None:
    name = _cell(row, key)
    if (unit := units.get(name)) is None:
        raise FaultyRow(reasons.NO_SUCH_UNIT(unit=repr(name)))
    for column in wanted:
        if not (said := _cell(row, column)):
            continue
        value = _number(said, column)
        known = checked.new.get((name, column), unit.numbers.get(column))
        if known is None:
            checked.new[name, column] = value
        elif known == value:
            checked.n_known += 1
        else:
            raise FaultyRow(reasons.NUMBER_IS_THERE(column=column, unit=name))


def _number(said: str, column: str) -> float:
    try:
        value = float(said)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FaultyRow(reasons.CELL_IS_NO_NUMBER(column=column, text=repr(said[:20])))
    return value


def _cell(row: Row, name: str) -> str:
    value: Any = row.get(name)
    return "" if value is None else str(value).strip()


def numbers_of(source: Mapping[str, Any] | None, numbers: Mapping[str, float]) -> dict[str, float]:
    """What a unit has: columns of its import that are numbers, and those from elsewhere, which go before them."""
    own = {name: it for name, it in (source or {}).items() if name.casefold() not in NO_NUMBERS}
    told = {name: value for name, it in own.items() if (value := _as_number(it)) is not None}
    return told | dict(numbers)


def _as_number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        found = float(value)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
