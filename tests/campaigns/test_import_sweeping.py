import os
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from corpus.imports.files.abandoned import sweep_abandoned_files
from corpus.models import Import
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.databases]


def upload(status: str, days: float) -> Import:
    """An import of that age, with its folder."""
    row = Import.objects.create(dataset_name="D", manifest_name="m.csv", status=status, created_by=UserFactory())
    Import.objects.filter(pk=row.pk).update(created_at=timezone.now() - timedelta(days=days))
    aged(row.folder / "manifest", days)
    return row


def aged(path: Path, days: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    then = time.time() - days * 86_400
    os.utime(path, (then, then))
    os.utime(path.parent, (then, then))
    return path


def test_sweep_ends_what_was_never_confirmed_and_keeps_what_is_awaited(media_root: Path) -> None:
    forgotten, waiting, busy = upload("checked", 8), upload("checked", 6), upload("importing", 30)

    assert sweep_abandoned_files() == 1

    forgotten.refresh_from_db()
    assert forgotten.status == "failed"
    assert [row.folder.exists() for row in (forgotten, waiting, busy)] == [False, True, True]


def test_sweep_removes_orphaned_folders_and_halves_once_they_are_old(media_root: Path) -> None:
    old = [
        aged(media_root / "imports" / "gone" / "manifest", 2),
        aged(media_root / "clips" / "ab" / ".unfinished-1", 2),
    ]
    fresh = [
        aged(media_root / "imports" / "new" / "manifest", 0),
        aged(media_root / "clips" / "cd" / ".unfinished-2", 0),
    ]

    assert sweep_abandoned_files() == 2
    assert [path.exists() for path in old + fresh] == [False, False, True, True]
