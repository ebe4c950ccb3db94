"""Removing a subject with everything that goes with it, in steps that can be repeated after a kill."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, record
from accounts.models import AuditEntry, User
from accounts.old_pages import drop_old_pages
from infrastructure.background.jobs import JobFailed
from infrastructure.background.kinds import ShowProgress
from infrastructure.deletion.reasons import NOTHING_SUCH, REMOVING
from infrastructure.deletion.subjects import (
    Part,
    Subject,
    files_in,
    files_named,
    in_order,
    jobs_about,
    parts_of,
    subject_of,
    subjects,
)
from infrastructure.files.media import remove_folder
from infrastructure.models import Deletion, Job, KeptFigures

#: Rows that go in one transaction: SQLite has one writer, and others wait for it no longer than this takes.
STEP = 1000
DELETED = AuditEvent("deleted", gettext_lazy("Deleted for good; the deletion is finished."))


def purge(about: str, progress: ShowProgress) -> None:
    """Remove the subject `kind:number`. Done again, it goes on with what is left."""
    kind, _colon, number = about.partition(":")
    if (subject := subject_of(kind)) is None:
        raise JobFailed(NOTHING_SUCH())
    deletion = remember_files(subject, number)
    for row in subject.model._base_manager.filter(pk=number, deleting_since__isnull=False):
        _remove(subject, row, progress)
    below = {part.model for part in parts_of(subject.model)}
    for it in [deletion, *(one for other in subjects() if other.model in below for one in without_rows(other))]:
        _end(it)
    KeptFigures.objects.all().delete()  # they may name it, and are measured anew by the schedule or a button
    drop_old_pages()


def without_rows(subject: Subject) -> list[Deletion]:
    """Deletions of this kind of thing whose row is gone: by itself, or with what it belonged to."""
    rows = list(Deletion.objects.filter(kind=subject.kind).order_by("pk"))
    there = subject.model._base_manager.filter(pk__in=[row.number for row in rows]).values_list("pk", flat=True)
    left = {str(pk) for pk in there}
    return [row for row in rows if row.number not in left]


def _end(deletion: Deletion) -> None:
    """Remove the files that nothing uses now, and say in the audit log that it is done."""
    for name, named in deletion.files.items():
        if files := files_named(name):
            files.sweep(named)
    with transaction.atomic():
        gone, _models = Deletion.objects.filter(pk=deletion.pk).delete()
        if gone and deletion.asked_in is not None:
            asked = AuditEntry.objects.get(pk=deletion.asked_in)
            by, kind = User.objects.filter(pk__in=[asked.by_id]).first(), AuditEntry.Subject(asked.subject_kind)
            record(DELETED, by=by, kind=kind, number=asked.subject_number, name=asked.subject_name)


def remember_files(subject: Subject, number: str, *, asked_in: int | None = None) -> Deletion:
    """What names the subject's files, stored before the first row goes; `asked_in` is the audit log's entry."""
    found = Deletion.objects.filter(kind=subject.kind, number=number).first()
    made = {"kind": subject.kind, "number": number, "asked_in": asked_in}
    return found or Deletion.objects.create(files=_named(subject, number), **made)


def _named(subject: Subject, number: str) -> dict[str, list[Any]]:
    named: dict[str, list[Any]] = {}
    row = subject.model._base_manager.filter(pk=number).first()
    for files, rows in files_in(subject.model, subject.rows_of(row)) if row is not None else ():
        named.setdefault(files.name, []).extend(files.named(rows))
    return named


def _remove(subject: Subject, row: Any, progress: ShowProgress) -> None:
    same = list(subject.rows_of(row).values_list("pk", flat=True))
    Job.objects.filter(jobs_about(subject.model, subject.rows_of(row))).delete()
    parts = [*in_order(subject.model), Part(subject.model, "pk", folder=subject.folder)]
    total, done = sum(_rows(part, same).count() for part in parts), 0
    for part in parts:
        _leave_shared(part, same)
        while n := _remove_some(part, same):
            done += n
            progress(done, max(done, total), REMOVING())


def _rows(part: Part, subjects: list[Any]) -> QuerySet[Any]:
    return part.model._base_manager.filter(**{f"{part.path}__in": subjects})


def _leave_shared(part: Part, subjects: list[Any]) -> None:
    if part.shared is not None:
        reference = part.path.partition("__")[0]
        _rows(part, subjects).filter(part.shared).update(**{reference: None})


@transaction.atomic
def _remove_some(part: Part, subjects: list[Any]) -> int:
    """Remove a step's rows, newest first, since later rows may refer to earlier ones; return how many went."""
    pks = list(_rows(part, subjects).order_by("-pk").values_list("pk", flat=True)[:STEP])
    some = part.model._base_manager.filter(pk__in=pks)
    if (folder := part.folder) is not None:
        for row in some:
            remove_folder(folder(row))
    if part.model._meta.parents:
        some.delete()
    else:
        some._raw_delete(some.db)  # noqa: SLF001 - what refers to it has gone before
    return len(pks)
