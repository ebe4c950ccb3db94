"""What is deleted while a request is at work on it: the request found it, and then it was gone."""

from datetime import timedelta

from django.core.exceptions import ObjectDoesNotExist
from django.db import DatabaseError
from django.utils import timezone

from infrastructure.deletion.actions import KIND
from infrastructure.deletion.demo import KIND as DEMO
from infrastructure.deletion.subjects import subjects
from infrastructure.models import Job

#: No request takes so long.
LONGEST = timedelta(hours=1)


def was_deleted(error: BaseException | None) -> bool:
    """Whether a row of a deletable kind was missing, and something was deleted within the hour; else it is a bug."""
    if not isinstance(error, ObjectDoesNotExist):
        return False
    if not isinstance(error, tuple(subject.model.DoesNotExist for subject in subjects())):  # type: ignore[attr-defined]
        return False
    try:
        return Job.objects.filter(kind__in=[KIND, DEMO], created_at__gt=timezone.now() - LONGEST).exists()
    except DatabaseError:
        return False
