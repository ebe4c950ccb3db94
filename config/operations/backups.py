"""The whole installation in one folder, taken while it runs, and put back into an empty one.

Copies have the permissions of new files (`config/operations/private_files.py`), whatever those of the originals are.

Database first, then files: a file is there before its row, so every row of the copy finds its file.
"""

import hashlib
import json
import os
import secrets
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psycopg
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from psycopg.conninfo import make_conninfo

from config.operations.backup_manifest import MANIFEST, BackupFailed, Manifest, read_manifest
from config.operations.backup_notes import note_made, note_tested
from config.operations.reasons import COMPARING_FILES, COPYING_DATABASE, COPYING_FILES, RESTORING_ASIDE
from infrastructure.background.heartbeats import kept_alive, silent
from infrastructure.background.kinds import ShowProgress
from infrastructure.files.media import MediaFile, ObjectFile, files_below, in_objects, media_files

DUMPS = {"sqlite": "database.sqlite3", "postgresql": "database.dump"}
#: Folders of DATA_DIR that hold what cannot be made again.
MEDIA = "media"
#: Begun and not finished by whoever wrote them; see corpus.clips.storage.written_whole.
UNFINISHED = ".unfinished-"
CHUNK = 2**20


def back_up(folder: Path, *, progress: ShowProgress = silent) -> Manifest:
    """Copy database and files into a new folder. Files that an earlier backup beside it holds are linked, not copied.

    Raises BackupFailed. The folder appears under its name only when it is complete.
    """
    if folder.exists():
        raise BackupFailed(f"{folder} is there already; name a folder that is not.")
    unfinished = folder.with_name(f".{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    dump = unfinished / _dump_name()
    with kept_alive(lambda: progress(0, 0, COPYING_DATABASE())):
        rows, sums = _DUMP[connection.vendor](dump)
    files = dict(
        _copied(
            Path(settings.DATA_DIR) / MEDIA, unfinished / MEDIA, earlier=_latest_beside(folder), progress=progress
        )
    )
    if in_objects():
        files |= dict(_fetched(unfinished / MEDIA, earlier=_latest_beside(folder), progress=progress))
    manifest = Manifest(
        timezone.now().isoformat(), connection.vendor, _migrations(), rows, files, _sha256(dump), sums
    )
    (unfinished / MANIFEST).write_text(json.dumps(asdict(manifest), indent=1))
    note_made(unfinished, made_at=manifest.made_at, rows=sum(rows.values()), files=len(files))
    unfinished.rename(folder)
    return manifest


def restore(folder: Path) -> Manifest:
    """Put a backup into this installation, which must be empty, and compare every table and file with the manifest.

    Raises BackupFailed: for another kind of database, another version of Earshot, an installation that has rows or
    files, and for a copy that differs. Then it is as empty as before.
    """
    manifest = read_manifest(folder)
    if manifest.vendor != connection.vendor:
        raise BackupFailed(f"This is a backup of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    _make_data_folder()
    _require_empty()
    _require_undamaged(folder, manifest)
    if connection.vendor == "sqlite" and (faults := list(_check_sqlite(folder / _dump_name(), manifest))):
        raise BackupFailed(f"The backup is not what its manifest says: {_first(faults)}. Nothing was restored.")
    try:
        _put_back(folder, manifest)
    except (BackupFailed, DatabaseError, OSError) as failure:
        _take_back(manifest)
        raise BackupFailed(f"{str(failure).strip().rstrip('.')}. Nothing was left behind.") from failure
    return manifest


def _put_back(folder: Path, manifest: Manifest) -> None:
    media = Path(settings.DATA_DIR) / MEDIA
    for path in manifest.files:
        if in_objects():
            with (folder / MEDIA / path).open("rb") as file:
                ObjectFile(path).write(file)
        else:
            (media / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / MEDIA / path, media / path)
    connection.close()
    _LOAD[connection.vendor](folder / _dump_name())
    if faults := list(differences(manifest)):
        raise BackupFailed(f"What was restored is not what was backed up: {_first(faults)}")


def _take_back(manifest: Manifest) -> None:
    """Empty what was empty before: the files of the manifest, and every table."""
    if in_objects():
        for path in manifest.files:
            ObjectFile(path).unlink(missing_ok=True)
    elif (media := Path(settings.DATA_DIR) / MEDIA).exists():
        shutil.rmtree(media)
    connection.close()
    call_command("flush", interactive=False, verbosity=0, inhibit_post_migrate=True)


def _first(faults: list[str]) -> str:
    return "; ".join(faults[:5])


def check(folder: Path, *, progress: ShowProgress = silent) -> Manifest:
    """Restore a backup's database to a scratch place, compare it and every file with the manifest, and clear up.

    Raises BackupFailed. This installation is not touched; its kind of database has to be that of the backup.
    """
    try:
        manifest = _checked(folder, progress)
    except BackupFailed as failure:
        if folder.is_dir():
            note_tested(folder, fault=str(failure))
        raise
    note_tested(folder)
    return manifest


def _checked(folder: Path, progress: ShowProgress) -> Manifest:
    manifest = read_manifest(folder)
    if manifest.vendor != connection.vendor:
        raise BackupFailed(f"This is a backup of {manifest.vendor}, and DATABASE_URL names {connection.vendor}.")
    _require_undamaged(folder, manifest, progress)
    with kept_alive(lambda: progress(0, 0, RESTORING_ASIDE())):
        if faults := list(_CHECK[connection.vendor](folder / _dump_name(), manifest)):
            raise BackupFailed(f"The backup does not come back as it was: {_first(faults)}")
    return manifest


def thin(folder: Path, *, keep: int) -> list[Path]:
    """Remove the oldest backups in this folder until so many are left; return those that went."""
    found = sorted((path.parent for path in folder.glob(f"*/{MANIFEST}")), key=lambda it: read_manifest(it).made_at)
    old = found[: max(0, len(found) - keep)]
    for backup in old:
        shutil.rmtree(backup)
    return old


def differences(manifest: Manifest) -> Iterator[str]:
    """How this installation differs from the backup, in words."""
    with connection.cursor() as cursor:
        yield from _differing(cursor, manifest)
    media = Path(settings.DATA_DIR) / MEDIA
    for path, digest in manifest.files.items():
        if not _is_kept(ObjectFile(path) if in_objects() else media / path, digest):
            yield f"{path} is missing or not as it was"
    ours = _migrations()
    yield from (f"{app} was at {last}" for app, last in manifest.migrations.items() if ours.get(app) != last)


def _dump_name() -> str:
    if connection.vendor not in DUMPS:
        raise BackupFailed(f"Backups know SQLite and PostgreSQL, not {connection.vendor}.")
    return DUMPS[connection.vendor]


def _differing(cursor: Any, manifest: Manifest) -> Iterator[str]:
    """Tables that are not there, that have another number of rows than the manifest says, or other rows."""
    cursor.execute(_NAMED[connection.vendor])
    there = {name for (name,) in cursor.fetchall()}
    missing = (manifest.rows.keys() | manifest.sums.keys()) - there
    yield from (f"there is no table {table}" for table in sorted(missing))
    for table, n in manifest.rows.items():
        if table in there and (found := _asked(cursor, f"SELECT count(*) FROM {_quoted(table)}")) != n:  # noqa: S608 - a name of ours
            yield f"{table} has {found} rows and not {n}"
    for table, total in manifest.sums.items():
        if table in there and _sum(cursor, table) != total:
            yield f"rows of {table} are not what they were"


def _check_sqlite(dump: Path, manifest: Manifest) -> Iterator[str]:
    """The dump is the database itself: whole in all its pages and indexes, and with every row it refers to."""
    database = sqlite3.connect(f"{dump.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        yield from (f"SQLite says: {said}" for (said,) in database.execute("PRAGMA integrity_check") if said != "ok")
        for table, *_rest in database.execute("PRAGMA foreign_key_check"):
            yield f"{table} refers to a row that is not there"
        yield from _differing(database.cursor(), manifest)
    except sqlite3.DatabaseError as error:
        yield f"SQLite says: {error}"
    finally:
        database.close()


def _check_postgresql(dump: Path, manifest: Manifest) -> Iterator[str]:
    """Into a database of its own beside ours, for which the user needs CREATEDB, and away again."""
    scratch = f"{_database()}_check_{secrets.token_hex(4)}"
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {_quoted(scratch)} TEMPLATE template0")
    try:
        _run(["pg_restore", "--no-owner", "--exit-on-error", f"--dbname={scratch}", str(dump)])
        with psycopg.connect(make_conninfo(**_where(), dbname=scratch, options="-c TimeZone=UTC")) as database:
            yield from _differing(database.cursor(), manifest)
    finally:
        with connection.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {_quoted(scratch)}")


def _dump_sqlite(target: Path) -> tuple[dict[str, int], dict[str, str]]:
    """SQLite's own online copy, while writers go on; and how many rows each table of the copy has."""
    connection.ensure_connection()
    copy = sqlite3.connect(target)
    try:
        connection.connection.backup(copy)
        return {it: copy.execute(f'SELECT count(*) FROM "{it}"').fetchone()[0] for it in _tables()}, {}  # noqa: S608
    finally:
        copy.close()


def _load_sqlite(source: Path) -> None:
    name = Path(str(connection.settings_dict["NAME"]))
    for leftover in (name.with_name(f"{name.name}{suffix}") for suffix in ("-wal", "-shm")):
        leftover.unlink(missing_ok=True)
    shutil.copyfile(source, name)


def _dump_postgresql(target: Path) -> tuple[dict[str, int], dict[str, str]]:
    """One snapshot for the dump, the counts and the sums, so that they are of the same moment."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute("SELECT pg_export_snapshot()")
        _run(["pg_dump", "--format=custom", f"--snapshot={cursor.fetchone()[0]}", f"--file={target}"])
        tables = _tables()
        return {table: _count(table) for table in tables}, {table: _sum(cursor, table) for table in tables}


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


_NAMED = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'",
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = ANY (current_schemas(false))",
}
_CHECK = {"sqlite": _check_sqlite, "postgresql": _check_postgresql}
_DUMP = {"sqlite": _dump_sqlite, "postgresql": _dump_postgresql}
_LOAD = {"sqlite": _load_sqlite, "postgresql": _load_postgresql}


def _database() -> str:
    return str(connection.settings_dict["NAME"])


def _run(command: list[str]) -> None:
    """PostgreSQL's own programs. The environment tells them where, so that no password shows among the processes."""
    told = {f"PG{name.upper()}": value for name, value in _where().items()}
    environment = os.environ | told | {"PGDATABASE": _database()}
    try:
        subprocess.run(command, env=environment, check=True, capture_output=True, text=True)  # noqa: S603 - ours
    except FileNotFoundError as error:
        raise BackupFailed(f"{command[0]} is not installed; it comes with PostgreSQL's client programs.") from error
    except subprocess.CalledProcessError as error:
        raise BackupFailed(f"{command[0]} failed: {error.stderr.strip()[:500]}") from error


def _where() -> dict[str, str]:
    """Where PostgreSQL is, and as whom, as far as the settings say it."""
    found = connection.settings_dict
    told = {"host": found["HOST"], "port": found["PORT"], "user": found["USER"], "password": found["PASSWORD"]}
    return {name: str(value) for name, value in told.items() if value}


def _tables() -> list[str]:
    known = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    return sorted(known & set(connection.introspection.table_names()))


def _count(table: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")  # noqa: S608 - a name of ours
        return int(cursor.fetchone()[0])


def _sum(cursor: Any, table: str) -> str:
    """Of a hash of each row as text: the same for the same rows in whatever order."""
    return str(_asked(cursor, f"SELECT sum(hashtextextended(t::text, 0)) FROM {_quoted(table)} AS t"))  # noqa: S608


def _asked(cursor: Any, sql: str) -> Any:
    cursor.execute(sql)
    return cursor.fetchone()[0]


def _quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def _migrations() -> dict[str, str]:
    """The last applied migration of each app."""
    found: dict[str, str] = {}
    for app, name in sorted(MigrationRecorder(connection).applied_migrations()):
        found[app] = name
    return found


def _require_undamaged(folder: Path, manifest: Manifest, progress: ShowProgress = silent) -> None:
    """Every file as it was when it was copied, the dump included. Older backups say nothing of their dump."""
    for done, (path, digest) in enumerate(manifest.files.items(), start=1):
        if not _is_kept(folder / MEDIA / path, digest):
            raise BackupFailed(f"The backup is damaged: {path} is missing or not as it was. Nothing was restored.")
        progress(done, len(manifest.files), COMPARING_FILES())
    if manifest.dump and not _is_kept(folder / _dump_name(), manifest.dump):
        raise BackupFailed(f"The backup is damaged: {_dump_name()} is not as it was. Nothing was restored.")


def _make_data_folder() -> None:
    """Of a new installation: for its owner alone, as `manage.py serve` makes it."""
    folder = Path(settings.DATA_DIR)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BackupFailed(f"The data folder {folder} cannot be made: {error.strerror}.") from error


def _require_empty() -> None:
    busy = [table for table in _tables() if not table.startswith("django_") and not table.startswith("auth_perm")]
    if full := [table for table in busy if _count(table)]:
        raise BackupFailed(f"This installation is not empty ({full[0]} has rows); restore into a new one.")
    media = Path(settings.DATA_DIR) / MEDIA
    if media.exists() and any(path.is_file() for path in media.rglob("*")):
        raise BackupFailed(f"{media} holds files; restore into a new installation.")
    if in_objects() and any(media_files("")):
        raise BackupFailed("The object storage holds files below its prefix; restore into a new installation.")


def _latest_beside(folder: Path) -> Path | None:
    found = [path.parent for path in folder.parent.glob(f"*/{MANIFEST}")]
    return max(found, key=lambda path: read_manifest(path).made_at, default=None)


def _copied(source: Path, target: Path, *, earlier: Path | None, progress: ShowProgress) -> Iterator[tuple[str, str]]:
    """Every finished file with its hash. What the earlier backup holds, too, is a second name of that copy."""
    held: dict[str, Any] = read_manifest(earlier).files if earlier else {}
    paths = [path for path in sorted(files_below(source)) if not path.name.startswith(UNFINISHED)]
    for done, path in enumerate(paths, start=1):
        progress(done, len(paths), COPYING_FILES())
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
            shutil.copyfile(path, copy)
            yield name, _sha256(copy)


def _fetched(target: Path, *, earlier: Path | None, progress: ShowProgress) -> Iterator[tuple[str, str]]:
    """The same of objects. A clip that the earlier backup holds is not fetched: its key is its hash."""
    held: dict[str, Any] = read_manifest(earlier).files if earlier else {}
    found = [it for it in media_files("") if isinstance(it, ObjectFile)]
    for done, it in enumerate(found, start=1):
        progress(done, len(found), COPYING_FILES())
        copy = target / it.key
        copy.parent.mkdir(parents=True, exist_ok=True)
        if earlier and held.get(it.key) == it.name and (before := earlier / MEDIA / it.key).is_file():
            os.link(before, copy)
        else:
            with it.open() as file, copy.open("wb") as written:
                shutil.copyfileobj(file, written)
        yield it.key, _sha256(copy)


def _is_kept(path: MediaFile, digest: str) -> bool:
    return path.is_file() and _sha256(path) == digest


def _sha256(path: MediaFile) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
