"""Imports that no job is at: they go on, or end, and wait for nothing."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from corpus.imports.uploads.ending import end_import
from corpus.models import Import
from infrastructure.background.jobs import SERVER_ENDED, latest_job, start_job
from infrastructure.models import Job

#: After so many jobs that failed before they could say how it ended, an import fails.
MOST_JOBS = 3
UNDER_WAY = (Import.Status.CHECKING, Import.Status.IMPORTING)


def is_left(row: Import) -> bool:
    """Whether it waits for a job that is not there."""
    if row.status not in UNDER_WAY:
        return False
    job = latest_job(row.job_kind, row.pk)
    return job is None or not job.is_active


def queue_left(rows: "QuerySet[Import]") -> int:
    """Queue the jobs of those that wait for one that is not there; end those whose jobs fail. How many there were."""
    return sum(_queue(pk) for pk in list(rows.filter(status__in=UNDER_WAY).values_list("pk", flat=True)))


@transaction.atomic
def _queue(pk: UUID) -> bool:
    row = Import.objects.select_for_update().filter(pk=pk, status__in=UNDER_WAY).first()
    if row is None or not is_left(row):
        return False
    if _is_hopeless(row):
        end_import(row, Import.Status.FAILED)
    else:
        start_job(row.job_kind, subject=row.pk, started_by=row.created_by)
    return True


def _is_hopeless(row: Import) -> bool:
    failed = Job.objects.filter(kind=row.job_kind, subject=str(row.pk), status=Job.Status.FAILED)
    last = failed.order_by("-created_at").first()
    if last is None:
        return False
    return failed.count() >= MOST_JOBS or (last.error is not None and last.error.code == SERVER_ENDED.code)
