import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.utils import timezone

from corpus.imports.files.abandoned import sweep_abandoned_files
from corpus.models import Import
from infrastructure.files.media import remove_empty_folders, written_whole
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


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


@pytest.mark.databases
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


@pytest.mark.databases
def test_sweep_removes_folders_that_deleted_recordings_left_empty(media_root: Path) -> None:
    recording = aged(media_root / "clips" / "ab" / "abcd", 2)
    for folder in ("clips/cd", "delivered/ef/v1", "imports/new"):
        (media_root / folder).mkdir(parents=True)

    sweep_abandoned_files()

    left = sorted(str(path.relative_to(media_root)) for path in media_root.rglob("*"))
    assert left == ["clips", "clips/ab", "clips/ab/abcd", "delivered", "imports", "imports/new"]
    assert recording.exists()


def test_files_are_written_while_empty_folders_are_removed(media_root: Path) -> None:
    """One thread writes and deletes as imports do, the other removes what is empty all the while."""
    targets = [media_root / "clips" / f"{n:02x}" / "file" for n in range(16)]
    done = Event()
    removed = []

    def sweep() -> None:
        while not done.is_set():
            removed.append(remove_empty_folders(media_root / "clips"))

    with ThreadPoolExecutor(1) as pool:
        sweeping = pool.submit(sweep)
        try:
            for _ in range(60):
                for target in targets:
                    with written_whole(target) as file:
                        file.write(b"sound")
                    assert target.read_bytes() == b"sound"
                    target.unlink()
        finally:
            done.set()
        sweeping.result(timeout=20)

    assert sum(removed) > 0


@pytest.mark.databases
def test_folder_that_is_removed_before_its_file_is_made_again(
    media_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, make = media_root / "clips" / "ab" / "file", tempfile.NamedTemporaryFile

    def make_late(**how: Any) -> Any:
        monkeypatch.setattr(tempfile, "NamedTemporaryFile", make)
        assert remove_empty_folders(media_root / "clips") == 1
        return make(**how)

    monkeypatch.setattr(tempfile, "NamedTemporaryFile", make_late)
    with written_whole(target) as file:
        file.write(b"sound")

    assert target.read_bytes() == b"sound"
