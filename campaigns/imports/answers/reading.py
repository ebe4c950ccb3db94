"""From the rows of a table of answers to a plan."""

from contextlib import suppress

from campaigns.background.jobs import ShowProgress
from campaigns.imports.answers.plan import AnswersPlan, PlannedUnit
from campaigns.imports.answers.tables import AnswersTable
from campaigns.imports.rows import Row
from campaigns.tidy.cells import plain
from campaigns.tidy.reading import FaultyCells, read_row, read_unit
from campaigns.tidy.rows import JUDGE_COLUMNS, NEEDED_COLUMNS, TIDY_COLUMNS

STEP = 500
VERDICTS = "{n} rows are verdicts of judges: left out here. Import them into a campaign, as verdicts."


def plan_answers(table: AnswersTable, *, progress: ShowProgress, plan: AnswersPlan | None = None) -> AnswersPlan:
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
            progress(n_read, max(n_read, table.at_most), "Reading every answer")
    else:
        progress(plan.rows, plan.rows, "Reading every answer")
        if not plan.rows:
            plan.refuse(None, "judge", "There is no answer of a person in this table.")
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
        plan.refuse(None, name, f"The column {name} is missing. A table of answers has {', '.join(NEEDED_COLUMNS)}.")


def _warn(plan: AnswersPlan, table: AnswersTable, n_judged: int, columns: set[str]) -> None:
    if n_judged:
        plan.warn(None, "judge", VERDICTS.format(n=n_judged))
    if not table.whole:
        plan.refuse(None, "file", "The last line has no end, as if the file had been cut off.")
    for name in sorted(columns - {*TIDY_COLUMNS, *JUDGE_COLUMNS}):
        plan.warn(None, name, f"The column {name} does not belong to a table of answers; it is not kept.")
    if table.lost:
        plan.warn(None, "file", table.lost)
