"""How the installation is, in a few facts that staff see on every page."""

import shutil
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core.cache import cache
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from accounts.models import User
from infrastructure.background.kinds import job_title
from infrastructure.background.workers import SILENCE, broker_answers, start_command, worker_runs
from infrastructure.models import Job, WorkerBeat
from infrastructure.wording.reasons import Reason

KEPT_S = 3
#: A job that waits longer, though a worker is there, is worth a look.
LONG = timedelta(minutes=10)
#: Failures are news for a day. More jobs than this are not counted.
NEWS, MOST_JOBS = timedelta(days=1), 500


@dataclass(frozen=True)
class Failure:
    """A failed job: which, when, whose, and why in words."""

    job: UUID
    kind: str
    at: datetime
    started_by: int | None
    username: str
    why: Reason | None

    @property
    def title(self) -> str:
        return job_title(self.kind)


@dataclass(frozen=True)
class Health:
    """As it was at `at`. `seen_at` is the last sign of life of any worker; `command` starts one."""

    at: datetime
    seen_at: datetime | None
    queued: int
    oldest_queued_at: datetime | None
    free_bytes: int
    disk_bytes: int
    failures: tuple[Failure, ...]
    command: str
    broker_answers: bool = True

    @property
    def worker_runs(self) -> bool:
        return worker_runs(self.seen_at, now=self.at)

    @property
    def disk_is_low(self) -> bool:
        return disk_is_low(free=self.free_bytes, total=self.disk_bytes)

    @property
    def free_percent(self) -> int:
        return 100 * self.free_bytes // self.disk_bytes

    @property
    def waits_long(self) -> bool:
        return self.oldest_queued_at is not None and self.at - self.oldest_queued_at > LONG

    @property
    def is_well(self) -> bool:
        return self.worker_runs and not self.disk_is_low and not self.waits_long

    def last_failure(self, user: User) -> Failure | None:
        """The last failed job that is this person's business, and that did not succeed later."""
        return next((f for f in self.failures if user.is_superuser or f.started_by == user.pk), None)


def disk_is_low(*, free: int, total: int) -> bool:
    least: float = max(settings.DISK_LEAST_BYTES, settings.DISK_LEAST_SHARE * total)
    return free < least


def health() -> Health:
    """In two queries, and for a few seconds without any."""
    kept: Health | None = cache.get("health")
    if kept is None:
        kept = _look()
        cache.set("health", kept, KEPT_S)
    return kept


def _look() -> Health:
    now = timezone.now()
    beats = WorkerBeat.objects.filter(seen_at__lte=now + SILENCE)  # later ones are from before the clock was set back
    beat = beats.order_by("-seen_at").values_list("seen_at", flat=True).first()
    jobs = list(_jobs_of_note(now))
    queued = [job.created_at for job in jobs if job.status == Job.Status.QUEUED]
    at_work = [job.heartbeat_at for job in jobs if job.status == Job.Status.RUNNING and job.heartbeat_at]
    disk = shutil.disk_usage(settings.DATA_DIR)
    found = Health(
        at=now,
        seen_at=max([*at_work, *([beat] if beat else [])], default=None),
        queued=len(queued),
        oldest_queued_at=min(queued, default=None),
        free_bytes=disk.free,
        disk_bytes=disk.total,
        failures=_failures(jobs),
        command=start_command(),
    )
    if settings.EMBEDDED or found.worker_runs:
        return found
    return replace(found, broker_answers=broker_answers())  # why no worker is seen


def _jobs_of_note(now: datetime) -> list[Job]:
    """Jobs that wait or run, and those that failed of late, were not mended since, and not for a faulty file."""
    later = Job.objects.filter(
        kind=OuterRef("kind"), subject=OuterRef("subject"), created_at__gt=OuterRef("created_at")
    )
    failed = Q(status=Job.Status.FAILED, input_refused=False, finished_at__gt=now - NEWS) & ~Exists(later)
    active = Q(status__in=[Job.Status.QUEUED, Job.Status.RUNNING])
    return list(Job.objects.filter(active | failed).select_related("started_by").order_by("created_at")[:MOST_JOBS])


def _failures(jobs: list[Job]) -> tuple[Failure, ...]:
    failed = [
        Failure(job.pk, job.kind, job.finished_at, job.started_by_id, _username(job), job.error)
        for job in jobs
        if job.status == Job.Status.FAILED and job.finished_at
    ]
    return tuple(sorted(failed, key=lambda failure: failure.at, reverse=True))


def _username(job: Job) -> str:
    """Empty where the installation itself started the job."""
    return job.started_by.username if job.started_by else ""
