"""Background work that survives the loss of broker, worker and web process."""

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

from celery import current_app
from django.db import transaction
from django.db.models import F, Q
from django.http import Http404
from django.utils import timezone
from kombu.exceptions import OperationalError

from accounts.models import User
from campaigns.access import Right, rights_in
from campaigns.models import Campaign, Job
from infrastructure.leases import lapsed
from infrastructure.live import announce, job_topic

logger = logging.getLogger(__name__)

#: A running job whose heartbeat is older than this was abandoned, and may be taken over.
LEASE = timedelta(seconds=60)
#: A queued job older than this has lost its message.
PATIENCE = timedelta(seconds=8)
#: A job that took this many workers with it is not tried again.
MOST_ATTEMPTS = 3
#: How often a running job says so (s).
BEAT_S = 0.5


#: How work tells how far it is: done, of how many, at what.
ShowProgress = Callable[[int, int, str], None]


class JobFailed(Exception):
    """The work cannot be done. The message is a sentence for the person who asked for it."""


class InputRefused(JobFailed):
    """What the work was given cannot be used: a matter of whoever gave it, and no fault of the installation."""


class JobTaken(Exception):
    """Another worker has taken the job over; this one stops."""


class Progress:
    """How a job's function tells how far it is; also the heartbeat that keeps the job its own.

    Raises JobTaken once the job is no longer this attempt's.
    """

    def __init__(self, job: Job) -> None:
        self._topic = job_topic(job.pk)
        self._mine = Job.objects.filter(pk=job.pk, attempt=job.attempt)
        self._next = time.monotonic()

    def __call__(self, done: int, total: int, note: str = "") -> None:
        if done < total and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + BEAT_S
        if not self._mine.update(done=done, total=total, note=note[:200], heartbeat_at=timezone.now()):
            raise JobTaken
        announce(self._topic)


JobFunction = Callable[[str, Progress], None]
#: Kinds whose subject is a campaign's id: everybody who may view it may see how they go.
ABOUT_CAMPAIGNS = frozenset({"prepare-audio", "make-traps", "prepare-arena"})
#: Asked for by imports that bring what systems said; its subject is the dataset. Who judges does it.
SCAN_IMPORTED = "scan-imported"
_functions: dict[str, JobFunction] = {}


def register(kind: str, function: JobFunction) -> None:
    """Make `function(subject, progress)` the work of jobs of this kind. Each app's tasks.py does it."""
    _functions[kind] = function


def start_job(kind: str, *, subject: object, started_by: User) -> Job:
    """Queue the work, or return the job that is already at it."""
    with transaction.atomic():
        active = Q(kind=kind, subject=str(subject), status__in=[Job.Status.QUEUED, Job.Status.RUNNING])
        if current := Job.objects.select_for_update().filter(active).first():
            return current
        row = Job.objects.create(kind=kind, subject=str(subject), started_by=started_by)
        transaction.on_commit(lambda: send(row.pk))
    return row


def send(job_id: UUID) -> None:
    """Ring the bell. If the broker is down the job waits in its row until `requeue_lost_jobs` sees it."""
    try:
        current_app.send_task("campaigns.tasks.run_job_task", args=[str(job_id)], retry=False, expires=60)
    except OperationalError:
        logger.warning("The broker could not be reached; job %s stays queued.", job_id)


def run_job(job_id: UUID) -> None:
    """Do the work of a queued or abandoned job; return at once where it is done or somebody else's."""
    if not _claim(job_id):
        return None
    row = Job.objects.get(pk=job_id)
    if row.attempt > MOST_ATTEMPTS:
        error = f"The server ended {MOST_ATTEMPTS} times at this. The log names job {row.pk}; mend the cause first."
        return _finish(row, Job.Status.FAILED, error=error)
    try:
        _functions[row.kind](row.subject, Progress(row))
    except JobTaken:
        logger.warning("Job %s went to another worker.", row)
    except JobFailed as failure:
        _finish(row, Job.Status.FAILED, error=str(failure), input_refused=isinstance(failure, InputRefused))
    except Exception:
        logger.exception("Job %s failed", row)
        _finish(row, Job.Status.FAILED, error=f"Something unexpected went wrong. The log names job {row.pk}.")
    else:
        _finish(row, Job.Status.SUCCEEDED)


def requeue_lost_jobs() -> int:
    """Send again every job whose message was lost or whose worker died; return how many."""
    now = timezone.now()
    unheard = Q(status=Job.Status.QUEUED) & lapsed("created_at", now=now - PATIENCE, lease=PATIENCE)
    lost = Job.objects.filter(_abandoned() | unheard)
    ids = list(lost.values_list("pk", flat=True))
    for job_id in ids:
        send(job_id)
    return len(ids)


def job_for(user: User, pk: object) -> Job:
    """The job, for those who may see how it goes: who started it, and who may view the campaign it is about.

    Raises Http404 for everybody else.
    """
    try:
        row = Job.objects.filter(pk=UUID(str(pk))).first()
    except ValueError:
        row = None
    if row is None or not (user.is_superuser or row.started_by_id == user.pk or _views_its_campaign(user, row)):
        raise Http404("There is no such job among yours.")
    return row


def _views_its_campaign(user: User, row: Job) -> bool:
    if row.kind not in ABOUT_CAMPAIGNS or not row.subject.isdecimal():
        return False
    campaign = Campaign.objects.filter(pk=row.subject).first()
    return campaign is not None and Right.VIEW in rights_in(campaign, user)


def latest_job(kind: str, subject: object) -> Job | None:
    return Job.objects.filter(kind=kind, subject=str(subject)).order_by("-created_at").first()


def _abandoned() -> Q:
    return Q(status=Job.Status.RUNNING) & lapsed("heartbeat_at", now=timezone.now() - LEASE, lease=LEASE)


def _claim(job_id: UUID) -> bool:
    free = Job.objects.filter(Q(pk=job_id) & (Q(status=Job.Status.QUEUED) | _abandoned()))
    claimed = free.update(status=Job.Status.RUNNING, attempt=F("attempt") + 1, heartbeat_at=timezone.now()) == 1
    if claimed:
        announce(job_topic(job_id))
    return claimed


def _finish(row: Job, status: str, error: str = "", *, input_refused: bool = False) -> None:
    mine = Job.objects.filter(pk=row.pk, attempt=row.attempt)
    mine.update(status=status, error=error, input_refused=input_refused, finished_at=timezone.now())
    announce(job_topic(row.pk))
