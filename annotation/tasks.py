"""Scheduled tasks about answers."""

from celery import shared_task
from django.utils.translation import gettext_lazy as _

from annotation.answers.origins import forget_keys
from annotation.assignment.closing import close_complete_campaigns
from annotation.models import BulkDecision
from annotation.review.bulk import KIND as DECIDE_IN_BULK
from annotation.review.bulk import carry_out, end_cancelled, go_on
from infrastructure.background.kinds import JobKind, register
from infrastructure.background.subjects import Subjects

register(
    JobKind(
        DECIDE_IN_BULK,
        _("Decision about many answers"),
        carry_out,
        subjects=Subjects(BulkDecision, name="campaign__title", url="review", args=("campaign__slug",)),
        repeatable=True,
        relink=go_on,
        cancellable=True,
        on_cancel=end_cancelled,
    )
)


@shared_task
def close_complete_campaigns_task() -> int:
    return len(close_complete_campaigns())


@shared_task
def forget_day_keys_task() -> int:
    return forget_keys()
