"""Celery's door to what is looked at regularly: the quality rules, and how much is left out."""

import logging

from celery import shared_task
from django.db.models import Q
from django.utils import timezone

from analytics.exports.making import KIND as MAKE_EXPORT
from analytics.exports.making import drop_outdated, make_export, sweep_exports
from analytics.exports.notices import tell_owner
from analytics.models import ExclusionAlarm
from analytics.monitoring.alarms import watch_exclusions
from analytics.quality.evaluate import campaigns_to_look_at, look_at
from analytics.reports.jobs import KIND as MAKE_REPORT
from analytics.reports.jobs import make_report
from analytics.reports.storage import thin_reports
from analytics.retention.deletion import carry_out, what_is_due
from analytics.study_imports.uploads import CHECK as CHECK_STUDY
from analytics.study_imports.uploads import WRITE as WRITE_STUDY
from analytics.study_imports.uploads import check_study_import, write_study_import
from campaigns.background import jobs
from campaigns.models import Campaign

logger = logging.getLogger(__name__)
jobs.register(MAKE_EXPORT, make_export)
jobs.register(MAKE_REPORT, make_report)
jobs.register(CHECK_STUDY, check_study_import)
jobs.register(WRITE_STUDY, write_study_import)


@shared_task
def watch_exclusions_task() -> int:
    """Look at every campaign in which answers may come or an alarm stands; return how many alarms stand.

    A look that fails is no alarm and ends none: it is logged, and the next one comes in a minute.
    """
    alarming = ExclusionAlarm.objects.filter(ended_at=None).values("campaign")
    watched = Q(status__in=[Campaign.Status.OPEN, Campaign.Status.PAUSED]) | Q(pk__in=alarming)
    standing = 0
    for campaign in Campaign.objects.filter(watched):
        try:
            standing += watch_exclusions(campaign) is not None
        except Exception:
            logger.exception("The exclusions of campaign %s could not be looked at", campaign.slug)
    return standing


@shared_task
def look_at_quality_task() -> int:
    """Ask for a look at each campaign that needs one; one that cannot be looked at keeps nobody else waiting."""
    waiting = list(campaigns_to_look_at())
    for campaign in waiting:
        look_at_campaign_task.delay(campaign)
    return len(waiting)


@shared_task
def sweep_exports_task() -> int:
    """Delete what may not be kept any more; who asked for a file that held withdrawn answers is told."""
    dropped = drop_outdated()
    for row in dropped:
        try:
            tell_owner(row)
        except OSError:  # so are all the faults of SMTP; the page tells it, too
            logger.exception("Whoever asked for export %s could not be told that it was deleted", row.pk)
    return len(dropped) + sweep_exports()


@shared_task
def retention_task() -> int:
    """Once a night: forget and delete what is not to be kept any longer; return in how many campaigns."""
    now = timezone.now()
    due = what_is_due(now)
    carry_out(due, now=now)
    return len(due)


@shared_task
def look_at_campaign_task(campaign: int) -> int:
    row = Campaign.objects.filter(pk=campaign).first()
    return len(look_at(row)) if row else 0


@shared_task
def thin_reports_task() -> int:
    """Throw away old reports that nobody keeps; return how many."""
    return thin_reports(timezone.now())
