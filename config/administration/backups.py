"""Backups: those that are there, when the next one is due, and the jobs that make and test them."""

import shutil
import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from accounts.people.rights import require_administrator
from config.operations.backup_manifest import MANIFEST, BackupFailed, read_manifest
from config.operations.backup_notes import read_notes
from config.operations.backups import back_up, check, thin
from config.operations.reasons import (
    BACKUP_FAILED,
    BACKUPS_AT_WORK,
    CANNOT_RESTORE_ASIDE,
    LAST_GOOD_BACKUP,
    NO_SUCH_BACKUP,
    TEST_FAILED,
)
from infrastructure.background.jobs import ACTIVE, JobFailed, JobTaken, latest_job, start_job
from infrastructure.background.kinds import ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import TEXT, Reasoned

BACK_UP, TEST = "back-up", "test-backup"
INSTALLATION = "installation"
#: After an attempt that failed, the schedule waits this long.
PAUSE = timedelta(hours=1)
#: An unfinished folder of this age was left by a kill.
ORPHANED_S = 24 * 3600
BACKUP_MADE = AuditEvent("backup_made", gettext_lazy("A backup was made: %(backup)s, with %(files)s files."))
BACKUP_TESTED = AuditEvent("backup_tested", gettext_lazy("The backup %(backup)s was tested, and came back whole."))
BACKUP_REMOVED = AuditEvent("backup_removed", gettext_lazy("The backup %(backup)s was removed."))
BACKUP_TEST_FAILED = AuditEvent("backup_test_failed", gettext_lazy("The test of the backup %(backup)s failed."))


class NoBackup(Reasoned, ValueError):
    """There is no such backup."""


class CannotRemove(Reasoned, ValueError):
    """The backup is in use, or it is the last good one, which was not said."""


@dataclass(frozen=True)
class Backup:
    """A backup in the folder of backups. `fault` says why its test failed."""

    name: str
    made_at: datetime
    rows: int
    files: int
    bytes: int
    tested_at: datetime | None
    fault: str

    @property
    def is_good(self) -> bool:
        """Whether it came back whole in its test."""
        return self.tested_at is not None and not self.fault


def folder() -> Path:
    return Path(settings.BACKUP_FOLDER)


def backups() -> list[Backup]:
    """The newest first; what cannot be read is none."""
    found = [it for path in folder().glob(f"[!.]*/{MANIFEST}") if (it := _read(path.parent))]
    return sorted(found, key=lambda it: it.made_at, reverse=True)


def last_good(found: list[Backup]) -> str:
    """The name of the only backup that came back whole, or of the only one that is not faulty; "" for several."""
    good = [it for it in found if it.is_good] or [it for it in found if not it.fault]
    return good[0].name if len(good) == 1 else ""


def next_at(found: list[Backup]) -> datetime | None:
    """When the schedule makes the next one; None where there is no schedule."""
    if not settings.BACKUP_EVERY_HOURS:
        return None
    every = timedelta(hours=settings.BACKUP_EVERY_HOURS)
    return found[0].made_at + every if found else timezone.now()


def missing_program() -> str:
    """The program that backups need and that is not installed; empty where none is missing."""
    if connection.vendor != "postgresql":
        return ""
    return next((name for name in ("pg_dump", "pg_restore") if not shutil.which(name)), "")


def start_backup(*, by: User) -> Job:
    require_administrator(by)
    return start_job(BACK_UP, subject=INSTALLATION, started_by=by)


def start_test(name: str, *, by: User) -> Job:
    """Raises NoBackup."""
    require_administrator(by)
    if name not in {it.name for it in backups()}:
        raise NoBackup(NO_SUCH_BACKUP(name=name))
    return start_job(TEST, subject=name, started_by=by)


def remove_backup(name: str, *, even_the_last: bool, by: User) -> None:
    """Recordings that other backups share stay in these. Raises NoBackup, CannotRemove, OSError.

    It leaves the list in one step, and its files go after that: what a kill leaves is removed by a later backup.
    """
    require_administrator(by)
    found = backups()
    if name not in {it.name for it in found}:
        raise NoBackup(NO_SUCH_BACKUP(name=name))
    if Job.objects.filter(kind__in=[BACK_UP, TEST], status__in=ACTIVE).exists():
        raise CannotRemove(BACKUPS_AT_WORK(name=name))
    if name == last_good(found) and not even_the_last:
        raise CannotRemove(LAST_GOOD_BACKUP(name=name))
    path = folder() / name
    hidden = path.with_name(f".{name}.unfinished")
    with transaction.atomic():
        record(BACKUP_REMOVED, by=by, kind=Subject.INSTALLATION, backup=name)
        path.rename(hidden)
    shutil.rmtree(hidden)


def back_up_if_due() -> bool:
    """Have the schedule's backup made; whether one was started. What killed processes left a day ago goes."""
    _drop_unfinished()
    due = next_at(backups())
    if due is None or due > timezone.now() or missing_program():
        return False
    last = latest_job(BACK_UP, INSTALLATION)
    if last and (last.status in ACTIVE or last.created_at > timezone.now() - PAUSE):
        return False
    start_job(BACK_UP, subject=INSTALLATION, started_by=None)
    return True


def make_backup(_subject: str, progress: ShowProgress) -> None:
    """The job's work. What the schedule made is tested next; older backups than are to be kept are removed.

    The folder is named after the moment at which the job was asked for, so that one that goes on after a kill begins
    with removing what it had written.
    """
    job = latest_job(BACK_UP, INSTALLATION)
    by, asked_at = (job.started_by, job.created_at) if job else (None, timezone.now())
    _drop_unfinished()
    target = folder() / timezone.localtime(asked_at).strftime("%Y-%m-%d-%H%M%S")
    try:
        made = back_up(target, progress=progress)
        if settings.BACKUPS_TO_KEEP:
            thin(folder(), keep=settings.BACKUPS_TO_KEEP)
    except JobTaken:
        shutil.rmtree(target.with_name(f".{target.name}.unfinished"), ignore_errors=True)
        raise
    except (BackupFailed, OSError) as failure:
        raise JobFailed(BACKUP_FAILED(why=TEXT(text=_sentence(failure)))) from failure
    with transaction.atomic():
        record(BACKUP_MADE, by=by, kind=Subject.INSTALLATION, backup=target.name, files=len(made.files))
        if by is None:
            start_job(TEST, subject=target.name, started_by=None)


def test_backup(name: str, progress: ShowProgress) -> None:
    """The job's work: restore it aside, and compare."""
    by = _started_by(TEST, name)
    try:
        check(folder() / name, progress=progress)
    except BackupFailed as failure:
        with transaction.atomic():
            record(BACKUP_TEST_FAILED, by=by, kind=Subject.INSTALLATION, backup=name)
        raise JobFailed(TEST_FAILED(name=name, why=TEXT(text=_sentence(failure)))) from failure
    except DatabaseError as failure:
        raise JobFailed(CANNOT_RESTORE_ASIDE()) from failure
    with transaction.atomic():
        record(BACKUP_TESTED, by=by, kind=Subject.INSTALLATION, backup=name)


def _read(path: Path) -> Backup | None:
    notes = read_notes(path)
    try:
        if not notes.made_at:  # of an earlier version
            manifest = read_manifest(path)
            return Backup(
                path.name, _time(manifest.made_at), sum(manifest.rows.values()), len(manifest.files), 0, None, ""
            )
        tested = _time(notes.tested_at) if notes.tested_at else None
        return Backup(path.name, _time(notes.made_at), notes.rows, notes.files, notes.bytes, tested, notes.fault)
    except (BackupFailed, ValueError):
        return None


def _time(text: str) -> datetime:
    """Raises ValueError."""
    found = parse_datetime(text)
    if found is None or timezone.is_naive(found):
        raise ValueError(text)
    return found


def _started_by(kind: str, subject: str) -> User | None:
    job = latest_job(kind, subject)
    return job.started_by if job else None


def _drop_unfinished() -> None:
    for path in folder().glob(".*.unfinished"):
        if time.time() - path.stat().st_mtime > ORPHANED_S:
            shutil.rmtree(path, ignore_errors=True)


def _sentence(failure: Exception) -> str:
    if isinstance(failure, OSError):
        return f"{failure.strerror or failure}: {failure.filename or settings.BACKUP_FOLDER}."
    return str(failure)
