"""The pages of one campaign, in the order of their tabs. A new page is one line here."""

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
    is_shown: Callable[[Campaign], bool] = lambda _campaign: True


@dataclass(frozen=True)
class Tab:
    title: str | Promise
    url: str
    is_current: bool


PAGES = (
    CampaignPage("campaign", _("Overview"), Right.VIEW),
    CampaignPage("planning", _("Planning"), Right.MANAGE),
    CampaignPage("gates", _("Getting ready"), Right.MANAGE),
    CampaignPage("rubric", _("Rubric"), Right.REVIEW, lambda campaign: campaign.protocol.item_criteria),
    CampaignPage("checks", _("Checks"), Right.MANAGE),
    CampaignPage("members", _("People"), Right.INVITE),
    CampaignPage("quality", _("Quality"), Right.REVIEW),
    CampaignPage("review", _("Review"), Right.REVIEW),
    CampaignPage("runs", _("Judges"), Right.VIEW),
    CampaignPage("labels", _("Labels"), Right.VIEW),
    CampaignPage("board", _("Board"), Right.VIEW),
    CampaignPage("comparison", _("Comparison"), Right.VIEW),
    CampaignPage("campaign-arena", _("Arena"), Right.VIEW, lambda campaign: campaign.protocol.unit == "pair"),
)


def tabs(campaign: Campaign, rights: frozenset[Right], current: str) -> list[Tab]:
    """The tabs of those pages that somebody with these rights may see."""
    return [
        Tab(page.title, reverse(page.url_name, args=[campaign.slug]), page.url_name == current)
        for page in PAGES
        if page.right in rights and page.is_shown(campaign)
    ]
