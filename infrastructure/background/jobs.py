"""Background work that survives the loss of broker, worker and web process."""

import logging
import time
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import OperationalError, connection, transaction
from django.db.models import Q
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent, Subject, record
from accounts.models import User
from accounts.people.rights import require_administrator
from infrastructure.background.kinds import kind_of
from infrastructure.background.queues import Queue
from infrastructure.files.media import StorageUnavailable
from infrastructure.live.announcements import announce
from infrastructure.locked_database import is_locked
from infrastructure.models import Job
from infrastructure.wording.reasons import Reason, ReasonCode, Reasoned

logger = logging.getLogger(__name__)

ACTIVE = [Job.Status.QUEUED, Job.Status.RUNNING]
QUEUE = Queue(
    Job.objects,
    to_do=Q(status__in=ACTIVE),
    task="infrastructure.tasks.run_job_task",
    resend_after=timedelta(seconds=8),
)
#: A job that took this many workers with it is not tried again.
MOST_TRIES = 3
SERVER_ENDED = ReasonCode(
    "server_ended", "The server ended %(n)s times at this. The log names job %(job)s; fix the cause first."
)
JOB_BROKE = ReasonCode("job_broke", "Something unexpected went wrong. The log names job %(job)s.")
STORAGE_AWAY = ReasonCode(
    "storage_away",
    "The storage of recordings and exports does not answer; nothing was lost. Run it again later. %(fault)s",
)
CANCELLED = ReasonCode("job_cancelled", "An administrator cancelled this.")
CANNOT_CANCEL = ReasonCode(
    "job_cannot_cancel", "Work of this kind cannot be cancelled: it would leave half of it behind."
)
IS_OVER = ReasonCode("job_is_over", "This job is over already.")
CANNOT_REPEAT = ReasonCode(
    "job_cannot_repeat",
    "Work of this kind cannot be run again from here. Start it anew on the page that it belongs to.",
)
NOT_FAILED = ReasonCode("job_not_failed", "Only a job that failed or was cancelled can be run again.")
JOB_WAS_CANCELLED = AuditEvent("job_cancelled", gettext_lazy("A job was cancelled: %(job_kind)s, %(job)s."))
JOB_RUN_AGAIN = AuditEvent("job_run_again", gettext_lazy("A job was run again: %(job_kind)s, %(job)s."))
#: How often a running job says so (s).
BEAT_S = 0.5


class JobFailed(Reasoned):
    """The work cannot be done; the reason is for the person who asked for it."""


class InputRefused(JobFailed):
    """The input cannot be used: an error of the user who gave it, and not of the installation."""


class JobTaken(Exception):
    """Another worker has taken the job over; this one stops."""


class JobRefused(Reasoned, ValueError):
    """It cannot be cancelled, or not run again; the reason is for the administrator who asked."""


class Progress:
    """How a job's function reports its progress; also the heartbeat that renews the job's lease.

    Raises JobTaken once the job is no longer this worker's.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._next = time.monotonic()

    def __call__(self, done: int, total: int, note: Reason | None = None) -> None:
        if done < total and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + BEAT_S
        try:
            is_mine = QUEUE.renew(self._job, done=done, total=total, note=note)
        except OperationalError as error:
            if connection.in_atomic_block or not is_locked(error):
                raise
            return  # another writer was longer than the database waits; the next beat says it
        if not is_mine:
            raise JobTaken
        announce(self._job.topic)


def start_job(kind: str, *, subject: object, started_by: User | None) -> Job:
    """Queue the work, or return the job that is already at it."""
    with transaction.atomic():
        active = Q(kind=kind, subject=str(subject), status__in=ACTIVE)
        if current := Job.objects.select_for_update().filter(active).first():
            return current
        row = Job.objects.create(kind=kind, subject=str(subject), started_by=started_by)
        transaction.on_commit(lambda: QUEUE.send(row.pk))
    return row


def run_job(job_id: UUID) -> None:
    """Do the work of a queued or abandoned job; return at once if it is done or claimed by another worker."""
    row = Job.objects.filter(pk=job_id).first()
    if row is None or not QUEUE.claim(row, status=Job.Status.RUNNING):
        return None
    announce(row.topic)
    if row.tries > MOST_TRIES:
        return _finish(row, Job.Status.FAILED, error=SERVER_ENDED(n=MOST_TRIES, job=row.pk))
    try:
        _do(row)
    except JobTaken:
        logger.warning("Job %s went to another worker.", row)
    except Exception as fault:
        if not isinstance(fault, JobFailed):
            logger.exception("Job %s failed", row)
        _finish(row, Job.Status.FAILED, **_why(row, fault))
    else:
        _finish(row, Job.Status.SUCCEEDED)


def end_failed_job(kind: str, subject: object, fault: Exception) -> None:
    """Settle the job that is at it, for work that ends its subject because of `fault` in the same transaction."""
    if not (row := Job.objects.filter(kind=kind, subject=str(subject), status=Job.Status.RUNNING).first()):
        return
    ended = {"status": Job.Status.FAILED, "finished_at": timezone.now(), "heartbeat_at": None}
    Job.objects.filter(pk=row.pk, status=Job.Status.RUNNING).update(**ended, **_why(row, fault))
    transaction.on_commit(lambda: announce(row.topic))


def _why(row: Job, fault: Exception) -> dict[str, Any]:
    """Columns of a job that failed at `fault`."""
    if isinstance(fault, JobFailed):
        return {"error": fault.reason, "input_refused": isinstance(fault, InputRefused)}
    if isinstance(fault, StorageUnavailable):
        return {"error": STORAGE_AWAY(fault=str(fault))}
    return {"error": JOB_BROKE(job=row.pk)}


def waits_for_servers(job_id: UUID) -> bool:
    """Whether the work of this job is mostly waiting for servers that are not ours."""
    row = Job.objects.filter(pk=job_id, status__in=ACTIVE).first()
    kind = kind_of(row.kind) if row else None
    return row is not None and kind is not None and kind.waits_for_servers(row.subject)


def requeue_lost_jobs() -> int:
    """Send again every job whose message was lost or whose worker died; return how many."""
    pks = list(Job.objects.filter(QUEUE.lost()).values_list("pk", flat=True))
    for pk in pks:
        QUEUE.send(pk)
    return len(pks)


@transaction.atomic
def cancel_job(row: Job, *, by: User) -> Job:
    """End it, whether it waits or runs: its worker stops at the next progress that it reports. Raises JobRefused."""
    require_administrator(by)
    return end_job(row, by=by, why=CANCELLED())


@transaction.atomic
def end_job(row: Job, *, by: User, why: Reason) -> Job:
    """The same for whom the caller has found to be in their right. Raises JobRefused."""
    kind = kind_of(row.kind)
    if kind is None or not kind.cancellable:
        raise JobRefused(CANNOT_CANCEL())
    ended = {
        "status": Job.Status.CANCELLED,
        "error": why,
        "finished_at": timezone.now(),
        "heartbeat_at": None,
    }
    if not Job.objects.filter(pk=row.pk, status__in=ACTIVE).update(**ended):
        raise JobRefused(IS_OVER())
    kind.on_cancel(row.subject)
    record(JOB_WAS_CANCELLED, by=by, kind=Subject.INSTALLATION, job_kind=row.kind, job=str(row.pk))
    transaction.on_commit(lambda: announce(row.topic))
    row.refresh_from_db()
    return row


@transaction.atomic
def run_again(row: Job, *, by: User) -> Job:
    """The same work for the same person, as a new job. Raises JobRefused."""
    require_administrator(by)
    kind = kind_of(row.kind)
    if kind is None or not kind.repeatable:
        raise JobRefused(CANNOT_REPEAT())
    if not row.is_to_repeat:
        raise JobRefused(NOT_FAILED())
    again = start_job(row.kind, subject=row.subject, started_by=row.started_by)
    kind.relink(again)
    record(JOB_RUN_AGAIN, by=by, kind=Subject.INSTALLATION, job_kind=row.kind, job=str(row.pk))
    return again


def job_for(user: User, pk: object) -> Job:
    """The job, for users who may see its progress: its owner, and those whom its kind allows.

    Raises Http404 for all others.
    """
    try:
        row = Job.objects.filter(pk=UUID(str(pk))).first()
    except ValueError:
        row = None
    if row is None or not (user.is_superuser or row.started_by_id == user.pk or _kind_allows(user, row)):
        raise Http404("There is no such job among yours.")
    return row


def _kind_allows(user: User, row: Job) -> bool:
    kind = kind_of(row.kind)
    return kind is not None and kind.may_view(user, row.subject)


def latest_job(kind: str, subject: object) -> Job | None:
    return Job.objects.filter(kind=kind, subject=str(subject)).order_by("-created_at").first()


def _do(row: Job) -> None:
    if (kind := kind_of(row.kind)) is None:
        raise LookupError(f"No app has the kind of job {row.kind}.")
    kind.work(row.subject, Progress(row))


def _finish(row: Job, status: str, error: Reason | None = None, *, input_refused: bool = False) -> None:
    ended = {"status": status, "error": error, "input_refused": input_refused, "finished_at": timezone.now()}
    is_settled = QUEUE.settle(row, **ended)
    announce(row.topic)
    if is_settled and (kind := kind_of(row.kind)):
        kind.on_end(row.subject)
