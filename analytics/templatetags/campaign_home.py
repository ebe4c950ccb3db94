"""`{% campaign_home campaign %}`: where a campaign stands, and what is next for the person who looks."""

from typing import Any

from django import template

from analytics.home.campaign_steps import next_steps_of, standing_of
from campaigns.access import rights_in
from campaigns.models import Campaign

register = template.Library()


@register.inclusion_tag("analytics/home/_campaign_home.html", takes_context=True)
def campaign_home(context: dict[str, Any], campaign: Campaign) -> dict[str, object]:
    standing, rights = standing_of(campaign), rights_in(campaign, context["request"].user)
    return {
        "campaign": campaign,
        "standing": standing,
        "steps": next_steps_of(campaign, standing, rights),
        "csrf_token": context.get("csrf_token", ""),
    }
