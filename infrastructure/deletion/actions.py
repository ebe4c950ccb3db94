"""Rename, archive, restore and delete: one action each, for pages and API alike, and each in the audit log."""

from typing import Any
from uuid import uuid4

from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import CharField, F, Model, Value
from django.db.models.functions import Cast, Concat
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.api.repetition import empty_replies
from accounts.audit_log.entries import AuditEvent, record
from accounts.look_alikes import skeleton
from accounts.models import AuditEntry, User
from infrastructure.background.jobs import ACTIVE, start_job
from infrastructure.background.kinds import job_title, kind_of
from infrastructure.deletion import reasons
from infrastructure.deletion.contents import files_and_bytes, rows_in
from infrastructure.deletion.purging import remember_files
from infrastructure.deletion.subjects import InUse, Subject, in_order, jobs_about, refusal, subjects
from infrastructure.models import Job
from infrastructure.templatetags.wording import worded
from infrastructure.wording.names import is_visible
from infrastructure.wording.reasons import Reason, Reasoned

KIND = "delete"
MOST_LISTED = 20
RENAMED = AuditEvent("renamed", gettext_lazy("Renamed; the name was %(before)s."))
ARCHIVED = AuditEvent("archived", gettext_lazy("Archived."))
RESTORED = AuditEvent("restored", gettext_lazy("Taken out of the archive."))
DELETION_BEGUN = AuditEvent(
    "deletion_begun", gettext_lazy("Deletion for good began: %(rows)s rows, %(files)s files.")
)


class CannotDo(Reasoned, ValueError):
    """It cannot be renamed, archived, restored or deleted now; the reason says what to do."""


@transaction.atomic
def rename(subject: Subject, row: Any, name: str, *, by: User) -> Any:
    """Give it another name; its address stays. Raises CannotDo."""
    row = _locked(subject, row)
    before, name = subject.name_of(row), " ".join(name.split())
    _require_name(subject, name)
    if name == before:
        return row
    if why := subject.why_no_name(row, name):
        raise CannotDo(why)
    try:
        with transaction.atomic():
            subject.rows_of(row).update(**{subject.name: name})
    except IntegrityError as error:
        raise CannotDo(reasons.NAME_TAKEN()) from error
    row.refresh_from_db()
    subject.renamed(row, before)
    _record(RENAMED, subject, row, by=by, before=before)
    return row


@transaction.atomic
def archive(subject: Subject, row: Any, *, by: User) -> Any:
    """Take it out of the lists, and let it get no new work. Raises CannotDo."""
    row = _locked(subject, row)
    if row.archived_at is None:
        _require_rest(subject, row, by=by)
        subject.rows_of(row).update(archived_at=timezone.now())
        row.refresh_from_db()
        _record(ARCHIVED, subject, row, by=by)
    return row


@transaction.atomic
def restore(subject: Subject, row: Any, *, by: User) -> Any:
    """Put it back into the lists. Raises CannotDo where it is not archived."""
    row = _locked(subject, row)
    if row.archived_at is None:
        raise CannotDo(reasons.NOT_ARCHIVED())
    subject.rows_of(row).update(archived_at=None)
    row.refresh_from_db()
    _record(RESTORED, subject, row, by=by)
    return row


@transaction.atomic
def delete(subject: Subject, row: Any, *, typed: str | None, by: User) -> Job:
    """Remove it for good, in the background; it is out of every list, and its name is free, at once.

    `typed` is its name, as a person typed it; None for programs, which name it by its address.
    Raises CannotDo, PermissionDenied.
    """
    row = _locked(subject, row)
    if not subject.may_delete(by, row):
        raise PermissionDenied(worded(reasons.ONLY_ITS_OWNER()))
    if why := why_not_deleted(subject, row, by=by):
        raise CannotDo(why)
    if typed is not None and " ".join(typed.split()) != " ".join(subject.name_of(row).split()):
        is_alike = skeleton(typed) == skeleton(subject.name_of(row))
        raise CannotDo(reasons.NAME_LOOKS_ALIKE() if is_alike else reasons.NAME_DIFFERS())
    files, rows = files_and_bytes(subject, row)[0], rows_in(subject, row)
    entry = _record(DELETION_BEGUN, subject, row, by=by, rows=rows, files=files)
    remember_files(subject, str(row.pk), asked_in=entry.pk)
    hide(subject, row)
    return start_job(KIND, subject=f"{subject.kind}:{row.pk}", started_by=by)


@transaction.atomic
def discard(subject: Subject, row: Any, *, by: User) -> Job:
    """Remove, in the background, what a program made and could not complete; its name is free at once.

    Nobody asked for it, so that the audit log has nothing of it.
    """
    remember_files(subject, str(row.pk))
    hide(subject, row)
    return start_job(KIND, subject=f"{subject.kind}:{row.pk}", started_by=by)


def why_not_deleted(subject: Subject, row: Any, *, by: User) -> Reason | None:
    """Why it cannot be deleted now."""
    if row.archived_at is None and not subject.goes_at_once(row):
        return reasons.ARCHIVE_FIRST()
    return _why_not(subject, row, by=by, deletion=True)


def why_not_archived(subject: Subject, row: Any, *, by: User) -> Reason | None:
    """Why it cannot be archived now."""
    return _why_not(subject, row, by=by, deletion=False)


def _why_not(subject: Subject, row: Any, *, by: User, deletion: bool) -> Reason | None:
    """What an app says, or work that goes on."""
    rows = subject.rows_of(row)
    if why := refusal(subject.model, rows, by=by, deletion=deletion):
        return why
    n = work_on(subject, row)
    return reasons.WORK_GOES_ON(n=n) if n else None


def work_on(subject: Subject, row: Any) -> int:
    """How many jobs and runs are under way on it, or on what goes with it."""
    rows = subject.rows_of(row)
    n = Job.objects.filter(jobs_about(subject.model, rows), status__in=ACTIVE).count()
    for part in in_order(subject.model):
        if part.busy is not None:
            n += part.model._base_manager.filter(part.busy, **{f"{part.path}__in": rows}).count()
    return n


def work_listed(subject: Subject, row: Any) -> list[InUse]:
    """The same work by name, with its page: each page once, and at most so many of each sort."""
    rows = subject.rows_of(row)
    found: dict[str, InUse] = {}
    for job in Job.objects.filter(jobs_about(subject.model, rows), status__in=ACTIVE)[:MOST_LISTED]:
        kind = kind_of(job.kind)
        address = (kind.page(job.subject) if kind else "") or reverse("job", args=[job.pk])
        found[address] = InUse(job_title(job.kind), address, is_work=True)
    for part in in_order(subject.model):
        if part.busy is not None:
            busy = part.model._base_manager.filter(part.busy, **{f"{part.path}__in": rows})[:MOST_LISTED]
            found |= {part.page(it): InUse(str(it), part.page(it), is_work=True) for it in busy}
    return list(found.values())


def _require_rest(subject: Subject, row: Any, *, by: User) -> None:
    if why := why_not_archived(subject, row, by=by):
        raise CannotDo(why)


def _require_name(subject: Subject, name: str) -> None:
    if not is_visible(name):
        raise CannotDo(reasons.NAME_MISSING())
    if len(name) > subject.longest_name:
        raise CannotDo(reasons.NAME_LONG(n=subject.longest_name))


def _locked(subject: Subject, row: Any) -> Any:
    """The row as it is now. Raises CannotDo where it is being deleted already."""
    found = subject.model._base_manager.select_for_update().filter(pk=row.pk, deleting_since=None).first()
    if found is None:
        raise CannotDo(reasons.ALREADY_GOING())
    return found


def hide(subject: Subject, row: Any) -> None:
    """Take it, and what has pages of its own and goes with it, out of every list; names and addresses are free.

    Stored replies of the API no longer name it, either.
    """
    empty_replies()
    same = list(subject.rows_of(row).values_list("pk", flat=True))
    below = {it.model: it for it in subjects()}
    for part in in_order(subject.model):
        if part.model in below:
            named = Concat(Value(f"{_unknown_name()}-"), Cast(F("pk"), CharField()))
            _mark(below[part.model], part.model._base_manager.filter(**{f"{part.path}__in": same}), named)
    _mark(subject, subject.model._base_manager.filter(pk__in=same), Value(_unknown_name()))


def _unknown_name() -> str:
    """A name that nothing has: 32 characters, which fit every unique column with a number behind them."""
    return uuid4().hex


def _mark(subject: Subject, rows: Any, named: Any) -> None:
    rows.update(deleting_since=timezone.now(), **dict.fromkeys(subject.unique, named))


def _record(event: AuditEvent, subject: Subject, row: Model, *, by: User, **params: Any) -> AuditEntry:
    number = row.pk if isinstance(row.pk, int) else None
    return record(event, by=by, kind=subject.audit, number=number, name=subject.name_of(row)[:200], **params)
