"""Scores that were computed elsewhere, as a table: `system, metric, value` and, for scores of responses, `item`.

Or metrics × systems: a row per metric, with a column for each system. A metric that the registry does not know has to
say its `axis` (and `direction`, where less is better), so that a name with a slip in it is not taken for a new one.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction

from campaigns.imports.plan import Problem
from campaigns.imports.rows import Row, read_rows
from campaigns.models import Dataset, Response, System
from campaigns.tidy.delimiters import with_comma
from measurements.metrics.contract import Axis
from measurements.metrics.registry import METRICS
from measurements.models import MetricScore

NEEDED = ("system", "metric", "value")
COLUMNS = (*NEEDED, "item", "take", "version", "reason", "n", "axis", "direction")
_OF_METRIC = ("metric", "axis", "direction", "version", "n")
_AXES = {axis.lower(): axis for axis in Axis}
_DIRECTIONS = ("higher", "lower")
#: How a metric may be called: by its name or its title, in any case.
_CALLED = {called.lower(): name for name, metric in METRICS.items() for called in (name, metric.title)}
Key = tuple[int, int | None, str, str]


class FaultyScore(ValueError):
    """A row that cannot be taken; the message says why."""


@dataclass
class CheckedScores:
    """The scores of a table that are new, how many were there already, and what is wrong, row by row."""

    new: dict[Key, MetricScore] = field(default_factory=dict)
    n_known: int = 0
    problems: list[Problem] = field(default_factory=list)

    @property
    def n_new(self) -> int:
        return len(self.new)


@dataclass(frozen=True)
class _Known:
    systems: Mapping[str, System]
    responses: Mapping[tuple[str, str], Mapping[str, Response]]
    scores: Mapping[Key, tuple[float | None, str]]


def import_scores(dataset: Dataset, path: Path) -> CheckedScores:
    """Write the scores of a CSV, JSON or JSON Lines file, all of them or, where a row is faulty, none.

    Raises UnreadableManifest where it is no table.
    """
    checked = check_scores(dataset, read_rows(path))
    if not checked.problems:
        with transaction.atomic():
            MetricScore.objects.bulk_create(checked.new.values(), 500)
    return checked


def check_scores(dataset: Dataset, rows: list[tuple[int, Row]]) -> CheckedScores:
    """What the rows would bring. Writes nothing."""
    checked, known = CheckedScores(), _known(dataset)
    rows = _one_by_one(rows)
    columns = {name for _, row in rows for name in row}
    for name in sorted(columns - set(COLUMNS)):
        checked.problems.append(Problem(None, name, f"There is no column {name}; there are {', '.join(COLUMNS)}."))
    for number, row in rows:
        try:
            _take(checked, row, known)
        except FaultyScore as fault:
            checked.problems.append(Problem(number, "row", str(fault)))
    return checked


def _one_by_one(rows: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """A row per score. Of metrics × systems, an empty cell is no score."""
    columns = {name for _, row in rows for name in row}
    if "metric" not in columns or columns & {"system", "value"}:
        return rows
    systems = sorted(columns - set(_OF_METRIC))
    return [
        (
            number,
            {name: row.get(name) for name in _OF_METRIC if name in row} | {"system": system, "value": row[system]},
        )
        for number, row in rows
        for system in systems
        if _cell(row, system)
    ]


def _take(checked: CheckedScores, row: Row, known: _Known) -> None:
    for name in NEEDED[:2]:
        if not _cell(row, name):
            raise FaultyScore(f"The column {name} is empty or missing.")
    score = _score(row, known)
    key = (score.system_id, score.response_id, score.metric, score.version)
    there = known.scores.get(key) or (
        (checked.new[key].value, checked.new[key].reason) if key in checked.new else None
    )
    if there == (score.value, score.reason):
        checked.n_known += 1
    elif there:
        told = f"{score.metric} of {_cell(row, 'system')}"
        raise FaultyScore(f"{told} is there with another value; give another version to keep both.")
    else:
        checked.new[key] = score


def _score(row: Row, known: _Known) -> MetricScore:
    metric, made_of = _metric(row)
    system = known.systems.get(_cell(row, "system"))
    if system is None:
        raise FaultyScore(f"The dataset has no system {_cell(row, 'system')!r}.")
    value, reason = _value(row)
    version = _cell(row, "version") or (METRICS[metric].version if metric in METRICS else "1")
    if len(version) > 20:
        raise FaultyScore("A version has at most 20 characters.")
    return MetricScore(
        system=system, response=_response(row, known), metric=metric, version=version,
        source=MetricScore.Source.IMPORTED, value=value, reason=reason, n=_n(row), made_of=made_of,
    )  # fmt: skip


def _metric(row: Row) -> tuple[str, dict[str, str]]:
    """The metric's name; of one that is not in the registry also what it measures, and which way is better."""
    said, axis = _cell(row, "metric"), _cell(row, "axis")
    if known := _CALLED.get(said.lower()):
        return known, {}
    if not axis:
        raise FaultyScore(
            f"There is no metric {said!r} in the registry; for one of your own, say its axis in the column axis."
        )
    if axis.lower() not in _AXES:
        raise FaultyScore(f"There is no axis {axis!r}; there are {', '.join(Axis)}.")
    direction = _cell(row, "direction") or "higher"
    if direction not in _DIRECTIONS:
        raise FaultyScore(f"The direction is higher or lower, not {direction!r}.")
    if len(said) > 60:
        raise FaultyScore("The name of a metric has at most 60 characters.")
    return said, {"axis": _AXES[axis.lower()].value, "direction": direction}


def _response(row: Row, known: _Known) -> Response | None:
    item, system, take = (_cell(row, name) for name in ("item", "system", "take"))
    if not item:
        return None
    takes = known.responses.get((item, system))
    if takes is None:
        raise FaultyScore(f"{system} has no response to an item {item!r}.")
    if take:
        if take not in takes:
            raise FaultyScore(f"{system} has no take {take!r} of {item}.")
        return takes[take]
    if len(takes) > 1:
        raise FaultyScore(f"{system} has {len(takes)} takes of {item}; name one in the column take.")
    return next(iter(takes.values()))


def _value(row: Row) -> tuple[float | None, str]:
    """The number, or None with the reason that the row gives. Nothing is taken for zero."""
    said = _cell(row, "value")
    if not said:
        return None, _cell(row, "reason") or "imported without a value"
    try:
        value = float(said)
    except ValueError as error:
        raise FaultyScore(f"{said!r} is no number.{with_comma(said)}") from error
    if not math.isfinite(value):
        raise FaultyScore(f"{said!r} is no finite number; leave the cell empty where there is no value.")
    return value, ""


def _n(row: Row) -> int:
    """Of how many responses a score is: of one, of those that the row says, or nobody said (0)."""
    said = _cell(row, "n")
    if not said:
        return 1 if _cell(row, "item") else 0
    if not said.isascii() or not said.isdigit() or len(said) > 9:
        raise FaultyScore(f"n is a whole number, not {said!r}.")
    return int(said)


def _cell(row: Row, name: str) -> str:
    cell: Any = row.get(name)
    return "" if cell is None else str(cell).strip()


def _known(dataset: Dataset) -> _Known:
    responses: dict[tuple[str, str], dict[str, Response]] = {}
    for response in Response.objects.filter(item__dataset=dataset).select_related("item", "system"):
        responses.setdefault((response.item.key, response.system.name), {})[response.key] = response
    held = MetricScore.objects.filter(system__dataset=dataset, source=MetricScore.Source.IMPORTED)
    scores = {
        (row.system_id, row.response_id, row.metric, row.version): (row.value, row.reason) for row in held.iterator()
    }
    return _Known({system.name: system for system in dataset.systems.all()}, responses, scores)
