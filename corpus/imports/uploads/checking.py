"""The dry run of a file, whatever it is, and the writing of what was checked."""

from pathlib import Path

from corpus.imports.answers.checking import CheckedAnswers, check_answers
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import begins_like_answers, open_answers_table
from corpus.imports.answers.writing import write_answers
from corpus.imports.checks.check import check
from corpus.imports.checks.look_alikes import warn_of_look_alikes
from corpus.imports.checks.result import Checked, Report
from corpus.imports.files.audio_files import AudioFiles
from corpus.imports.files.encodings import CALLED, encoding_of
from corpus.imports.files.rows import place_in, unread_in
from corpus.imports.manifest.choices import NOTHING_CHOSEN, Choices
from corpus.imports.manifest.columns import NAMES_READ
from corpus.imports.manifest.planning import make_plan
from corpus.imports.mapping.checking import check_mapped, tell_unread
from corpus.imports.mapping.encodings import manifest_rows
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.reasons import NOT_UTF8_READ_AS
from corpus.imports.mapping.table import table_of
from corpus.imports.mapping.together import CheckedTogether, write_together
from corpus.imports.plan import Plan
from corpus.imports.tools.checking import check_recognised
from corpus.imports.tools.in_parts import CheckedInParts, write_in_parts
from corpus.imports.tools.registry import recognised
from corpus.imports.uploads.nothing_left import AnyChecked, refuse_nothing
from corpus.imports.writing import Destination, write
from corpus.models import Dataset
from infrastructure.background.kinds import ShowProgress


def check_upload(
    file: Path,
    files: AudioFiles | None,
    *,
    dataset_name: str,
    label_set_name: str,
    progress: ShowProgress,
    choices: Choices = NOTHING_CHOSEN,
) -> AnyChecked:
    """Read and check a manifest, or a table of answers, which its columns tell; `choices` are about manifests.

    With a mapping among the choices it is read as any table. A file of another tool is read as that tool's.
    """
    checked = _checked(
        file,
        files,
        dataset_name=dataset_name,
        label_set_name=label_set_name,
        progress=progress,
        choices=choices,
    )
    refuse_nothing(checked)
    responses = checked.responses if isinstance(checked, CheckedTogether) else checked
    if isinstance(responses, Checked):
        warn_of_look_alikes(responses.plan, responses.plan.systems, dataset_name=dataset_name)
    elif isinstance(responses, CheckedInParts):
        of_all = Plan(place=responses.place)
        warn_of_look_alikes(of_all, sorted(responses.systems), dataset_name=dataset_name)
        responses.add_warnings(of_all.problems)
    return checked


def _checked(
    file: Path,
    files: AudioFiles | None,
    *,
    dataset_name: str,
    label_set_name: str,
    progress: ShowProgress,
    choices: Choices,
) -> AnyChecked:
    if (found := recognised(file)) and (found.table or not choices.mapping):
        return check_recognised(
            found,
            file,
            files,
            dataset_name=dataset_name,
            label_set_name=label_set_name,
            progress=progress,
            choices=choices,
        )
    if choices.mapping:
        return check_mapped(
            table_of(file),
            files,
            TableMapping.from_json(choices.mapping),
            dataset_name=dataset_name,
            label_set_name=label_set_name,
            progress=progress,
            choices=choices,
        )
    with file.open("rb") as opened:
        of_answers = begins_like_answers(opened)
    if not of_answers:
        return check_manifest(
            file,
            files,
            dataset_name=dataset_name,
            label_set_name=label_set_name,
            progress=progress,
            choices=choices,
        )
    plan = plan_answers(open_answers_table(file), progress=progress)
    dataset = Dataset.objects.filter(name=dataset_name).first()
    return check_answers(plan, dataset=dataset, label_set_name=label_set_name, progress=progress)


def checked_in_parts(file: Path, report: Report) -> CheckedInParts | None:
    """A file that was checked in parts, with what that found; None of a file that is read as a whole."""
    found = recognised(file)
    if not found or not found.parts:
        return None
    return CheckedInParts(found.parts, place_in(file), found.n_rows, earlier=report)


def check_manifest(
    manifest: Path,
    files: AudioFiles | None,
    *,
    dataset_name: str,
    label_set_name: str,
    progress: ShowProgress,
    choices: Choices = NOTHING_CHOSEN,
) -> Checked:
    """Read and check a manifest against the dataset of that name, which need not exist yet."""
    rows = manifest_rows(manifest)
    plan: Plan = make_plan(
        rows, without_audio=files is None, choices=choices, place=place_in(manifest), progress=progress
    )
    tell_unread(plan, unread_in(manifest), NAMES_READ | {choices.item_column, choices.label_column})
    if (encoding := encoding_of(manifest)) in CALLED:
        plan.warn(None, "file", NOT_UTF8_READ_AS(encoding=CALLED[encoding]))
    dataset = Dataset.objects.filter(name=dataset_name).first()
    return check(plan, files, dataset=dataset, label_set_name=label_set_name, progress=progress)


def write_checked(
    checked: AnyChecked,
    files: AudioFiles | None,
    destination: Destination,
    *,
    progress: ShowProgress,
) -> Dataset:
    """Write what was checked. Raises what `write`, `write_answers` and `write_in_parts` raise."""
    if isinstance(checked, CheckedInParts):
        return write_in_parts(checked, destination, progress=progress)
    if isinstance(checked, CheckedAnswers):
        return write_answers(checked, destination, progress=progress)
    if isinstance(checked, CheckedTogether):
        return write_together(checked, checked.responses.files or files, destination, progress=progress)
    return write(checked, checked.files or files, destination, progress=progress)
