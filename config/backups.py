"""The whole installation in one folder, taken while it runs, and put back into an empty one.

Database first, then files: a file is there before its row, so every row of the copy finds its file.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

MANIFEST = "manifest.json"
DUMPS = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
#: Folders of DATA_DIR that hold what cannot be made again.
MEDIA = "media"
#: Begun and not finished by whoever wrote them; see campaigns.clips.written_whole.
UNFINISHED = ".unfinished-"
CHUNK = 2**20


class BackupFailed(Exception):
    """The message is a sentence for whoever types the command."""


@dataclass(frozen=True)
class Manifest:
    """What a backup holds: rows by table, files by path with their SHA-256, and the last migration of each app."""

    made_at: str
    vendor: str
    migrations: dict[str, str]
    rows: dict[str, int]
    files: dict[str, str]


def back_up(folder: Path) -> Manifest:
    """Copy database and files into a new folder. Files that an earlier backup beside it holds are linked, not copied.

    Raises BackupFailed. The folder appears under its name only when it is complete.
    """
    if folder.exists():
        raise BackupFailed(f"{folder} is there already; name a folder that is not.")
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    dump = unfinished / _dump_name()
    rows = _DUMP[connection.vendor](dump)
    files = dict(_copied(Path(settings.DATA_DIR) / MEDIA, unfinished / MEDIA, earlier=_latest_beside(folder)))
    manifest = Manifest(timezone.now().isoformat(), connection.vendor, _migrations(), rows, files)
    (unfinished / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1))
    unfinished.rename(folder)
    return manifest


def restore(folder: Path) -> Manifest:
    """Put a backup into this installation, which must be empty, and compare every table and file with the manifest.

    Raises BackupFailed: for another kind of database, another version of Earshot, an installation that has rows or
    files, and for a copy that differs.
    """
    manifest = read_manifest(folder)
    if manifest.vendor != connection.vendor:
        raise BackupFailed(f"This is a backup of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    _require_empty()
    if damaged := [path for path, digest in manifest.files.items() if not _is_kept(folder / MEDIA / path, digest)]:
        raise BackupFailed(f"The backup is damaged: {damaged[0]} is missing or not as it was. Nothing was restored.")
    media = Path(settings.DATA_DIR) / MEDIA
    for path in manifest.files:
        (media / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(folder / MEDIA / path, media / path)
    connection.close()
    _LOAD[connection.vendor](folder / _dump_name())
    if faults := list(differences(manifest)):
        raise BackupFailed("What was restored is not what was backed up: " + "; ".join(faults[:5]))
    return manifest


def read_manifest(folder: Path) -> Manifest:
    """Raises BackupFailed."""
    try:
        return Manifest(**json.loads((folder / MANIFEST).read_text()))
    except (OSError, ValueError, TypeError) as error:
        raise BackupFailed(f"{folder} holds no backup: {error}") from error


def differences(manifest: Manifest) -> Iterator[str]:
    """How this installation differs from the backup, in words."""
    for table, n in manifest.rows.items():
        if (found := _count(table)) != n:
            yield f"{table} has {found} rows and not {n}"
    media = Path(settings.DATA_DIR) / MEDIA
    for path, digest in manifest.files.items():
        if not _is_kept(media / path, digest):
            yield f"{path} is missing or not as it was"
    ours = _migrations()
    yield from (f"{app} was at {last}" for app, last in manifest.migrations.items() if ours.get(app) != last)


def _dump_name() -> str:
    if connection.vendor not in DUMPS:
        raise BackupFailed(f"Backups know SQLite and PostgreSQL, not {connection.vendor}.")
    return DUMPS[connection.vendor]


def _dump_sqlite(target: Path) -> dict[str, int]:
    """SQLite's own online copy, while writers go on; and how many rows each table of the copy has."""
    connection.ensure_connection()
    copy = sqlite3.connect(target)
    try:
        connection.connection.backup(copy)
        return {table: copy.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in _tables()}  # noqa: S608
    finally:
        copy.close()


def _load_sqlite(source: Path) -> None:
    name = Path(str(connection.settings_dict["NAME"]))
    for leftover in (name.with_name(f"{name.name}{suffix}") for suffix in ("-wal", "-shm")):
        leftover.unlink(missing_ok=True)
    shutil.copy2(source, name)


def _dump_postgresql(target: Path) -> dict[str, int]:
    """One snapshot for the dump and the counts, so that they are of the same moment."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        _run(["pg_dump", "--format=custom", f"--snapshot={cursor.fetchone()[0]}", f"--file={target}"])
        return {table: _count(table) for table in _tables()}


def _load_postgresql(source: Path) -> None:
    _run(
        [
            "pg_restore",
            "--clean",
            "--if-exists",
            "--no-owner",
            "--exit-on-error",
            f"--dbname={_database()}",
            str(source),
        ]
    )


_DUMP = {"sqlite": _dump_sqlite, "postgresql": _dump_postgresql}
_LOAD = {"sqlite": _load_sqlite, "postgresql": _load_postgresql}


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _run(command: list[str]) -> None:
    """PostgreSQL's own programs. The environment tells them where, so that no password shows among the processes."""
    found = connection.settings_dict
    told = {
        "PGHOST": found["HOST"],
        "PGPORT": found["PORT"],
        "PGUSER": found["USER"],
        "PGPASSWORD": found["PASSWORD"],
    }
    environment = (
        os.environ | {name: str(value) for name, value in told.items() if value} | {"PGDATABASE": _database()}
    )
    try:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)  # noqa: S603 - ours
    except FileNotFoundError as error:
        raise BackupFailed(f"{command[0]} is not installed; it comes with PostgreSQL's client programs.") from error
    except subprocess.CalledProcessError as error:
        raise BackupFailed(f"{command[0]} failed: {error.stderr.strip()[:500]}") from error


def _tables() -> list[str]:
    known = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}  # noqa: SLF001 - public
    return sorted(known & set(connection.introspection.table_names()))


def _count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a name of ours
        return int(cursor.fetchone()[0])


def _migrations() -> dict[str, str]:
    """The last applied migration of each app."""
    found: dict[str, str] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        found[app] = name
    return found


def _require_empty() -> None:
    busy = [table for table in _tables() if not table.startswith("django_") and not table.startswith("auth_perm")]
    if full := [table for table in busy if _count(table)]:
        raise BackupFailed(f"This installation is not empty ({full[0]} has rows); restore into a new one.")
    media = Path(settings.DATA_DIR) / MEDIA
    if media.exists() and any(path.is_file() for path in media.rglob("*")):
        raise BackupFailed(f"{media} holds files; restore into a new installation.")


def _latest_beside(folder: Path) -> Path | None:
    found = [path.parent for path in folder.parent.glob(f"*/{MANIFEST}")]
    return max(found, key=lambda path: read_manifest(path).made_at, default=None)


def _copied(source: Path, target: Path, *, earlier: Path | None) -> Iterator[tuple[str, str]]:
    """Every finished file with its hash. What the earlier backup holds, too, is a second name of that copy."""
    held: dict[str, Any] = read_manifest(earlier).files if earlier else {}
    for path in sorted(source.rglob("*")):
        if not path.is_file() or path.name.startswith(UNFINISHED):
            continue
        name = str(path.relative_to(source))
        copy = target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        before = earlier / MEDIA / name if earlier and name in held else None
        if (
            before
            and before.is_file()
            and before.stat().st_size == path.stat().st_size
            and _sha256(path) == held[name]
        ):
            os.link(before, copy)
            yield name, held[name]
        else:
            shutil.copy2(path, copy)
            yield name, _sha256(copy)


def _is_kept(path: Path, digest: str) -> bool:
    return path.is_file() and _sha256(path) == digest


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
