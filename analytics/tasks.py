"""Celery's door to what is looked at regularly: the quality rules, and how much is left out."""

import logging

from celery import shared_task
from django.db.models import Q

from analytics.alarms import watch_exclusions
from analytics.models import ExclusionAlarm
from analytics.quality.looking import campaigns_to_look_at, look_at
from campaigns.models import Campaign

logger = logging.getLogger(__name__)


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
def look_at_campaign_task(campaign: int) -> int:
    row = Campaign.objects.filter(pk=campaign).first()
    return len(look_at(row)) if row else 0
