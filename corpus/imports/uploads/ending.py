"""The end of an import: what stays of its upload, and why it failed."""

from django.db import transaction

from corpus.models import Import
from corpus.models.imports import ARCHIVE
from infrastructure.background.jobs import InputRefused, end_failed_job
from infrastructure.files.media import keep_only, remove_folder


def refuse_import(row: Import, why: InputRefused) -> bool:
    """End it because of what its table says; the ZIP stays, for a corrected table. Whether it was ended here."""
    if not _ended(row, Import.Status.FAILED, why):
        return False
    keep_only(row.folder, ARCHIVE) if row.archive_name else remove_folder(row.folder)
    return True


def end_import(row: Import, status: str, why: Exception | None = None) -> bool:
    """Whether it was ended here: a job that lost its lease may come second, and what the first one said stays.

    Its job fails at the same moment where that is `why`, so that a reader of the one reads the other.
    """
    if not _ended(row, status, why):
        return False
    remove_folder(row.folder)
    return True


@transaction.atomic
def _ended(row: Import, status: str, why: Exception | None) -> bool:
    if not Import.objects.filter(pk=row.pk, status=row.status).update(status=status):
        return False
    if why:
        end_failed_job(row.job_kind, row.pk, why)
    return True
