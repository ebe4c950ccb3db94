"""One row per answer, of people and of judges alike: the columns of the tables that are CSV, JSON Lines and Parquet.

They are the columns of the table of answers and, after them, those of judges, which are empty in rows of people.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from analytics.data.labels import Record
from analytics.exports.labels import tidy_rows
from analytics.exports.source import Source
from analytics.exports.tables.columns import fields_of
from corpus.tidy.columns import OF_JUDGES
from corpus.tidy.rows import TABLE, Origin, TidyAnswer
from corpus.tidy.writing import cells_of
from judges.models import Verdict

_ALL = (*TABLE, *OF_JUDGES)
COLUMNS = tuple(column.name for column in _ALL)
#: Cells of JSON.
JSON_COLUMNS = frozenset(column.name for column in _ALL if column.kind == "json")
TIMES = frozenset(column.name for column in _ALL if column.kind == "time")
_NO_JUDGE = ("",) * 4 + (None, None, "", "")
FIELDS = fields_of(_ALL)
Row = dict[str, Any]


def answer_rows(source: Source) -> Iterator[Row]:
    """Everything that is wanted, a row per answer. Cells are as the CSV has them."""
    return rows_of(source, source.records())


def rows_of(source: Source, records: Iterable[Record]) -> Iterator[Row]:
    """A verdict that is missing has one row, with its status and without a value."""
    origin = origin_of(source)
    for record in records:
        by = _judge_cells(source, record.verdict) if record.verdict else _NO_JUDGE
        missing = (TidyAnswer(_main_aspect(source), "", ""),) if record.verdict and not record.answers else ()
        for row in tidy_rows(replace(record, answers=missing or record.answers), origin):
            yield dict(zip(COLUMNS, (*cells_of(row), *by), strict=True))


def as_plain(row: Row) -> Row:
    """The row with JSON as JSON, for formats that have it."""
    return {name: json.loads(value) if value and name in JSON_COLUMNS else value for name, value in row.items()}


def as_columns(row: Row) -> Row:
    """The row with times as times, for formats that have them."""
    return row | {name: datetime.fromisoformat(row[name]) if row[name] else None for name in TIMES}


def origin_of(source: Source) -> Origin:
    protocol = source.campaign.protocol
    return Origin(source.campaign.slug, f"{protocol.name} {protocol.version}", source.campaign.protocol_digest)


def judge_version(verdict: Verdict) -> str:
    judge = verdict.run.judge
    return f"{judge.kind} {judge.kind_version}"


def _judge_cells(source: Source, verdict: Verdict) -> tuple[object, ...]:
    judge = verdict.run.judge
    reasoning = verdict.reasoning if source.wanted.text else ""
    return (
        judge.title, judge_version(verdict), judge.digest, verdict.model, verdict.run_id, verdict.sample,
        verdict.status, reasoning,
    )  # fmt: skip


def _main_aspect(source: Source) -> str:
    names = [aspect.name for aspect in source.campaign.protocol.counted_aspects]
    return "overall" if "overall" in names else names[0] if names else ""
