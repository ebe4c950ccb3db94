"""Rows of the API as tables with types: integers stay integers, and what is missing is missing."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pandas as pd

Row = Mapping[str, Any]
ANSWERS = {
    "unit": "string", "item": "string", "purpose": "category", "annotator": "category", "aspect": "category",
    "slot": "category", "value": "string", "system": "category", "system_a": "category", "system_b": "category",
    "acceptable_a": "boolean", "acceptable_b": "boolean", "confidence": "Int64", "flag": "string",
    "language": "string", "excluded": "string", "order": "string", "assignment": "string",
    "shown_at": "datetime64[us, UTC]", "recorded_at": "datetime64[us, UTC]",
}  # fmt: skip
VERDICTS = {
    "unit": "string", "item": "string", "order": "category", "sample": "Int64", "status": "category",
    "aspect": "category", "slot": "category", "value": "string", "reasoning": "string", "model": "string",
    "tokens_in": "Int64", "tokens_out": "Int64", "cost_usd": "Float64", "seconds": "Float64",
    "judged_at": "datetime64[us, UTC]",
}  # fmt: skip
UNITS = {"id": "Int64", "key": "string", "kind": "category", "item": "string", "position": "Int64"}


def answers_frame(annotations: Iterable[Row], systems: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """One row for each answer: of one person, to one unit, about one aspect (and one response, its `slot`).

    `system_a` and `system_b` are those of a pair; `system` is that of the slot, or of a single response. `value` is
    in the stored frame, whatever the screen showed; `excluded` is empty where the answer is used.
    """
    return typed(_answers(annotations, systems), ANSWERS)


def verdicts_frame(verdicts: Iterable[Row]) -> pd.DataFrame:
    """One row for each answer of a verdict; a verdict without an answer has one row, without aspect and value."""
    return typed(_spread(verdicts), VERDICTS)


def units_frame(units: Iterable[Row]) -> pd.DataFrame:
    """One row for each unit of the study, with a column for the system of each slot."""
    rows = list(units)
    slots = sorted({slot for row in rows for slot in row["systems"]})
    table = [
        {name: row[name] for name in UNITS} | {f"system_{slot}": row["systems"].get(slot) for slot in slots}
        for row in rows
    ]
    return typed(table, UNITS | {f"system_{slot}": "category" for slot in slots})


def figure_frame(columns: Iterable[Mapping[str, str]], rows: Iterable[Row]) -> pd.DataFrame:
    """The table of a report's figure, in the order of its columns, with the types that its values have."""
    names = [it["key"] for it in columns]
    return pd.DataFrame.from_records(list(rows), columns=names or None).convert_dtypes()


def typed(rows: Iterable[Row], columns: Mapping[str, str]) -> pd.DataFrame:
    """A table with exactly these columns and types, also where there are no rows."""
    found = pd.DataFrame.from_records([dict(row) for row in rows], columns=list(columns))
    for name, kind in columns.items():
        if kind.startswith("datetime"):
            found[name] = pd.to_datetime(found[name], utc=True, format="ISO8601").dt.as_unit("us")
        elif kind == "category":
            found[name] = found[name].astype("string").astype("category")
        elif kind == "Float64":
            found[name] = pd.to_numeric(found[name]).astype("Float64")
    plain = ("string", "boolean", "Int64")
    return found.astype({name: kind for name, kind in columns.items() if kind in plain})


def _answers(annotations: Iterable[Row], systems: Mapping[str, Mapping[str, str]]) -> Iterator[dict[str, Any]]:
    for row in annotations:
        there = systems.get(row["unit"], {})
        about = {name: row.get(name) for name in ANSWERS} | {"system_a": None, "system_b": None}
        if set(there) == {"a", "b"}:
            about |= {"system_a": there["a"], "system_b": there["b"]}
        for answer in row["answers"]:
            slot = answer["slot"]
            alone = next(iter(there.values())) if len(there) == 1 else None
            yield about | dict(answer) | {"system": there.get(slot) if slot else alone}


def _spread(verdicts: Iterable[Row]) -> Iterator[dict[str, Any]]:
    for row in verdicts:
        about = {name: row.get(name) for name in VERDICTS}
        for answer in row["answers"] or [{}]:
            yield about | dict(answer)
