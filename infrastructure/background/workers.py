"""Whether a worker is running, according to the database."""

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.db.models import Max
from django.utils import timezone
from kombu.exceptions import OperationalError

from infrastructure.models import Job, WorkerBeat

logger = logging.getLogger(__name__)

#: A worker that was not seen for so long is not running. It is seen every three seconds.
SILENCE = timedelta(seconds=15)
#: A worker that is there is seen within this time of anything being queued.
NOTICE = timedelta(seconds=4)
FORGOTTEN = timedelta(days=1)
BROKER_TIMEOUT_S = 2


@dataclass(frozen=True)
class Waiting:
    """Why a job waits: no worker is running, with the command that starts one, or all are busy."""

    no_worker: bool
    command: str


def note_beat(name: str) -> None:
    """A worker says that it is there. Rows of workers that are long gone go."""
    now = timezone.now()
    WorkerBeat.objects.update_or_create(name=name[:200], defaults={"seen_at": now})
    WorkerBeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def last_sign_of_life() -> datetime | None:
    """When any worker was last seen: by its beat, or, while it has no time for one, by the job it is at."""
    latest = timezone.now() + SILENCE  # what is later is from before the clock was set back
    beat = WorkerBeat.objects.filter(seen_at__lte=latest).aggregate(at=Max("seen_at"))["at"]
    jobs = Job.objects.filter(status=Job.Status.RUNNING, heartbeat_at__lte=latest)
    work = jobs.aggregate(at=Max("heartbeat_at"))["at"]
    return max((at for at in (beat, work) if at), default=None)


def worker_runs(seen: datetime | None, *, now: datetime | None = None) -> bool:
    """Whether a worker that was last seen then is there at that moment."""
    return seen is not None and (now or timezone.now()) - seen <= SILENCE


def waiting(job: Job) -> Waiting | None:
    """What a job waits for; None while it goes on, or was queued only just now."""
    now = timezone.now()
    if job.status == Job.Status.QUEUED and now - job.created_at >= NOTICE:
        seen = last_sign_of_life()
        return Waiting(
            no_worker=seen is None or seen < job.created_at or not worker_runs(seen), command=start_command()
        )
    if job.status == Job.Status.RUNNING and job.heartbeat_at and not worker_runs(job.heartbeat_at):
        seen = last_sign_of_life()
        return Waiting(no_worker=True, command=start_command()) if not worker_runs(seen) else None
    return None


def broker_answers() -> bool:
    """Whether a message to the workers would leave this process. Waits for two seconds at most."""
    try:
        with current_app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=BROKER_TIMEOUT_S)
    except OperationalError as error:
        logger.warning("The broker does not answer: %s", error)
        return False
    return True


def start_command() -> str:
    """What to type to have a worker. In the embedded mode it is part of the server."""
    return "python manage.py serve" if settings.EMBEDDED else "celery -A config worker --beat"
