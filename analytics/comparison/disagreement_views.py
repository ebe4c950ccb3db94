from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.comparison.disagreements import (
    MOST,
    NOTHING,
    Found,
    Kept,
    Split,
    Wanted,
    disagreements,
    kept_labels,
    open_units,
    rows_of_units,
)
from analytics.data.label_arrays import PEOPLE
from analytics.data.label_words import label_words
from analytics.data.votes.table import categories_of
from analytics.review.judged_unit import said_by_judges, said_by_labels
from analytics.review.unit import reviewed_unit
from analytics.review.views import unit_for_review
from annotation.review import comments
from annotation.review.adjudication import review_order
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign, CampaignUnit
from protocols import Scale

PER_PAGE = 25
LONGEST = 200


@dataclass(frozen=True)
class Row:
    """A unit of the list, in the reviewer's own order: `people` are labels with how many gave them."""

    unit: CampaignUnit
    split: Split
    place: int | None
    people: list[tuple[str, int]]
    said: str


@require_safe
def list_disagreements(request: AccountRequest, slug: str) -> HttpResponse:
    """The units on which a judge says something else than most people."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    wanted = _wanted(request)
    kept = kept_labels(campaign, wanted)
    found = _found(request, campaign, kept, wanted)
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    titles = {aspect.name: aspect.title for aspect in campaign.protocol.counted_aspects}
    context = {
        "campaign": campaign,
        "wanted": wanted,
        "kept": kept,
        "aspects": titles.items(),
        "references": [(key, _("the campaign’s people") if key == PEOPLE else name) for key, name in kept.references],
        "labels": _labels(campaign, kept),
        "categories": categories_of(campaign),
        "page": page,
        "rows": _rows(request, campaign, kept, list(page)),
        "n": len(found),
        "query": _query(wanted),
        "most": MOST,
        "nothing": NOTHING,
        "is_cell": wanted.is_cell,
    }
    return render(request, "analytics/comparison/disagreements.html", context)


@require_safe
def disagreement(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """One unit: both responses to hear, what people and every judge said, and why."""
    campaign, row = unit_for_review(request, slug, pk)
    wanted = _wanted(request)
    kept = kept_labels(campaign, wanted)
    names = comments.names_shown_to(row, request.user)
    seen = reviewed_unit(row, request.user, with_names=names is not None)
    before, after = _neighbours(_found(request, campaign, kept, wanted), row.unit_id)
    rows = rows_of_units(campaign, {unit for unit in (before, after) if unit is not None})
    context = {
        "campaign": campaign,
        "seen": seen,
        "labels": said_by_labels(row, seen.order),
        "verdicts": said_by_judges(row, seen.order),
        "names_shown": names,
        "before": rows[before].pk if before in rows else None,
        "after": rows[after].pk if after in rows else None,
        "query": _query(wanted),
    }
    return render(request, "analytics/comparison/disagreement.html", context)


def _wanted(request: AccountRequest) -> Wanted:
    said = {name: request.GET.get(name, "")[:LONGEST] for name in asdict(Wanted()) if name != "excluded"}
    return Wanted(**said, excluded=bool(request.GET.get("excluded")))


def _query(wanted: Wanted) -> str:
    query = asdict(wanted) | {"excluded": "1" if wanted.excluded else ""}
    return urlencode({name: value for name, value in query.items() if value})


def _found(request: AccountRequest, campaign: Campaign, kept: Kept, wanted: Wanted) -> Found:
    may_see = open_units(campaign, request.user)
    found = disagreements(kept, wanted)
    return found if may_see is None else found.among(may_see)


def _rows(request: AccountRequest, campaign: Campaign, kept: Kept, splits: list[Split]) -> list[Row]:
    scale = campaign.protocol.aspect(kept.aspect).scale if kept.aspect else None
    units = rows_of_units(campaign, {split.unit for split in splits})
    found = []
    for split in splits:
        unit = units[split.unit]
        order = review_order(unit, request.user)
        people = [(_worded(label, order, scale), n) for label, n in split.people]
        place = order.index(split.slot) + 1 if split.slot else None
        found.append(Row(unit, split, place, people, _worded(split.said, order, scale)))
    return found


def _labels(campaign: Campaign, kept: Kept) -> list[tuple[str, str]]:
    """What can be chosen, with its words: winners are called a and b, because every unit has an order of its own."""
    scale = campaign.protocol.aspect(kept.aspect).scale if kept.aspect else None
    return [(label, label_words(scale, label)) for label in kept.categories] if scale else []


def _worded(label: str, order: str, scale: Scale | None) -> str:
    """A stored label in the words of the protocol, and in the order in which this reviewer hears the unit."""
    if not label or scale is None:
        return ""
    return str(scale.kind.label(scale.kind.shown(label, order)))


def _neighbours(found: Found, unit: int) -> tuple[int | None, int | None]:
    units = list(dict.fromkeys(found.units))
    if unit not in units:
        return None, units[0] if units else None
    at = units.index(unit)
    return (units[at - 1] if at else None), (units[at + 1] if at + 1 < len(units) else None)
