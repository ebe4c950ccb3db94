"""The rehearsal of a rule of stopping: how many votes until a board's first places are settled, at which cost."""

from dataclasses import astuple, dataclass

import numpy as np
from django import forms
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.planning.precision.until_settled import ARENAS, MOST_VOTES, Rehearsed, World, rehearse
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from corpus.models import Item

#: The same numbers each time the page is loaded.
SEED = 20_261_126
KEPT_S = 24 * 3600
MOST_SYSTEMS = 12
MOST_ITEMS = 2_000


class RehearsalForm(forms.Form):
    """What one believes of the arena before it opens; every field has something to begin with."""

    places = forms.IntegerField(label=gettext_lazy("Places to be settled"), min_value=1, max_value=MOST_SYSTEMS)
    gap = forms.IntegerField(
        label=gettext_lazy("Between neighbours (points)"),
        min_value=5,
        max_value=600,
        help_text=gettext_lazy(
            "400 points are odds of 10 to 1. Half of a difference takes four times as many votes."
        ),
    )
    ties = forms.IntegerField(label=gettext_lazy("Ties (%)"), min_value=0, max_value=90)
    voters = forms.IntegerField(label=gettext_lazy("Annotators"), min_value=2, max_value=5_000)
    price = forms.FloatField(
        label=gettext_lazy("Price of an answer"), min_value=0, max_value=1e6, required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )  # fmt: skip

    def __init__(self, *args: object, systems: int, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.systems = systems

    def clean_places(self) -> int:
        places: int = self.cleaned_data["places"]
        if places > self.systems:
            raise forms.ValidationError(gettext_lazy("There are fewer systems."))
        return places


@dataclass(frozen=True)
class Row:
    """By so many votes this share of the arenas has stopped; None where they have not within what was simulated."""

    percent: int
    votes: float | None
    cost: float | None


@require_safe
def stopping_rehearsal(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    systems = min(campaign.systems.count() or campaign.dataset.systems.count(), MOST_SYSTEMS)
    context: dict[str, object] = {"campaign": campaign, "systems": systems, "arenas": ARENAS, "most": MOST_VOTES}
    if systems < 2 or campaign.protocol.unit != "pair":
        return render(request, "analytics/planning/stopping.html", context)
    n_items = min(max(2, Item.objects.filter(dataset=campaign.dataset).count()), MOST_ITEMS)
    usual = _usual(campaign, systems)
    form = RehearsalForm({name: request.GET.get(name, value) for name, value in usual.items()}, systems=systems)
    context |= {"form": form, "items": n_items}
    if request.GET and form.is_valid():
        found = _rehearsed(systems, n_items, form)
        price = form.cleaned_data["price"]
        rows = [(percent, found.quantile(percent / 100)) for percent in (10, 50, 90)]
        context |= {
            "found": found,
            "rows": [Row(percent, votes, votes * price if votes and price else None) for percent, votes in rows],
        }
    return render(request, "analytics/planning/stopping.html", context, status=422 if form.errors else 200)


def _usual(campaign: Campaign, systems: int) -> dict[str, object]:
    said = campaign.stops_when
    places = min(int(said.get("places", 1)), systems)
    return {"places": places, "gap": 60, "ties": 30, "voters": 30, "price": said.get("price", "")}


def _rehearsed(systems: int, n_items: int, form: RehearsalForm) -> Rehearsed:
    """From the cache where the same was asked before: it takes some seconds."""
    said = form.cleaned_data
    world = World(systems, float(said["gap"]), said["ties"] / 100, said["voters"], n_items)
    key = "-".join(["until-settled-1", *map(str, astuple(world)), str(said["places"])])
    kept: Rehearsed | None = cache.get(key)
    if kept is None:
        kept = rehearse(world, said["places"], rng=np.random.default_rng(SEED))
        cache.set(key, kept, KEPT_S)
    return kept
