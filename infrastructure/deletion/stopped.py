"""Deletions whose job failed for good: what they are of, why they stopped, and the job to run again."""

from collections.abc import Iterator
from dataclasses import dataclass

from accounts.models import AuditEntry
from infrastructure.deletion.actions import KIND
from infrastructure.deletion.demo import KIND as CLEAR_DEMO
from infrastructure.deletion.subjects import Subject, subject_of
from infrastructure.models import Deletion, Job


@dataclass(frozen=True)
class StoppedDeletion:
    """`name` is what the thing was called before it was hidden."""

    subject: Subject
    name: str
    job: Job


def stopped_deletions(kind: str = "") -> list[StoppedDeletion]:
    """Of one kind of thing, or of all; oldest first."""
    rows = list(Deletion.objects.filter(**{"kind": kind} if kind else {}).order_by("pk"))
    return list(_stopped(rows)) if rows else []


def _stopped(rows: list[Deletion]) -> Iterator[StoppedDeletion]:
    about = [f"{row.kind}:{row.number}" for row in rows]
    jobs = Job.objects.filter(kind=KIND, subject__in=about) | Job.objects.filter(kind=CLEAR_DEMO)
    latest = {job.subject: job for job in jobs.order_by("created_at")}
    for row in rows:
        job = latest.get(f"{row.kind}:{row.number}") or latest.get("demo")
        subject = subject_of(row.kind)
        if job is not None and subject is not None and job.is_to_repeat:
            yield StoppedDeletion(subject, _name(subject, row), job)


def _name(subject: Subject, row: Deletion) -> str:
    """As the audit log has it, since what is unique is free again; else by its number."""
    asked = AuditEntry.objects.filter(pk__in=[row.asked_in]).first()
    return asked.subject_name if asked else f"{subject.title} {row.number}"
