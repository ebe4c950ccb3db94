"""The two jobs of an import: its check, and its writing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Max
from django.urls import reverse
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from corpus.imports import reasons
from corpus.imports.checks.result import Report
from corpus.imports.files.audio_files import AudioFiles, MissingAudio, UnusableArchive, ZipAudio
from corpus.imports.files.remote_audio import audio_of, names_addresses
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.manifest.choices import MAPPING, Choices
from corpus.imports.portions import complete_or_discarded
from corpus.imports.reasons import DATASET_CHANGED
from corpus.imports.tools.in_parts import CheckedInParts
from corpus.imports.uploads.actions import confirm_import
from corpus.imports.uploads.checking import check_upload, checked_in_parts, write_checked
from corpus.imports.uploads.ending import end_import, refuse_import
from corpus.imports.uploads.left import queue_left
from corpus.imports.uploads.nothing_left import AnyChecked
from corpus.imports.versions import last_version
from corpus.imports.writing import ArchivedDataset, Destination, PlanRefused, require_open_dataset
from corpus.models import Dataset, Import
from infrastructure.background.jobs import InputRefused, JobTaken
from infrastructure.background.kinds import ShowProgress
from infrastructure.background.subjects import Subjects
from infrastructure.files.media import remove_folder
from infrastructure.locked_database import patiently
from infrastructure.wording.reasons import reason_of

IMPORTED = AuditEvent("dataset_imported", gettext_lazy("An import was written, as version %(version)s."))
#: Imports, by the dataset that they go into.
IMPORTS = Subjects(Import, name="dataset_name", url="import", args=("pk",))


class Reported(Protocol):
    def report(self) -> Report: ...


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
        refused = InputRefused(reasons.HAS_ERRORS(n=report["errors"]))
        if refuse_import(row, refused):
            raise refused
    else:
        with transaction.atomic():
            found_clean = Import.objects.filter(pk=row.pk, status=Import.Status.CHECKING)
            if found_clean.update(status=Import.Status.CHECKED) and row.writes_at_once:
                confirm_import(row, user=row.created_by)


def check_again(subject: str) -> None:
    """After a check: another one, where the columns were mapped while the first one ended."""
    queue_left(Import.objects.filter(pk=subject, status=Import.Status.CHECKING))


def cancel_check(subject: str) -> None:
    """The check was cancelled: the upload is thrown away, as that of a faulty one."""
    if row := Import.objects.filter(pk=subject, status=Import.Status.CHECKING).first():
        end_import(row, Import.Status.FAILED)


def fetches_audio(subject: str) -> bool:
    """Whether audio of the import is at addresses."""
    row = Import.objects.filter(pk=subject, without_audio=False).first()
    if row is None:
        return False
    try:
        with row.manifest_path.open("rb") as file:
            return names_addresses(file)
    except FileNotFoundError:  # the upload is gone, and with it what there was to fetch
        return False


def write_import(subject: str, progress: ShowProgress) -> None:
    """Check once more (the dataset may have changed since), then write. What comes in parts is checked by part."""
    row = Import.objects.get(pk=subject)
    if row.status != Import.Status.IMPORTING:
        return
    with failing_for_good(row):
        checked = _checked_before(row) or _check(row, progress)
        settle_writing(
            row, checked, lambda into: write_checked(checked, _files(row), into, progress=progress)
        )  # fmt: skip


def settle_writing(row: Import, checked: Reported, write: Callable[[Destination], Dataset]) -> None:
    """Write, and end the import in the transaction that writes the last of it.

    A dataset that it began and cannot complete is removed.
    Raises InputRefused where the dataset is not any more what it was at the check.
    """
    destination = Destination(
        row.dataset_name, row.label_set_name, row.created_by, upload=row, at_end=partial(_ended, row)
    )
    try:
        with complete_or_discarded(destination):
            patiently(lambda: write(destination))
    except PlanRefused as refusal:
        row.report = checked.report()
        row.save(update_fields=["report"])
        raise InputRefused(DATASET_CHANGED()) from refusal
    remove_folder(row.folder)


def _ended(row: Import, dataset: Dataset) -> None:
    """It was written; nothing is said twice by a job that lost its lease."""
    written = {"status": Import.Status.IMPORTED, "dataset": dataset}
    if not Import.objects.filter(pk=row.pk, status=Import.Status.IMPORTING).update(**written):
        return
    number = dataset.versions.aggregate(last=Max("number"))["last"] or 1
    record(IMPORTED, by=row.created_by, kind=Subject.DATASET, number=dataset.pk, name=dataset.name,
           version=number)  # fmt: skip
    Import.objects.filter(dataset_name=row.dataset_name, dataset=None).update(dataset=dataset)


def _checked_before(row: Import) -> CheckedInParts | None:
    """The parts of a file to whose dataset nothing was added since the check; None of any other import."""
    dataset = Dataset.objects.filter(name=row.dataset_name).first()
    if row.report.get("against_version") != last_version(dataset, before=row):
        return None
    return checked_in_parts(row.manifest_path, row.report)


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
        refused = InputRefused(reason_of(refusal))
        refuse_import(row, refused)
        raise refused from refusal
    except (UnusableArchive, MissingAudio, PermissionDenied, ArchivedDataset) as refusal:
        refused = InputRefused(reason_of(refusal))
        end_import(row, Import.Status.FAILED, refused)
        raise refused from refusal
    except Exception as fault:
        end_import(row, Import.Status.FAILED, fault)
        raise


def _files(row: Import) -> AudioFiles | None:
    if row.without_audio:
        return None
    packed = ZipAudio(row.archive_path, max_bytes=settings.MAX_ARCHIVE_BYTES) if row.archive_path else None
    files = audio_of(row.manifest_path, packed, row.folder / "fetched")
    if files is None:
        raise UnusableArchive(reasons.NO_ZIP_GIVEN())
    return files
