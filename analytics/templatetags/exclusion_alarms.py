"""`{% exclusion_alarms campaigns %}`: the alarms that stand in these campaigns, and where to look."""

from collections.abc import Iterable
from typing import Any

from django import template

from analytics.monitoring.alarms import open_alarms
from campaigns.models import Campaign

register = template.Library()


@register.inclusion_tag("analytics/monitoring/_alarms.html")
def exclusion_alarms(*campaigns: Campaign) -> dict[str, object]:
    return {"alarms": open_alarms(campaigns)}


@register.inclusion_tag("analytics/monitoring/_alarms.html")
def exclusion_alarms_of_all(run: Iterable[tuple[Campaign, Any, Any]]) -> dict[str, object]:
    """Of the campaigns of the first page, which come with their progress and what was imported."""
    return {"alarms": open_alarms(campaign for campaign, _, _ in run), "named": True}
