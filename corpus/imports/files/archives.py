"""The ZIP of an import as it is uploaded, or as that of a refused import is used again."""

from pathlib import Path

from django.core.files.uploadedfile import UploadedFile

from corpus.imports import reasons
from corpus.imports.files.resumable import WholeUpload, link_or_copy
from corpus.models import Import
from corpus.models.imports import ARCHIVE
from infrastructure.files.media import pieces_of
from infrastructure.wording.reasons import Reasoned

#: Bytes that are copied at a time.
PIECE = 1024**2


class ZipGone(Reasoned, ValueError):
    """The ZIP of the refused import is no longer there."""


def name_of_archive(archive: UploadedFile | Import | None) -> str:
    if isinstance(archive, Import):
        return archive.archive_name
    return (archive.name or ARCHIVE) if archive else ""


def save_archive(archive: UploadedFile | Import, path: Path) -> None:
    """Keep it under this path; that of a refused import stays in its own place, too. Raises ZipGone, OSError."""
    if not isinstance(archive, Import):
        save_upload(archive, path)
        return
    if (kept := archive.kept_archive) is None:
        raise ZipGone(reasons.ZIP_NO_LONGER_KEPT())
    try:
        if isinstance(kept, Path):
            link_or_copy(kept, path)
        else:
            with path.open("wb") as copy:
                copy.writelines(pieces_of(kept, PIECE))
    except FileNotFoundError as gone:
        raise ZipGone(reasons.ZIP_NO_LONGER_KEPT()) from gone


def save_upload(upload: UploadedFile, path: Path) -> None:
    if isinstance(upload, WholeUpload):
        upload.link_to(path)
        return
    with path.open("wb") as kept:
        for chunk in upload.chunks():
            kept.write(chunk)
