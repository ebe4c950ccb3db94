"""The pages of one campaign, grouped by what one wants to do, in one order. A new page is one line here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaigns.access import Right
from campaigns.models import Campaign

#: How much there is to do on a page of this campaign, in two queries at most.
Count = Callable[[Campaign], int]


@dataclass(frozen=True)
class CampaignPage:
    """A page by the name of its URL, with the right that is needed to see it. Pages of apps above are named, too.

    `is_shown` says whether the page has a sense for this campaign.
    """

    url_name: str
    title: str | Promise
    right: Right
    group: str | Promise
    is_shown: Callable[[Campaign], bool] = lambda _campaign: True


@dataclass(frozen=True)
class Tab:
    """`to_do` counts what waits on the page."""

    title: str | Promise
    url: str
    is_current: bool
    group: str | Promise
    to_do: int = 0


@dataclass(frozen=True)
class Group:
    title: str | Promise
    tabs: tuple[Tab, ...]

    @property
    def is_current(self) -> bool:
        return any(tab.is_current for tab in self.tabs)

    @property
    def to_do(self) -> int:
        return sum(tab.to_do for tab in self.tabs)


def _has_begun(campaign: Campaign) -> bool:
    return campaign.status != Campaign.Status.DRAFT


def _compares(campaign: Campaign) -> bool:
    return any(aspect.scale.kind.compares for aspect in campaign.protocol.aspects)


def _is_arena_or_may_be(campaign: Campaign) -> bool:
    """A campaign becomes an arena before it opens."""
    may_be = not _has_begun(campaign) and campaign.protocol.unit == "pair" and _compares(campaign)
    return campaign.is_open_ended or may_be


def _rates_by_comparison(campaign: Campaign) -> bool:
    return _has_begun(campaign) and _compares(campaign)


OVERVIEW = _("Overview")
SET_UP, COLLECT, REVIEW, ANALYSE, EXPORT = _("Set up"), _("Collect"), _("Review"), _("Analyse"), _("Export")

#: Those of one group stand together.
PAGES = (
    CampaignPage("campaign", OVERVIEW, Right.VIEW, OVERVIEW),
    CampaignPage("planning", _("Planning"), Right.MANAGE, SET_UP),
    CampaignPage("gates", _("Getting ready"), Right.MANAGE, SET_UP),
    CampaignPage("rubric", _("Rubric"), Right.REVIEW, SET_UP, lambda campaign: campaign.protocol.item_criteria),
    CampaignPage("checks", _("Checks"), Right.MANAGE, SET_UP),
    CampaignPage("retention", _("Retention"), Right.INVITE, SET_UP),
    CampaignPage("members", _("People"), Right.INVITE, COLLECT),
    CampaignPage("campaign-arena", _("Arena"), Right.VIEW, COLLECT, _is_arena_or_may_be),
    CampaignPage("runs", _("Judges"), Right.VIEW, COLLECT, _has_begun),
    CampaignPage("quality", _("Quality"), Right.REVIEW, REVIEW, _has_begun),
    CampaignPage("review", _("Units to review"), Right.REVIEW, REVIEW, _has_begun),
    CampaignPage("labels", _("Labels"), Right.VIEW, ANALYSE, _has_begun),
    CampaignPage("comparison", _("Comparison"), Right.VIEW, ANALYSE, _has_begun),
    CampaignPage("results", _("Results"), Right.VIEW, ANALYSE, _has_begun),
    CampaignPage("board", _("Board"), Right.VIEW, ANALYSE, _rates_by_comparison),
    CampaignPage("exports", _("Exports"), Right.EXPORT, EXPORT, _has_begun),
    CampaignPage("webhooks", _("Webhooks"), Right.MANAGE, EXPORT),
)
_counts: dict[str, Count] = {}


def count_to_do(url_name: str, count: Count) -> None:
    """Have the tab of this page say how much there is to do. Apps register theirs in `apps.py`."""
    _counts[url_name] = count


def groups(campaign: Campaign, rights: frozenset[Right], current: str) -> list[Group]:
    """The pages that a user with these rights may see and that have a sense for this campaign."""
    shown = _tabs(campaign, rights, current)
    return [Group(title, tuple(tabs)) for title, tabs in groupby(shown, key=lambda tab: tab.group)]


def _tabs(campaign: Campaign, rights: frozenset[Right], current: str) -> Iterator[Tab]:
    for page in PAGES:
        if page.right in rights and (page.url_name == current or page.is_shown(campaign)):
            url, count = reverse(page.url_name, args=[campaign.slug]), _counts.get(page.url_name)
            to_do = count(campaign) if count else 0
            yield Tab(page.title, url, page.url_name == current, page.group, to_do)
