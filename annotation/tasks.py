"""Scheduled tasks about answers."""

from celery import shared_task

from annotation.answers.origins import forget_keys
from annotation.assignment.closing import close_complete_campaigns


@shared_task
def close_complete_campaigns_task() -> int:
    return len(close_complete_campaigns())


@shared_task
def forget_day_keys_task() -> int:
    return forget_keys()
