"""Celery tasks of jobs, workers and webhooks. Each takes an id, re-reads, and returns early if nothing is to do."""

from uuid import UUID

from celery import Task, shared_task
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from infrastructure.background import jobs
from infrastructure.background.beside import run_beside
from infrastructure.background.kinds import JobKind, register
from infrastructure.background.workers import note_beat
from infrastructure.deletion.actions import KIND as DELETE
from infrastructure.deletion.demo import KIND as CLEAR_DEMO
from infrastructure.deletion.demo import purge_demo
from infrastructure.deletion.purging import purge
from infrastructure.webhooks.deliveries import deliver, deliver_due, thin_deliveries

register(
    JobKind(DELETE, _("Deletion"), purge, repeatable=True),
    JobKind(CLEAR_DEMO, _("Clearing the demo away"), purge_demo, repeatable=True),
)


@shared_task(bind=True)
def run_job_task(self: Task[[str], None], job_id: str) -> None:
    by_worker = settings.EMBEDDED and not self.request.called_directly
    if not (by_worker and run_beside(UUID(job_id))):
        jobs.run_job(UUID(job_id))


@shared_task
def requeue_lost_jobs_task() -> int:
    return jobs.requeue_lost_jobs()


@shared_task(bind=True)
def beat_task(self: Task[[], None]) -> None:
    """Done by a worker, so that the row it writes shows that one is at work."""
    note_beat(self.request.hostname or "worker")


@shared_task
def deliver_task(delivery: str) -> bool:
    return deliver(UUID(delivery))


@shared_task
def deliver_due_task() -> int:
    """What lost its message, waits for another try, or was under way in a worker that died."""
    return deliver_due()


@shared_task
def thin_deliveries_task() -> int:
    return thin_deliveries()
