"""The dry run of a tool's file: what it holds becomes rows of ours, and these are checked as any others."""

from pathlib import Path

from corpus.imports.answers.checking import CheckedAnswers, check_answers
from corpus.imports.answers.plan import AnswersPlan
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import AnswersTable
from corpus.imports.checks.check import check
from corpus.imports.checks.nothing_left import nothing_left
from corpus.imports.checks.result import Checked, Report
from corpus.imports.files.audio_files import AudioFiles
from corpus.imports.files.encodings import CALLED, encoding_of
from corpus.imports.files.rows import UnreadableManifest, place_in
from corpus.imports.manifest.choices import Choices
from corpus.imports.manifest.columns import cell_of
from corpus.imports.manifest.planning import make_plan
from corpus.imports.mapping.checking import check_mapped
from corpus.imports.mapping.holding import known_in
from corpus.imports.mapping.known import Known
from corpus.imports.mapping.mapping import PSEUDONYMS, TableMapping
from corpus.imports.mapping.reasons import NOT_UTF8_READ_AS, RATERS_AS_IN_FILE, RATERS_UNDER_PSEUDONYMS
from corpus.imports.mapping.rows.reading import NUMBER
from corpus.imports.mapping.together import CheckedTogether, add_planned
from corpus.imports.plan import Plan
from corpus.imports.tools import reasons
from corpus.imports.tools.answers import rows_of_answers
from corpus.imports.tools.in_parts import CheckedInParts, check_in_parts
from corpus.imports.tools.recognised import Recognised
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason


def check_recognised(
    found: Recognised,
    file: Path,
    files: AudioFiles | None,
    *,
    dataset_name: str,
    label_set_name: str,
    progress: ShowProgress,
    choices: Choices,
) -> Checked | CheckedAnswers | CheckedTogether | CheckedInParts:
    """Check what the tool's file holds against the dataset of that name, read as was chosen."""
    files = files if found.files is None else found.files
    if found.table and found.mapping:
        if not found.table.columns:
            raise UnreadableManifest(nothing_left(found.as_json()["lost"]))
        chosen = TableMapping.from_json(choices.mapping) if choices.mapping else found.mapping
        mapping = chosen.with_raters_of(found.mapping)
        checked = check_mapped(
            found.table, files, mapping, dataset_name=dataset_name, label_set_name=label_set_name, progress=progress,
            choices=choices,
        )  # fmt: skip
        if not isinstance(checked, Checked):
            _refuse_outside(
                found, mapping, checked.answers.plan if isinstance(checked, CheckedTogether) else checked.plan
            )
        told = _told(found, file)
        checked.tool = told | {"mapping": mapping.as_json(), "lost": told["lost"] + _of_raters(mapping)}
        manifest = checked.responses if isinstance(checked, CheckedTogether) else checked
        if isinstance(manifest, Checked):
            manifest.files = found.files
        return checked
    dataset = Dataset.objects.filter(name=dataset_name).first()
    if found.parts:
        in_parts = check_in_parts(
            found.parts, place=place_in(file), total=found.n_rows, dataset=dataset, label_set_name=label_set_name,
            progress=progress,
        )  # fmt: skip
        in_parts.tool = _told(found, file)
        return in_parts
    responses, plan = None, None
    if found.responses:
        rows = list(found.responses())
        plan = make_plan(
            rows, without_audio=files is None, choices=choices, place=place_in(file), is_part=not rows,
            progress=progress,
        )  # fmt: skip
        plan.rows = len({number for number, _ in rows})  # of the file: one of them may be several of ours
        responses = check(plan, files, dataset=dataset, label_set_name=label_set_name, progress=progress)
        responses.files = found.files
    answers = _answers(found, file, plan, dataset, label_set_name, progress) if found.answers else None
    both = CheckedTogether(responses, answers) if responses and answers else responses or answers
    if both is None:
        raise ValueError(f"Nothing is read of {found.told}")
    both.tool = _told(found, file)
    return both


def _told(found: Recognised, file: Path) -> Report:
    """What the report has of the tool, and how the file is written where that is not UTF-8."""
    told, encoding = found.as_json(), CALLED.get(encoding_of(file))
    return told | {"lost": [*told["lost"], NOT_UTF8_READ_AS(encoding=encoding)]} if encoding else told


def _refuse_outside(found: Recognised, mapping: TableMapping, plan: AnswersPlan) -> None:
    """Refuse numbers outside of the tool's scale by row, unless the mapping says what becomes of them."""
    read = {name: mapping.columns[name] for name in found.limits if name in mapping.of("answer")}
    for number, row in found.table.rows() if found.table and read else ():
        for column, use in read.items():
            cell, (least, most) = cell_of(row, column), found.limits[column]
            is_decided = use.values.get(cell) or use.others
            if not is_decided and NUMBER.fullmatch(cell) and not least <= float(cell.replace(",", ".")) <= most:
                plan.refuse(number, column, reasons.OUTSIDE_SCALE(value=cell, least=least, most=most))


def _of_raters(mapping: TableMapping) -> list[Reason]:
    """How raters come in, of a file that may name persons."""
    if not mapping.raters or not mapping.of("annotator"):
        return []
    return [RATERS_UNDER_PSEUDONYMS() if mapping.raters == PSEUDONYMS else RATERS_AS_IN_FILE()]


def _answers(
    found: Recognised,
    file: Path,
    plan: Plan | None,
    dataset: Dataset | None,
    label_set_name: str,
    progress: ShowProgress,
) -> CheckedAnswers:
    known = known_in(dataset) or Known()
    if plan:
        add_planned(known, plan)
    rows = rows_of_answers(found.answers() if found.answers else (), known)
    planned = plan_answers(
        AnswersTable(rows, at_most=0, lost=None, whole=True), progress=progress, may_be_empty=True
    )  # fmt: skip
    planned.place = place_in(file)
    return check_answers(planned, dataset=dataset, label_set_name=label_set_name, progress=progress, planned=plan)
