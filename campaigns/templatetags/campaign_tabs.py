"""`{% campaign_tabs campaign "checks" %}`: where one is among the pages of a campaign."""

from typing import Any

from django import template

from campaigns.access import rights_in
from campaigns.models import Campaign
from campaigns.navigation import tabs

register = template.Library()


@register.inclusion_tag("campaigns/_tabs.html", takes_context=True)
def campaign_tabs(context: dict[str, Any], campaign: Campaign, current: str) -> dict[str, object]:
    user = context["request"].user
    there = tabs(campaign, rights_in(campaign, user), current)
    return {"campaign": campaign, "named": current != "campaign", "tabs": there}
