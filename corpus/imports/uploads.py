"""An import from upload to rows: two jobs, the check and, when a person has said yes, the writing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError, transaction
from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from corpus.imports import reasons
from corpus.imports.answers.checking import CheckedAnswers, check_answers
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import begins_like_answers, open_answers_table
from corpus.imports.answers.writing import write_answers
from corpus.imports.checks.check import check
from corpus.imports.checks.result import Checked, Report
from corpus.imports.files.archives import ZipGone, name_of_archive, save_archive, save_upload
from corpus.imports.files.audio_files import AudioFiles, MissingAudio, UnusableArchive, ZipAudio
from corpus.imports.files.remote_audio import audio_of
from corpus.imports.files.rows import UnreadableManifest, place_in
from corpus.imports.files.studies import holds_study
from corpus.imports.manifest.choices import MAPPING, NOTHING_CHOSEN, Choices
from corpus.imports.manifest.planning import make_plan
from corpus.imports.mapping.checking import check_mapped
from corpus.imports.mapping.encodings import CALLED, encoding_of, manifest_rows
from corpus.imports.mapping.mapping import ANSWERS, TableMapping
from corpus.imports.mapping.reasons import MAP_AFTER_CHECK, NOT_UTF8_READ_AS
from corpus.imports.mapping.table import table_of
from corpus.imports.mapping.together import CheckedTogether, write_together
from corpus.imports.plan import Plan
from corpus.imports.reasons import DATASET_CHANGED
from corpus.imports.tools.checking import check_recognised
from corpus.imports.tools.in_parts import CheckedInParts, write_in_parts
from corpus.imports.tools.registry import names_no_sound, recognised
from corpus.imports.writing import ArchivedDataset, Destination, PlanRefused, require_open_dataset, write
from corpus.models import Dataset, Import
from corpus.models.imports import ARCHIVE
from infrastructure.background.jobs import InputRefused, JobTaken, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.background.subjects import Subjects
from infrastructure.files.media import StorageUnavailable, hand_over, keep_only, remove_folder
from infrastructure.models import Job
from infrastructure.wording.reasons import Reasoned, reason_of

IMPORTED = AuditEvent("dataset_imported", gettext_lazy("An import was written, as version %(version)s."))
#: Imports, by the dataset that they go into.
IMPORTS = Subjects(Import, name="dataset_name", url="import", args=("pk",))
#: What the labels of a study's people are called, unless they are named.
PEOPLE = "People"

AnyChecked = Checked | CheckedAnswers | CheckedTogether | CheckedInParts


class Reported(Protocol):
    def report(self) -> Report: ...


class ImportRefused(Reasoned, ValueError):
    """The import cannot go on from where it stands."""


def begin_import(
    *,
    user: User,
    dataset_name: str,
    manifest: UploadedFile,
    archive: UploadedFile | Import | None,
    label_set_name: str = "",
    without_audio: bool = False,
    writes_at_once: bool = False,
    choices: Choices = NOTHING_CHOSEN,
) -> Import:
    """Keep the upload and queue its check; answers come without audio. What is clean waits for a yes, or is written.

    An import as `archive` is a refused one, whose ZIP is used again.
    Raises PermissionDenied for somebody else's dataset, ArchivedDataset, ZipGone.
    """
    require_open_dataset(dataset_name, user)
    kind = Import.Kind.STUDY if holds_study(manifest) else Import.Kind.DATASET
    stem = Path(manifest.name or "manifest").stem
    row = Import(
        kind=kind,
        dataset_name=dataset_name,
        dataset=Dataset.objects.filter(name=dataset_name).first(),  # which it goes with, should that be deleted
        label_set_name=label_set_name or (PEOPLE if kind == Import.Kind.STUDY else f"Labels of {stem}"[:200]),
        without_audio=without_audio
        or kind == Import.Kind.STUDY
        or (choices.mapping["shape"] == ANSWERS if choices.mapping else _needs_no_audio(manifest)),
        writes_at_once=writes_at_once,
        choices=choices.as_json(),
        manifest_name=manifest.name or "manifest",
        archive_name=name_of_archive(archive),
        created_by=user,
    )
    try:
        row.folder.mkdir(parents=True)
        save_upload(manifest, row.manifest_path)
        if archive:
            save_archive(archive, row.folder / ARCHIVE)
        hand_over(row.folder)
        with transaction.atomic():  # only now: copying gigabytes must not hold SQLite's one write lock
            row.save(force_insert=True)
            start_job(f"{row.kind}-check", subject=row.pk, started_by=user)
    except (OSError, DatabaseError, StorageUnavailable, ZipGone):
        remove_folder(row.folder)
        raise
    return row


@transaction.atomic
def confirm_import(row: Import, *, user: User) -> Import:
    """Queue the writing of a clean check. Raises ImportRefused unless the check found no errors."""
    row = Import.objects.select_for_update().get(pk=row.pk)
    if row.status == Import.Status.IMPORTING:
        return row
    if row.status != Import.Status.CHECKED:
        raise ImportRefused(reasons.NOT_CLEAN())
    row.status = Import.Status.IMPORTING
    # Locked, so that it is not archived at the same moment; it is neither archived nor deleted while this goes on.
    row.dataset = Dataset.objects.select_for_update().filter(name=row.dataset_name).first()
    _require_unarchived(row)
    row.save(update_fields=["status", "dataset"])
    start_job(f"{row.kind}-write", subject=row.pk, started_by=user)
    return row


@transaction.atomic
def choose(row: Import, *, choices: Choices, user: User) -> Import:
    """Keep how the file is to be read, and check it again. Raises ImportRefused where it is too late for that."""
    row = Import.objects.select_for_update().get(pk=row.pk)
    if row.kind != Import.Kind.DATASET or row.status not in (Import.Status.CHECKED, Import.Status.UNDECIDED):
        raise ImportRefused(reasons.CHOOSE_AFTER_CHECK())
    _require_unarchived(row)
    row.choices = replace(choices, mapping=row.choices.get(MAPPING, {})).as_json()
    row.status = Import.Status.CHECKING
    row.save(update_fields=["choices", "status"])
    start_job(f"{row.kind}-check", subject=row.pk, started_by=user)
    return row


@transaction.atomic
def map_columns(row: Import, *, mapping: TableMapping, user: User) -> Import:
    """Keep what the columns become, and check the file again. Raises ImportRefused where it is too late for that."""
    row = Import.objects.select_for_update().get(pk=row.pk)
    if row.kind != Import.Kind.DATASET or row.status not in (Import.Status.CHECKED, Import.Status.UNDECIDED):
        raise ImportRefused(MAP_AFTER_CHECK())
    _require_unarchived(row)
    row.choices, row.status = row.choices | {MAPPING: mapping.as_json()}, Import.Status.CHECKING
    row.without_audio = mapping.shape == ANSWERS or not row.archive_name
    row.save(update_fields=["choices", "status", "without_audio"])
    start_job(f"{row.kind}-check", subject=row.pk, started_by=user)
    return row


def current_job(row: Import) -> Job | None:
    return latest_job(f"{row.kind}-write", row.pk) or latest_job(f"{row.kind}-check", row.pk)


def page_of_import(pk: str) -> str:
    return reverse("import", args=[pk])


def problems_of_import(pk: str) -> list[dict[str, Any]]:
    """What the check or the writing found wrong, row by row."""
    row = Import.objects.filter(pk=pk).first()
    return list(row.report.get("problems", [])) if row else []


def check_import(subject: str, progress: ShowProgress) -> None:
    """The dry run; a faulty upload is thrown away at once, its report stays, and its ZIP for a day."""
    row = Import.objects.get(pk=subject)
    if row.status != Import.Status.CHECKING:
        return
    with failing_for_good(row):
        settle_check(row, _check(row, progress).report())


def settle_check(row: Import, report: Report) -> None:
    """Keep what the check found, and wait for a person, or keep its ZIP alone and raise InputRefused."""
    checking = Import.objects.filter(pk=row.pk, status=Import.Status.CHECKING)
    checking.update(report=report)
    is_mapped = MAPPING in row.choices or report.get("tool", {}).get("mapped")
    if (report.get("undecided") or (report["errors"] and is_mapped)) and not row.writes_at_once:
        checking.update(status=Import.Status.UNDECIDED)
    elif report["errors"]:
        if refuse_import(row):
            raise InputRefused(reasons.HAS_ERRORS(n=report["errors"]))
    else:
        with transaction.atomic():
            found_clean = Import.objects.filter(pk=row.pk, status=Import.Status.CHECKING)
            if found_clean.update(status=Import.Status.CHECKED) and row.writes_at_once:
                confirm_import(row, user=row.created_by)


def cancel_check(subject: str) -> None:
    """The check was cancelled: the upload is thrown away, as that of a faulty one."""
    if row := Import.objects.filter(pk=subject, status=Import.Status.CHECKING).first():
        end_import(row, Import.Status.FAILED)


def write_import(subject: str, progress: ShowProgress) -> None:
    """Check once more (the dataset may have changed since), then write."""
    row = Import.objects.get(pk=subject)
    if row.status != Import.Status.IMPORTING:
        return
    destination = Destination(row.dataset_name, row.label_set_name, row.created_by, upload=row)
    with failing_for_good(row):
        checked = _check(row, progress)
        settle_writing(row, checked, lambda: write_checked(checked, _files(row), destination, progress=progress))


def settle_writing(row: Import, checked: Reported, write: Callable[[], Dataset]) -> None:
    """Write, and end the import. Raises InputRefused where the dataset is not any more what it was at the check."""
    try:
        row.dataset = write()
    except PlanRefused as refusal:
        row.report = checked.report()
        row.save(update_fields=["report"])
        raise InputRefused(DATASET_CHANGED()) from refusal
    with transaction.atomic():
        row.save(update_fields=["dataset"])
        number = row.dataset.versions.aggregate(last=Max("number"))["last"] or 1
        record(IMPORTED, by=row.created_by, kind=Subject.DATASET, number=row.dataset.pk, name=row.dataset.name,
               version=number)  # fmt: skip
    Import.objects.filter(dataset_name=row.dataset_name, dataset=None).update(dataset=row.dataset)
    end_import(row, Import.Status.IMPORTED)


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
    plan: Plan = make_plan(rows, without_audio=files is None, choices=choices, place=place_in(manifest))
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


def _needs_no_audio(manifest: UploadedFile) -> bool:
    return names_no_sound(manifest) or begins_like_answers(manifest)


def _require_unarchived(row: Import) -> None:
    if Dataset.objects.filter(name=row.dataset_name, archived_at__isnull=False).exists():
        raise ImportRefused(reasons.INTO_ARCHIVED(name=row.dataset_name))


def _check(row: Import, progress: ShowProgress) -> AnyChecked:
    require_open_dataset(row.dataset_name, row.created_by)
    return check_upload(
        row.manifest_path,
        _files(row),
        dataset_name=row.dataset_name,
        label_set_name=row.label_set_name,
        progress=progress,
        choices=Choices.from_json(row.choices),
    )


@contextmanager
def failing_for_good(row: Import) -> Iterator[None]:
    """Throw the upload away where it cannot go on. It stays for the next worker after a kill, or a take-over."""
    try:
        yield
    except JobTaken:
        if not Import.objects.filter(pk=row.pk, status=row.status).exists():
            remove_folder(row.folder)  # cancelled: what was fetched since goes, too
        raise
    except UnreadableManifest as refusal:
        refuse_import(row)
        raise InputRefused(reason_of(refusal)) from refusal
    except (UnusableArchive, MissingAudio, PermissionDenied, ArchivedDataset) as refusal:
        end_import(row, Import.Status.FAILED)
        raise InputRefused(reason_of(refusal)) from refusal
    except Exception:
        end_import(row, Import.Status.FAILED)
        raise


def _files(row: Import) -> AudioFiles | None:
    if row.without_audio:
        return None
    packed = ZipAudio(row.archive_path, max_bytes=settings.MAX_ARCHIVE_BYTES) if row.archive_path else None
    files = audio_of(row.manifest_path, packed, row.folder / "fetched")
    if files is None:
        raise UnusableArchive(reasons.NO_ZIP_GIVEN())
    return files


def refuse_import(row: Import) -> bool:
    """End it because of what its table says; the ZIP stays, for a corrected table. Whether it was ended here."""
    if not Import.objects.filter(pk=row.pk, status=row.status).update(status=Import.Status.FAILED):
        return False
    keep_only(row.folder, ARCHIVE) if row.archive_name else remove_folder(row.folder)
    return True


def end_import(row: Import, status: str) -> bool:
    """Whether it was ended here: a job that lost its lease may come second, and what the first one said stays."""
    if not Import.objects.filter(pk=row.pk, status=row.status).update(status=status):
        return False
    remove_folder(row.folder)
    return True
