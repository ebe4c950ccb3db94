"""Scores that were computed elsewhere, as a table: `system, metric, value` and, for scores of responses, `item`.

Or metrics × systems: a row per metric, with a column for each system. A metric that the registry does not know has to
say its `axis` (and `direction`, where less is better), so that a name with a slip in it is not taken for a new one.

Or systems × metrics, as boards are published: a column `system` or `model`, and a column of numbers for each metric.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction

from corpus.imports.files.rows import Row, read_rows
from corpus.imports.plan import Problem
from corpus.models import Dataset, Response, System
from infrastructure.files.csv_files import with_comma
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.reasons import TEXT, Reason
from measurements import reasons
from measurements.imported_tables import CheckedTable, FaultyRow
from measurements.metrics.contract import Axis
from measurements.metrics.registry import METRICS
from measurements.models import MetricScore
from measurements.scores.versa import is_versa, versa_rows

NEEDED = ("system", "metric", "value")
COLUMNS = (*NEEDED, "item", "take", "version", "reason", "n", "axis", "direction")
#: What the column of systems of a board may be called, and columns of numbers there that are no scores.
_BOARD_OF, _NO_SCORES = ("system", "model", "name"), frozenset({"rank", "votes", "n"})
_OF_METRIC = ("metric", "axis", "direction", "version", "n")
_AXES = {axis.lower(): axis for axis in Axis}
_LONGEST_AXIS = 60
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_DIRECTIONS = ("higher", "lower")
#: How a metric may be called: by its name or its title, in any case.
_CALLED = {called.lower(): name for name, metric in METRICS.items() for called in (name, metric.title)}
Key = tuple[int, int | None, str, str]
Checked = CheckedTable[Key, MetricScore]


@dataclass(frozen=True)
class _Known:
    systems: Mapping[str, System]
    responses: Mapping[tuple[str, str], Mapping[str, Response]]
    scores: Mapping[Key, tuple[float | None, Reason | None]]


def import_scores(dataset: Dataset, path: Path) -> Checked:
    """Write the scores of a CSV, JSON or JSON Lines file, or of VERSA's, all of them or, where a row is faulty, none.

    Raises UnreadableManifest where it is no table.
    """
    checked = _check_versa(dataset, path) if is_versa(path) else check_scores(dataset, read_rows(path))
    if not checked.problems:
        with transaction.atomic():
            MetricScore.objects.bulk_create(checked.new.values(), 500)
    return checked


def _check_versa(dataset: Dataset, path: Path) -> Checked:
    left_out = Counter[str]()
    try:
        checked = check_scores(dataset, list(versa_rows(dataset, path, left_out)))
    except FaultyRow as fault:
        return Checked(problems=[Problem(None, "key", fault.reason)])
    checked.n_left_out = left_out.total()
    return checked


def check_scores(dataset: Dataset, rows: list[tuple[int, Row]]) -> Checked:
    """What the rows would bring. Writes nothing."""
    checked, known = Checked(), _known(dataset)
    board = _system_column(rows)
    rows = _of_board(rows, board, checked) if board else _one_by_one(rows)
    columns = {name for _, row in rows for name in row}
    if unknown := sorted(columns - set(COLUMNS)):
        why = reasons.TABLE_HAS_NO_COLUMN(column=", ".join(unknown), columns=", ".join(COLUMNS))
        checked.problems.append(Problem(None, unknown[0], why))
    if missing := [name for name in NEEDED[:2] if name not in columns]:
        needed = reasons.SCORES_NEED_COLUMNS(columns=", ".join(missing))
        checked.problems.append(Problem(None, missing[0], needed))
        return checked
    told = set[str]()
    for number, row in rows:
        try:
            _take(checked, row, known)
        except FaultyRow as fault:
            if (said := str(fault.reason)) not in told:  # the same of many rows is said once, with the first of them
                told.add(said)
                checked.problems.append(Problem(number, "row", fault.reason))
    return checked


def _system_column(rows: list[tuple[int, Row]]) -> str:
    """The column of systems of a table of systems × metrics; empty where it is another table."""
    names = {name.casefold(): name for _, row in rows for name in row}
    if names.keys() & {"metric", "value", "item"}:
        return ""
    return next((names[name] for name in _BOARD_OF if name in names), "")


def _of_board(rows: list[tuple[int, Row]], systems: str, checked: Checked) -> list[tuple[int, Row]]:
    """A row per score, of every column that holds numbers alone; the other columns are noted."""
    columns = [name for name in dict.fromkeys(name for _, row in rows for name in row) if name != systems]
    metrics = [name for name in columns if name.casefold() not in _NO_SCORES and _are_numbers(rows, name)]
    checked.unused = [name for name in columns if name not in metrics]
    return [
        (number, {"system": row.get(systems), "metric": name, "value": row[name], "axis": Axis.OTHER})
        for number, row in rows
        for name in metrics
        if _cell(row, name)
    ]


def _are_numbers(rows: list[tuple[int, Row]], column: str) -> bool:
    cells = [cell for _, row in rows if (cell := _cell(row, column))]
    return bool(cells) and all(_NUMBER.fullmatch(cell) for cell in cells)


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


def _take(checked: Checked, row: Row, known: _Known) -> None:
    for name in NEEDED[:2]:
        if not _cell(row, name):
            raise FaultyRow(reasons.COLUMN_EMPTY(column=name))
    score = _score(row, known)
    key = (score.system_id, score.response_id, score.metric, score.version)
    there = known.scores.get(key) or (
        (checked.new[key].value, checked.new[key].reason) if key in checked.new else None
    )
    if there == (score.value, score.reason):
        checked.n_known += 1
    elif there:
        system = _cell(row, "system")
        raise FaultyRow(reasons.SCORE_IS_THERE(metric=score.metric, system=system))
    else:
        checked.new[key] = score


def _score(row: Row, known: _Known) -> MetricScore:
    metric, made_of = _metric(row)
    system = known.systems.get(_cell(row, "system"))
    if system is None:
        raise FaultyRow(reasons.NO_SUCH_SYSTEM(system=repr(_cell(row, "system"))))
    value, reason = _value(row)
    version = _cell(row, "version") or (METRICS[metric].version if metric in METRICS else "1")
    if len(version) > 20:
        raise FaultyRow(reasons.VERSION_TOO_LONG())
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
        raise FaultyRow(reasons.NO_SUCH_METRIC(metric=repr(said)))
    if len(axis) > _LONGEST_AXIS:
        raise FaultyRow(reasons.AXIS_TOO_LONG())
    direction = _cell(row, "direction") or "higher"
    if direction not in _DIRECTIONS:
        raise FaultyRow(reasons.NO_SUCH_DIRECTION(direction=repr(direction)))
    if len(said) > 60:
        raise FaultyRow(reasons.METRIC_TOO_LONG())
    return said, {"axis": str(_AXES.get(axis.lower(), axis)), "direction": direction}


def _response(row: Row, known: _Known) -> Response | None:
    item, system, take = (_cell(row, name) for name in ("item", "system", "take"))
    if not item:
        return None
    takes = known.responses.get((item, system))
    if takes is None:
        raise FaultyRow(reasons.NO_RESPONSE_TO(system=system, item=repr(item)))
    if take:
        if take not in takes:
            raise FaultyRow(reasons.NO_SUCH_TAKE(system=system, take=repr(take), item=item))
        return takes[take]
    if len(takes) > 1:
        raise FaultyRow(reasons.SEVERAL_TAKES(system=system, n=len(takes), item=item))
    return next(iter(takes.values()))


def _value(row: Row) -> tuple[float | None, Reason | None]:
    """The number, or None with the reason that the row gives. Nothing is taken for zero."""
    said = _cell(row, "value")
    if not said:
        given = _cell(row, "reason")
        return None, TEXT(text=given) if given else reasons.IMPORTED_WITHOUT_VALUE()
    try:
        value = float(said)
    except ValueError as error:
        point = with_comma(said).strip()
        why = (
            reasons.VALUE_NO_NUMBER_POINT(value=repr(said), point=point)
            if point
            else reasons.VALUE_NO_NUMBER(value=repr(said))
        )
        raise FaultyRow(why) from error
    if not math.isfinite(value):
        raise FaultyRow(reasons.NO_FINITE_NUMBER(value=repr(said)))
    return value, None


def _n(row: Row) -> int:
    """The number of responses of a score: one, the number in the row, or unknown (0)."""
    said = _cell(row, "n")
    if not said:
        return 1 if _cell(row, "item") else 0
    if (n := whole_number(said, most=999_999_999)) is None:
        raise FaultyRow(reasons.N_NO_NUMBER(value=repr(said)))
    return n


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
