"""Files that nobody will come back for: uploads that were never confirmed, and halves that a kill left."""

import shutil
import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone

from corpus.imports.files.resumable import expired_uploads
from corpus.models import Import

UNCONFIRMED = timedelta(days=7)
ORPHANED = timedelta(days=1)
WAITING = (Import.Status.CHECKED, Import.Status.UNDECIDED)
AWAITED = (Import.Status.CHECKING, *WAITING, Import.Status.IMPORTING)


def sweep_abandoned_files() -> int:
    """Remove them, and end the imports that waited for a week; return how many files and folders went."""
    Import.objects.filter(status__in=WAITING, created_at__lt=timezone.now() - UNCONFIRMED).update(
        status=Import.Status.FAILED
    )
    media = Path(settings.MEDIA_ROOT)
    awaited = {str(pk) for pk in Import.objects.filter(status__in=AWAITED).values_list("pk", flat=True)}
    folders = [path for path in media.glob("imports/*") if path.name not in awaited and _is_old(path)]
    folders += expired_uploads()
    halves = [path for path in media.rglob(".unfinished-*") if _is_old(path)]
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)
    for half in halves:
        half.unlink(missing_ok=True)
    return len(folders) + len(halves)


def _is_old(path: Path) -> bool:
    return time.time() - path.stat().st_mtime > ORPHANED.total_seconds()
