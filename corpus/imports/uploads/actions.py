"""What a person does with an upload: bring it, say how it is read, have it written."""

from dataclasses import replace
from pathlib import Path

from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError, transaction

from accounts.models import User
from accounts.people.rights import require_administrator
from corpus.imports import reasons
from corpus.imports.answers.tables import begins_like_answers
from corpus.imports.files.archives import ZipGone, name_of_archive, save_archive, save_upload
from corpus.imports.files.studies import holds_study
from corpus.imports.manifest.choices import MAPPING, NOTHING_CHOSEN, Choices
from corpus.imports.mapping.mapping import ANSWERS, TableMapping
from corpus.imports.mapping.reasons import MAP_AFTER_CHECK
from corpus.imports.tools.registry import names_no_sound
from corpus.imports.uploads.ending import end_import
from corpus.imports.writing import require_open_dataset
from corpus.models import Dataset, Import
from corpus.models.imports import ARCHIVE
from infrastructure.background.jobs import JobRefused, end_job, latest_job, start_job
from infrastructure.files.media import StorageUnavailable, hand_over, remove_folder
from infrastructure.models import Job
from infrastructure.wording.reasons import Reasoned, reason_of

#: What the labels of a study's people are called, unless they are named.
PEOPLE = "People"


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
        start_job(f"{row.kind}-write", subject=row.pk, started_by=user)  # unless one is at it
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


def cancel_checking(row: Import, *, user: User) -> Import:
    """End its check; the upload is thrown away. For its owner and administrators. Raises ImportRefused."""
    if row.created_by_id != user.pk:
        require_administrator(user)
    with transaction.atomic():
        row = Import.objects.select_for_update().get(pk=row.pk)
        if row.status != Import.Status.CHECKING:
            raise ImportRefused(reasons.NOT_BEING_CHECKED())
        job = latest_job(f"{row.kind}-check", row.pk)
        if job and job.is_active:
            try:
                end_job(job, by=user, why=reasons.CHECK_CANCELLED())
            except JobRefused as refusal:
                raise ImportRefused(reason_of(refusal)) from refusal
        else:
            end_import(row, Import.Status.FAILED)
    row.refresh_from_db()
    return row


def current_job(row: Import) -> Job | None:
    return latest_job(f"{row.kind}-write", row.pk) or latest_job(f"{row.kind}-check", row.pk)


def _needs_no_audio(manifest: UploadedFile) -> bool:
    return names_no_sound(manifest) or begins_like_answers(manifest)


def _require_unarchived(row: Import) -> None:
    if Dataset.objects.filter(name=row.dataset_name, archived_at__isnull=False).exists():
        raise ImportRefused(reasons.INTO_ARCHIVED(name=row.dataset_name))
