"""Celery's door to the quality rules: one task finds the campaigns with new answers, one looks at each of them."""

from celery import shared_task

from analytics.quality.looking import campaigns_to_look_at, look_at
from campaigns.models import Campaign


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
