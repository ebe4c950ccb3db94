"""`{% campaign_tabs campaign "checks" %}`: where one is among the pages of a campaign, or the steps of its launch."""

from typing import Any

from django import template

from campaigns.access import Right, rights_in
from campaigns.launch import stopping
from campaigns.launch.steps import first_line, is_step, progress_line
from campaigns.models import Campaign
from campaigns.navigation import OVERVIEW, groups
from infrastructure.wording.reasons import Reason

register = template.Library()


@register.inclusion_tag("campaigns/_where.html", takes_context=True)
def campaign_tabs(context: dict[str, Any], campaign: Campaign, current: str) -> dict[str, object]:
    """The tabs; on a page that is a step of a launch that goes on, the steps."""
    rights = rights_in(campaign, context["request"].user)
    if campaign.status == Campaign.Status.DRAFT and is_step(current) and Right.MANAGE in rights:
        return {"campaign": campaign, "line": progress_line(campaign, rights, current)}
    shown = groups(campaign, rights, current)
    return {"campaign": campaign, "named": current != "campaign", "groups": shown, "overview": OVERVIEW}


@register.inclusion_tag("campaigns/_steps.html", takes_context=True)
def launch_steps(context: dict[str, Any], campaign: Campaign | None, current: str) -> dict[str, object]:
    """`{% launch_steps campaign "launch-units" %}`: the steps alone; without a campaign, as they are to come."""
    if campaign is None:
        return {"line": first_line()}
    rights = rights_in(campaign, context["request"].user)
    return {"campaign": campaign, "line": progress_line(campaign, rights, current)}


@register.filter
def stopping_rule(rule: dict[str, Any]) -> Reason:
    """What a campaign's rule of stopping waits for."""
    return stopping.sentence(rule)
