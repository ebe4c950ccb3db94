"""The end of an import: what stays of its upload."""

from corpus.models import Import
from corpus.models.imports import ARCHIVE
from infrastructure.files.media import keep_only, remove_folder


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
