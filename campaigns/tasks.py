"""Celery's door to the jobs. Each task takes an id, re-reads, and returns early if nothing is to do."""

from uuid import UUID

from celery import Task, shared_task

from campaigns.background import jobs
from campaigns.background.workers import note_beat
from campaigns.clips.audio_delivery import prepare_audio_of
from campaigns.control_units.attention_checks.making import KIND as MAKE_TRAPS
from campaigns.control_units.attention_checks.making import make_traps_of
from campaigns.imports.sweeping import sweep_abandoned_files
from campaigns.imports.uploads import check_import, write_import
from campaigns.launch.lifecycle import close_due_campaigns
from campaigns.webhooks.sending import deliver, deliver_due, thin_deliveries

jobs.register("import-check", check_import)
jobs.register("import-write", write_import)
jobs.register("prepare-audio", prepare_audio_of)
jobs.register(MAKE_TRAPS, make_traps_of)


@shared_task
def run_job_task(job_id: str) -> None:
    jobs.run_job(UUID(job_id))


@shared_task
def requeue_lost_jobs_task() -> int:
    return jobs.requeue_lost_jobs()


@shared_task
def sweep_abandoned_files_task() -> int:
    return sweep_abandoned_files()


@shared_task(bind=True)
def beat_task(self: Task[[], None]) -> None:
    """Done by a worker, so that the row it writes shows that one is at work."""
    note_beat(self.request.hostname or "worker")


@shared_task
def close_due_campaigns_task() -> int:
    return close_due_campaigns()


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
