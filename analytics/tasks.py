import logging

from celery import shared_task
from django.db.models import Q

from analytics.alarms import watch_exclusions
from analytics.models import ExclusionAlarm
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
