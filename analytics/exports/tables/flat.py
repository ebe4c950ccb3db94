"""One row per answer, of people and of judges alike: the columns of the tables that are CSV, JSON Lines and Parquet.

They are the columns of the table of answers and, after them, those of judges, which are empty in rows of people.
"""

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pyarrow as pa

from analytics.data.labels import LabelledUnit
from analytics.exports.labels import given_of, tidy_unit
from analytics.exports.source import Source
from analytics.exports.tables.columns import described
from campaigns.models import Unit
from campaigns.tidy.rows import JUDGE_COLUMNS, TIDY_COLUMNS, Given, Origin, TidyAnswer, TidyRow
from campaigns.tidy.writing import cells_of
from judges.models import Verdict

COLUMNS = (*TIDY_COLUMNS, *JUDGE_COLUMNS)
#: Cells of JSON; they stay text in Parquet, since their names differ from row to row.
JSON_COLUMNS = frozenset({"systems", "responses", "marks", "coverage", "plays", "expected"})
TIMES = frozenset({"shown_at", "recorded_at"})
_TYPES = {
    **dict.fromkeys(("acceptable_a", "acceptable_b"), pa.bool_()),
    **dict.fromkeys(("confidence", "revision", "switches", "run", "sample"), pa.int64()),
    **dict.fromkeys(("seconds", "played_s", "hidden_s", "propensity"), pa.float64()),
    **dict.fromkeys(TIMES, pa.timestamp("us", tz="UTC")),
}
FIELDS = tuple(described(name, _TYPES.get(name, pa.string())) for name in COLUMNS)
Row = dict[str, Any]


def answer_rows(source: Source) -> Iterator[Row]:
    """Everything that is wanted: people first, then judges run by run. Cells are as the CSV has them."""
    yield from people_rows(source)
    yield from judge_rows(source)


def people_rows(source: Source) -> Iterator[Row]:
    origin, no_judge = origin_of(source), ("",) * 4 + (None, None, "", "")
    for row in source.people():
        unit, given = tidy_unit(row), given_of(row)
        for label in row.labels:
            cells = cells_of(TidyRow(origin, unit, given, TidyAnswer(**vars(label))))
            yield dict(zip(COLUMNS, (*cells, *no_judge), strict=True))


def judge_rows(source: Source) -> Iterator[Row]:
    """A verdict that is missing has one row, with its status and without a value."""
    origin = origin_of(source)
    for verdict, unit in source.verdicts():
        given = Given("", order=verdict.order, recorded_at=verdict.judged_at, purpose="study")
        said = [TidyAnswer(it.aspect, it.slot, source.said(it.aspect, it.value)) for it in verdict.answers.all()]
        for answer in said or [TidyAnswer(_main_aspect(source), "", "")]:
            cells = cells_of(TidyRow(origin, tidy_unit(as_labelled(unit)), given, answer))
            yield dict(zip(COLUMNS, (*cells, *_judge_cells(source, verdict)), strict=True))


def as_plain(row: Row) -> Row:
    """The row with JSON as JSON, for formats that have it."""
    return {name: json.loads(value) if value and name in JSON_COLUMNS else value for name, value in row.items()}


def as_columns(row: Row) -> Row:
    """The row with times as times, for formats that have them."""
    return row | {name: datetime.fromisoformat(row[name]) if row[name] else None for name in TIMES}


def origin_of(source: Source) -> Origin:
    protocol = source.campaign.protocol
    return Origin(source.campaign.slug, f"{protocol.name} {protocol.version}", source.campaign.protocol_digest)


def as_labelled(unit: Unit) -> LabelledUnit:
    return LabelledUnit(unit, "", ())


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
    names = [aspect.name for aspect in source.campaign.protocol.aspects if not aspect.scale.is_text]
    return "overall" if "overall" in names else names[0] if names else ""
