"""A copy of an SQLite database for a rehearsal, so that the thousands of rows that it writes block no one.

SQLite has one writer at a time. On PostgreSQL rehearsals write beside everybody else, and no copy is needed.
"""

import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import connection

PREFIX = ".rehearsal-"
#: A copy this old (s) was left by a rehearsal that was killed.
ABANDONED_S = 6 * 3600
#: What a rehearsal adds at most (bytes), besides the copy itself.
ROOM = 200 * 1024**2
#: A copy that is lost with the machine's power is no loss.
CARELESS = "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF;"


class NoRoom(Exception):
    """The copy does not fit. The message says how much is missing."""


@contextmanager
def on_a_copy(keep_as: Path | None = None) -> Iterator[None]:
    """Let this process work on a copy of its SQLite database, which is removed afterwards or kept under that name.

    Does nothing with another database. Raises NoRoom where the disk is too full for a copy.
    """
    if connection.vendor != "sqlite":
        yield
        return
    _remove_abandoned()
    source = Path(connection.settings_dict["NAME"])
    _require_room(source)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=settings.DATA_DIR))
    try:
        copy = folder / source.name
        _copy(source, copy)
        with _connected_to(copy):
            yield
        if keep_as:
            keep_as.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(copy, keep_as)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _connected_to(path: Path) -> Iterator[None]:
    connection.close()
    before = connection.settings_dict["NAME"], connection.settings_dict["OPTIONS"]
    connection.settings_dict["NAME"] = str(path)
    connection.settings_dict["OPTIONS"] = before[1] | {"init_command": CARELESS}
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"], connection.settings_dict["OPTIONS"] = before


def _copy(source: Path, target: Path) -> None:
    """As it stands at one moment; others read and write it meanwhile."""
    target.touch(mode=0o600)
    original, copy = sqlite3.connect(source), sqlite3.connect(target)
    try:
        original.backup(copy)
    finally:
        original.close()
        copy.close()


def _require_room(source: Path) -> None:
    wanted = source.stat().st_size + ROOM
    if (free := shutil.disk_usage(settings.DATA_DIR).free) < wanted:
        missing = (wanted - free) // 1024**2 + 1
        raise NoRoom(f"A rehearsal works on a copy of the database, for which {missing} MB are missing on the disk.")


def _remove_abandoned() -> None:
    for folder in Path(settings.DATA_DIR).glob(f"{PREFIX}*"):
        if time.time() - folder.stat().st_mtime > ABANDONED_S:
            shutil.rmtree(folder, ignore_errors=True)
