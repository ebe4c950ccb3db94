"""Files that nobody will come back for: uploads that were never confirmed, and halves that a kill left."""

import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from corpus.imports.files.resumable import expired_uploads
from corpus.models import Import
from infrastructure.files.media import (
    UNFINISHED,
    files_below,
    folders_in,
    in_objects,
    last_change,
    remove_empty_folders,
    remove_folder,
)

UNCONFIRMED = timedelta(days=7)
ORPHANED = timedelta(days=1)
#: Where files are in folders by the beginning of their hash.
SHARDED = ("clips", "delivered")
WAITING = (Import.Status.CHECKED, Import.Status.UNDECIDED)
AWAITED = (Import.Status.CHECKING, *WAITING, Import.Status.IMPORTING)


def sweep_abandoned_files() -> int:
    """Remove them, and end the imports that waited for a week; return how many of them went.

    Folders that deleted recordings left empty go, too.
    """
    Import.objects.filter(status__in=WAITING, created_at__lt=timezone.now() - UNCONFIRMED).update(
        status=Import.Status.FAILED
    )
    media = Path(settings.MEDIA_ROOT)
    awaited = {str(pk) for pk in Import.objects.filter(status__in=AWAITED).values_list("pk", flat=True)}
    folders = [path for path in media.glob("imports/*") if path.name not in awaited and _is_old(path)]
    folders += expired_uploads()
    halves = [path for path in files_below(media) if path.name.startswith(UNFINISHED) and _is_old(path)]
    if in_objects():
        handed_over = [media / "imports" / name for name in folders_in("imports") if name not in awaited]
        folders += [it for it in handed_over if not it.exists() and _is_older(last_change(f"imports/{it.name}"))]
    for folder in folders:
        remove_folder(folder)
    for half in halves:
        half.unlink(missing_ok=True)
    for name in SHARDED:
        remove_empty_folders(media / name)
    return len(folders) + len(halves)


def _is_old(path: Path) -> bool:
    return _is_older(path.stat().st_mtime)


def _is_older(moment: float) -> bool:
    return time.time() - moment > ORPHANED.total_seconds()
