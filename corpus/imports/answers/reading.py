"""From the rows of a table of answers to a plan."""

from contextlib import suppress

from corpus.imports import reasons
from corpus.imports.answers.plan import AnswersPlan, PlannedUnit
from corpus.imports.answers.tables import AnswersTable
from corpus.imports.files.rows import Row
from corpus.imports.reasons import READING_ANSWERS
from corpus.tidy.reading import FaultyCells, read_row, read_unit
from corpus.tidy.rows import JUDGE_COLUMNS, NEEDED_COLUMNS, TIDY_COLUMNS
from infrastructure.background.kinds import ShowProgress
from infrastructure.files.csv_files import plain

STEP = 500


def plan_answers(
    table: AnswersTable, *, progress: ShowProgress, plan: AnswersPlan | None = None, may_be_empty: bool = False
) -> AnswersPlan:
    """Plan what the rows say. What is wrong with them stands in the plan's problems, row by row.

    `plan` may know the units already; the rows are then held against it.

    Verdicts of judges are no answers of annotators: they are left out and counted, but what they are about is noted.
    """
    plan, columns, n_judged = plan or AnswersPlan(), set[str](), 0
    for n_read, (number, row) in enumerate(table.rows, start=1):
        if n_read == 1 and (missing := [name for name in NEEDED_COLUMNS if name not in row]):
            _refuse_columns(plan, missing)
            break
        columns.update(row)
        if row.get("judge"):
            n_judged += 1
            _name_judged(plan, number, row)
        else:
            _add(plan, number, row)
        if n_read % STEP == 0:
            progress(n_read, max(n_read, table.at_most), READING_ANSWERS())
    else:
        progress(plan.rows, plan.rows, READING_ANSWERS())
        if not plan.rows and not may_be_empty:
            plan.refuse(None, "judge", reasons.NO_ANSWER_OF_PERSON())
    _warn(plan, table, n_judged, columns)
    return plan


def _add(plan: AnswersPlan, number: int, row: Row) -> None:
    plan.rows += 1
    try:
        plan.add(number, read_row(row))
    except FaultyCells as faulty:
        for column, message in faulty.errors.items():
            plan.refuse(number, column, message)
        who, purpose, unit = (plain(str(row.get(name, ""))) for name in ("annotator", "purpose", "unit"))
        plan.unread.add(((who, purpose), unit))


def _name_judged(plan: AnswersPlan, number: int, row: Row) -> None:
    """What cannot be read will be said where verdicts are imported."""
    with suppress(FaultyCells):
        unit = read_unit(row)
        plan.judged.setdefault(unit.key, PlannedUnit(number, unit))


def _refuse_columns(plan: AnswersPlan, missing: list[str]) -> None:
    for name in missing:
        plan.refuse(None, name, reasons.COLUMN_MISSING(column=name, columns=", ".join(NEEDED_COLUMNS)))


def _warn(plan: AnswersPlan, table: AnswersTable, n_judged: int, columns: set[str]) -> None:
    if n_judged:
        plan.warn(None, "judge", reasons.VERDICTS_LEFT_OUT(n=n_judged))
    if not table.whole:
        plan.refuse(None, "file", reasons.LAST_LINE_CUT())
    for name in sorted(columns - {*TIDY_COLUMNS, *JUDGE_COLUMNS}):
        plan.warn(None, name, reasons.COLUMN_NOT_KEPT(column=name))
    if table.lost:
        plan.warn(None, "file", table.lost)
