"""The dry run of a table that is read by a mapping: its rows become ours, and are checked as any others."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from corpus.imports.answers.checking import CheckedAnswers, check_answers
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import AnswersTable, begins_like_answers
from corpus.imports.checks.check import check
from corpus.imports.checks.result import Checked
from corpus.imports.files.audio_files import AudioFiles
from corpus.imports.files.encodings import UTF_8, encoding_of
from corpus.imports.files.progress import followed
from corpus.imports.files.rows import Row, UnreadableManifest
from corpus.imports.files.studies import holds_study
from corpus.imports.manifest.choices import Choices
from corpus.imports.manifest.columns import Unused, is_manifest
from corpus.imports.manifest.planning import make_plan
from corpus.imports.mapping import reasons
from corpus.imports.mapping.holding import known_in
from corpus.imports.mapping.known import Known
from corpus.imports.mapping.mapping import ANSWERS, PAIRS, TableMapping
from corpus.imports.mapping.rows.mapped import mapped, unused_columns
from corpus.imports.mapping.rows.reading import MOST_EXAMPLES
from corpus.imports.mapping.rows.tally import Tally
from corpus.imports.mapping.table import ForeignTable, table_of
from corpus.imports.mapping.together import CheckedTogether, add_planned
from corpus.imports.plan import Plan, Problem
from corpus.imports.reasons import CELL_NO_TEXT, COLUMN_UNREAD, COLUMN_UNREADABLE, MAPPING_ROWS, NO_ROWS
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason


class Refusing(Protocol):
    """A plan of either kind."""

    def refuse(self, row: int | None, field_name: str, message: Reason) -> None: ...

    def warn(self, row: int | None, field_name: str, message: Reason) -> None: ...


def plan_mapped(
    rows: Iterable[tuple[int, Row]],
    mapping: TableMapping,
    choices: Choices,
    *,
    without_audio: bool,
    place: str,
    progress: ShowProgress | None = None,
) -> Plan:
    """The plan of mapped rows of a manifest."""
    has_labels = mapping.shape == PAIRS and bool(mapping.of("answer") or mapping.scores())
    chosen = replace(
        choices, item_column="item" if mapping.of("item") else "", label_column="", without_labels=not has_labels
    )
    return make_plan(
        list(rows),
        without_audio=without_audio,
        choices=chosen,
        place="line" if place == "line" else "row",
        progress=progress,
    )


def check_mapped(
    table: ForeignTable,
    files: AudioFiles | None,
    mapping: TableMapping,
    *,
    dataset_name: str,
    label_set_name: str,
    progress: ShowProgress,
    choices: Choices,
) -> Checked | CheckedAnswers | CheckedTogether:
    """Read the table by the mapping, and check what it says against the dataset of that name."""
    dataset = Dataset.objects.filter(name=dataset_name).first()
    if mapping.shape != ANSWERS:
        table.require_plannable()
    if not (columns := table.columns):
        raise UnreadableManifest(NO_ROWS())
    if faults := mapping.faults(columns, into_dataset=dataset is not None):
        plan = Plan(place=table.place)
        for column, why in faults:
            kind = table.unread.get(column)
            plan.refuse(None, column, COLUMN_UNREADABLE(column=column, kind=kind) if kind else why)
        return Checked(plan)
    about = partial(check_answers, dataset=dataset, label_set_name=label_set_name, progress=progress)
    if mapping.shape == ANSWERS:
        answers = _plan_answers(table, mapping, known_in(dataset), Tally(), columns, progress)
        tell_unread(answers, table.unread)
        tell_encoding(answers, table.encoding)
        return about(answers)
    tally = Tally()
    made = list(mapped(followed(table.rows(), progress, MAPPING_ROWS(), at_most=table.at_most()), mapping, tally))
    plan = Plan(place=table.place)
    if made:
        plan = plan_mapped(
            made, mapping, choices, without_audio=files is None, place=table.place, progress=progress
        )  # fmt: skip
    _settle_manifest(plan, tally, mapping, columns)
    tell_unread(plan, table.unread)
    tell_encoding(plan, table.encoding)
    checked = check(plan, files, dataset=dataset, label_set_name=label_set_name, progress=progress)
    if not mapping.brings_answers or tally.no_text:  # answers to what is refused would be to nothing
        return checked
    known, tally = add_planned(known_in(dataset) or Known(), plan), Tally(with_responses=True)
    answers = _plan_answers(table, mapping.of_answers(), known, tally, [], progress)
    return CheckedTogether(checked, about(answers, planned=plan))


def _plan_answers(
    table: ForeignTable,
    mapping: TableMapping,
    known: Known | None,
    tally: Tally,
    columns: list[str],
    progress: ShowProgress,
) -> AnswersPlan:
    rows = mapped(table.rows(), mapping, tally, known=known)
    plan = plan_answers(AnswersTable(rows, at_most=table.at_most(), lost=None, whole=True), progress=progress)
    plan.place = table.place
    _settle_answers(plan, tally, mapping, columns)
    return plan


def is_foreign(file: Path) -> bool:
    """Whether the table can be read, and its columns are none of ours, or it is not written as ours are."""
    with file.open("rb") as opened:
        if holds_study(opened) or begins_like_answers(opened):
            return False
    try:
        columns = table_of(file).columns
    except UnreadableManifest:
        return False
    if encoding_of(file) != UTF_8:
        return bool(columns)
    return bool(columns) and not is_manifest(columns)


def _settle_manifest(plan: Plan, tally: Tally, mapping: TableMapping, columns: list[str]) -> None:
    """Say what was mapped in the words of the file: its columns, what is unused, what is left out."""
    ours = {_as_planned(use.becomes): name for name, use in mapping.columns.items()}
    guessed = {column.name for column in plan.unused}
    plan.problems = [
        replace(it, field=f"{ours[it.field]} ({it.field})" if it.field in ours else it.field)
        for it in plan.problems
        if not (it.row is None and it.severity == "warning" and it.field in guessed)
    ]
    plan.unused = [Unused(name, "", kept) for name, kept in unused_columns(columns, mapping)]
    plan.rows = tally.rows
    tell(plan, tally, mapping)


def _as_planned(becomes: str) -> str:
    return {"pair": "index", "answer": "label overall"}.get(becomes, becomes)


def _settle_answers(plan: AnswersPlan, tally: Tally, mapping: TableMapping, columns: list[str]) -> None:
    if not tally.made:
        plan.problems = [problem for problem in plan.problems if problem.row is not None]
    plan.problems = [_in_file(problem, mapping) for problem in plan.problems]
    if unused := [name for name, _ in unused_columns(columns, mapping)]:
        plan.warn(None, "columns", reasons.COLUMNS_UNUSED(columns=", ".join(unused)))
    plan.rows = tally.rows
    tell(plan, tally, mapping)


def _in_file(problem: Problem, mapping: TableMapping) -> Problem:
    becomes = {"value": "answer", "aspect": "answer", "unit": "pair"}.get(problem.field, problem.field)
    names = mapping.of(becomes)
    return replace(problem, field=f"{names[0]} ({problem.field})") if names else problem


def tell_unread(plan: Refusing, unread: Mapping[str, str], needed: Collection[str] = ()) -> None:
    """Say which columns hold what is no plain data; those that are needed are refused."""
    for column, kind in unread.items():
        if column in needed:
            plan.refuse(None, column, COLUMN_UNREADABLE(column=column, kind=kind))
        else:
            plan.warn(None, column, COLUMN_UNREAD(column=column, kind=kind))


def tell_encoding(plan: Refusing, encoding: str) -> None:
    """Say that the file is not UTF-8, where it is read nevertheless."""
    if encoding:
        plan.warn(None, "file", reasons.NOT_UTF8_READ_AS(encoding=encoding))


def tell(plan: Refusing, tally: Tally, mapping: TableMapping) -> None:
    """Refuse what is not decided, each once with its first row; say what is left out."""
    _refuse_cells(plan, tally)
    for column, of in () if tally.with_responses else tally.rows_left_out.items():
        why = reasons.ROWS_LEFT_OUT(n=of.total(), rows=tally.rows, column=column, values=_some(of))
        plan.warn(None, column, why)
    if tally.repeated:
        plan.warn(None, "index", reasons.ROWS_REPEATED(n=tally.repeated))
    for column, of in tally.values_left_out.items():
        plan.warn(None, column, reasons.VALUES_LEFT_OUT(n=of.total(), column=column, values=_some(of)))
    for column, n in tally.empty.items():
        empty = reasons.CELLS_EMPTY if column in mapping.columns else reasons.RESPONSES_EMPTY
        plan.warn(None, column, empty(n=n, column=column))
    for column, n in tally.commas.items():
        plan.warn(None, column, reasons.DECIMAL_COMMAS(n=n, column=column))
    if tally.same and not tally.with_responses:
        some = "; ".join(f"{told} ({number})" for number, told in tally.some_same)
        plan.warn(None, "system_b", reasons.SAME_ON_BOTH_SIDES(n=tally.same, some=some))
    if tally.unmatched:
        some = "; ".join(f"{told} ({number})" for number, told in tally.some_unmatched)
        if tally.with_responses:
            plan.refuse(None, "item", reasons.ANSWERS_OF_OTHERS(n=tally.unmatched, some=some))
        elif tally.made or tally.undecided:
            plan.warn(None, "item", reasons.ROWS_UNMATCHED(n=tally.unmatched, rows=tally.rows, some=some))
        else:
            plan.refuse(None, "item", reasons.ALL_UNMATCHED(rows=tally.rows, some=some))


def _refuse_cells(plan: Refusing, tally: Tally) -> None:
    for number, column in () if tally.with_responses else tally.no_text:
        plan.refuse(number, column, CELL_NO_TEXT(column=column))
    for (column, value), (first, n) in tally.undecided.items():
        plan.refuse(first, column, reasons.VALUE_UNDECIDED(value=repr(value), column=column, n=n))
    for number, column, value in tally.not_turned:
        plan.refuse(number, column, reasons.NOT_TURNED(value=repr(value)))


def _some(values: Iterable[str]) -> str:
    names = list(dict.fromkeys(values))
    more = f" … ({len(names)})" if len(names) > MOST_EXAMPLES else ""
    return ", ".join(repr(name) for name in names[:MOST_EXAMPLES]) + more
