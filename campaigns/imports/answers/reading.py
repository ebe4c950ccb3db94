"""From the rows of a table of answers to a plan."""

import csv
import io
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from campaigns.imports.answers.plan import AnswersPlan
from campaigns.imports.rows import Row
from campaigns.jobs import ShowProgress
from campaigns.tidy.cells import plain
from campaigns.tidy.reading import FaultyCells, read_row
from campaigns.tidy.rows import NEEDED_COLUMNS, TIDY_COLUMNS, is_table_of_answers

HEAD_BYTES = 10_000
STEP = 500


def begins_like_answers(file: IO[bytes]) -> bool:
    """Whether the file has the header of a table of answers; it is left at its beginning."""
    head = file.read(HEAD_BYTES)
    file.seek(0)
    first_line = re.split(r"\r|\n", head.decode("utf-8-sig", errors="replace"), maxsplit=1)[0]
    try:
        columns = next(csv.reader(io.StringIO(first_line)), [])
    except csv.Error:
        return False
    return is_table_of_answers(name.strip() for name in columns)


def ends_in_a_line(path: Path) -> bool:
    """Whether the last line has its end. A file that was cut off hardly ever has it."""
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() in (b"\n", b"\r")


def plan_answers(rows: list[tuple[int, Row]], *, whole: bool, progress: ShowProgress) -> AnswersPlan:
    """Plan what the rows say. What is wrong with them stands in the plan's problems, row by row.

    `whole` says that the file did not end in the middle of a line.
    """
    plan = AnswersPlan(rows=len(rows))
    columns = {name for _, row in rows for name in row}
    if not whole:
        plan.refuse(None, "file", "The last line has no end, as if the file had been cut off.")
    for name in sorted(columns - set(TIDY_COLUMNS)):
        plan.warn(None, name, f"The column {name} does not belong to a table of answers; it is not kept.")
    if missing := [name for name in NEEDED_COLUMNS if name not in columns]:
        for name in missing:
            plan.refuse(
                None, name, f"The column {name} is missing. A table of answers has {', '.join(NEEDED_COLUMNS)}."
            )
    else:
        _plan_rows(plan, rows, progress)
    return plan


def _plan_rows(plan: AnswersPlan, rows: Iterable[tuple[int, Row]], progress: ShowProgress) -> None:
    for done, (number, row) in enumerate(rows, start=1):
        try:
            plan.add(number, read_row(row))
        except FaultyCells as faulty:
            for column, message in faulty.errors.items():
                plan.refuse(number, column, message)
            who, purpose, unit = (plain(str(row.get(name, ""))) for name in ("annotator", "purpose", "unit"))
            plan.unread.add(((who, purpose), unit))
        if done % STEP == 0 or done == plan.rows:
            progress(done, plan.rows, "Reading every answer")
