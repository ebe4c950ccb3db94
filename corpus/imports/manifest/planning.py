"""From the rows of a manifest to a plan."""

from collections.abc import Collection
from typing import Literal

from corpus.imports import reasons
from corpus.imports.files.rows import Row
from corpus.imports.manifest.choices import MAPPING, NOTHING_CHOSEN, Choices
from corpus.imports.manifest.columns import holds_pairs, holds_responses, is_manifest, unused_columns, why_no_manifest
from corpus.imports.manifest.pairs import PairReader
from corpus.imports.manifest.prompts import PromptReader
from corpus.imports.manifest.reader import Reader
from corpus.imports.manifest.responses import ResponseReader
from corpus.imports.plan import Plan
from infrastructure.background.kinds import ShowProgress


def make_plan(
    rows: list[tuple[int, Row]],
    *,
    without_audio: bool = False,
    choices: Choices = NOTHING_CHOSEN,
    place: Literal["line", "row"] = "row",
    is_part: bool = False,
    progress: ShowProgress | None = None,
) -> Plan:
    """Plan what the rows describe, as was chosen. What is wrong stands in the plan's problems, row by row.

    Of rows that are a part of a file nothing is said that holds for the file as a whole.
    """
    plan = Plan(rows=len(rows), place=place)
    if is_part and not rows:  # all that it had is left out
        return plan
    columns = {name for _, row in rows for name in row}
    if not is_manifest(columns):
        plan.refuse(None, "columns", why_no_manifest(columns), choice=MAPPING)
        return plan
    chosen = [name for name in (choices.item_column, choices.label_column) if name]
    for name in chosen:
        if name not in columns:
            plan.refuse(None, name, reasons.NO_SUCH_COLUMN(column=name, columns=", ".join(sorted(columns))))
    plan.unused = unused_columns(columns, chosen)
    reader = _reader_of(columns)
    reader(plan, rows, choices, without_audio=without_audio).read(columns, is_part=is_part, progress=progress)
    _warn_of_columns(plan)
    return plan


def _reader_of(columns: Collection[str]) -> type[Reader]:
    if holds_pairs(columns):
        return PairReader
    return ResponseReader if holds_responses(columns) else PromptReader


def _warn_of_columns(plan: Plan) -> None:
    for column in plan.unused:
        if column.meant:
            why = reasons.MEANT_KEPT if column.kept else reasons.MEANT_NOT_KEPT
            plan.warn(None, column.name, why(column=column.name, meant=column.meant))
