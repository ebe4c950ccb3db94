"""Whether anybody is there to do the background work, as the database knows it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from campaigns.models import Job, WorkerBeat

#: A worker that was not seen for so long is not running. It is seen every three seconds.
SILENCE = timedelta(seconds=15)
#: A worker that is there is seen within this time of anything being queued.
NOTICE = timedelta(seconds=4)
FORGOTTEN = timedelta(days=1)


@dataclass(frozen=True)
class Waiting:
    """Why a job does not go on: nobody is there, with the command that starts a worker, or all are busy."""

    nobody: bool
    command: str


def note_beat(name: str) -> None:
    """A worker says that it is there. Rows of workers that are long gone go."""
    now = timezone.now()
    WorkerBeat.objects.update_or_create(name=name[:200], defaults={"seen_at": now})
    WorkerBeat.objects.filter(seen_at__lt=now - FORGOTTEN).delete()


def last_sign_of_life() -> datetime | None:
    """When any worker was last seen: by its beat, or, while it has no time for one, by the job it is at."""
    beat = WorkerBeat.objects.aggregate(at=Max("seen_at"))["at"]
    work = Job.objects.filter(status=Job.Status.RUNNING).aggregate(at=Max("heartbeat_at"))["at"]
    return max((at for at in (beat, work) if at), default=None)


def waiting(job: Job) -> Waiting | None:
    """What a job waits for; None while it goes on, or was queued only just now."""
    now = timezone.now()
    if job.status == Job.Status.QUEUED and now - job.created_at >= NOTICE:
        seen = last_sign_of_life()
        return Waiting(nobody=seen is None or seen < job.created_at or _is_gone(seen), command=start_command())
    if job.status == Job.Status.RUNNING and job.heartbeat_at and _is_gone(job.heartbeat_at):
        seen = last_sign_of_life()
        return Waiting(nobody=True, command=start_command()) if seen is None or _is_gone(seen) else None
    return None


def start_command() -> str:
    """What to type to have a worker. In the embedded mode it is part of the server."""
    return "python manage.py serve" if settings.EMBEDDED else "celery -A config worker --beat"


def _is_gone(seen: datetime) -> bool:
    return timezone.now() - seen > SILENCE
