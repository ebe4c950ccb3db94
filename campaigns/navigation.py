"""The pages of one campaign, in the order of their tabs, under a few headings. A new page is one line here."""

from collections.abc import Callable
from dataclasses import dataclass

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.access import Right
from campaigns.models import Campaign


@dataclass(frozen=True)
class CampaignPage:
    """A page by the name of its address, and the right one needs to see it. Rooms above add theirs by name alone."""

    url_name: str
    title: str | Promise
    right: Right
    group: str | Promise
    is_shown: Callable[[Campaign], bool] = lambda _campaign: True


@dataclass(frozen=True)
class Tab:
    title: str | Promise
    url: str
    is_current: bool
    group: str | Promise


SET_UP, LOOK_AFTER, ANSWERS = _("Set up"), _("Look after"), _("Answers")
FINDINGS, CONNECT = _("Findings"), _("Connect")

#: Those of one heading stand together.
PAGES = (
    CampaignPage("campaign", _("Overview"), Right.VIEW, SET_UP),
    CampaignPage("planning", _("Planning"), Right.MANAGE, SET_UP),
    CampaignPage("gates", _("Getting ready"), Right.MANAGE, SET_UP),
    CampaignPage("rubric", _("Rubric"), Right.REVIEW, SET_UP, lambda campaign: campaign.protocol.item_criteria),
    CampaignPage("checks", _("Checks"), Right.MANAGE, SET_UP),
    CampaignPage("members", _("People"), Right.INVITE, SET_UP),
    CampaignPage("retention", _("Keeping"), Right.INVITE, SET_UP),
    CampaignPage("quality", _("Quality"), Right.REVIEW, LOOK_AFTER),
    CampaignPage("review", _("Review"), Right.REVIEW, LOOK_AFTER),
    CampaignPage("runs", _("Judges"), Right.VIEW, ANSWERS),
    CampaignPage("labels", _("Labels"), Right.VIEW, ANSWERS),
    CampaignPage("exports", _("Exports"), Right.EXPORT, ANSWERS),
    CampaignPage("board", _("Board"), Right.VIEW, FINDINGS),
    CampaignPage("results", _("Results"), Right.VIEW, FINDINGS),
    CampaignPage("comparison", _("Comparison"), Right.VIEW, FINDINGS),
    CampaignPage(
        "campaign-arena", _("Arena"), Right.VIEW, FINDINGS, lambda campaign: campaign.protocol.unit == "pair"
    ),
    CampaignPage("webhooks", _("Webhooks"), Right.MANAGE, CONNECT),
)


def tabs(campaign: Campaign, rights: frozenset[Right], current: str) -> list[Tab]:
    """The tabs of those pages that somebody with these rights may see."""
    return [
        Tab(page.title, reverse(page.url_name, args=[campaign.slug]), page.url_name == current, page.group)
        for page in PAGES
        if page.right in rights and page.is_shown(campaign)
    ]
