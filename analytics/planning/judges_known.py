"""The rehearsal of a rule of stopping: how many units until the κ of judges is known, at which cost."""

from dataclasses import astuple, dataclass

import numpy as np
from django import forms
from django.core.cache import cache
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.planning.precision.until_known import STUDIES, Known, OutOfReach, World, rehearse
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign, CampaignUnit

#: The same numbers each time the page is loaded.
SEED = 20_261_127
KEPT_S = 24 * 3600
#: A study that has not stopped by then is given up, whatever the size of the campaign.
MOST_UNITS = 10_000
#: Tables of units and people that are simulated have so many cells at most.
_MOST_CELLS = 2_000_000
_NUMBER = {"step": "0.05"}


class KnownForm(forms.Form):
    """What one believes of a study before it opens; every field has something to begin with."""

    width = forms.FloatField(
        label=gettext_lazy("κ known to ±"), min_value=0.01, max_value=1, widget=forms.NumberInput({"step": "0.01"})
    )
    kappa = forms.FloatField(
        label=gettext_lazy("κ of a judge with people"), min_value=0, max_value=0.95, widget=forms.NumberInput(_NUMBER)
    )
    between = forms.FloatField(
        label=gettext_lazy("Agreement κ between two people"),
        min_value=0.05,
        max_value=0.95,
        widget=forms.NumberInput(_NUMBER),
        help_text=gettext_lazy("0 is chance, 1 is always. In studies of speech from 0.2 to 0.6 is usual."),
    )
    people = forms.IntegerField(label=gettext_lazy("Annotators"), min_value=1, max_value=500)
    price = forms.FloatField(
        label=gettext_lazy("Price of an answer"), min_value=0, max_value=1e6, required=False,
        widget=forms.NumberInput({"step": "any"}),
    )  # fmt: skip

    def __init__(self, *args: object, answers: int, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.answers = answers

    def clean_people(self) -> int:
        people: int = self.cleaned_data["people"]
        if people < self.answers:
            raise forms.ValidationError(gettext_lazy("A unit has more answers than that, each by another person."))
        return people


@dataclass(frozen=True)
class Row:
    """By so many units this share of the studies has stopped; None where they have not by then."""

    percent: int
    units: float | None
    answers: float | None
    cost: float | None


@require_safe
def judge_rehearsal(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    categories, n_units = _categories(campaign), _n_units(campaign)
    context: dict[str, object] = {"campaign": campaign, "studies": STUDIES, "units": MOST_UNITS, "there": n_units}
    if not categories:
        return render(request, "analytics/planning/judges_known.html", context)
    answers = 1 if campaign.is_open_ended else campaign.answers_per_unit
    usual = _usual(campaign, answers)
    form = KnownForm({name: request.GET.get(name, value) for name, value in usual.items()}, answers=answers)
    context |= {"form": form, "answers": answers}
    if request.GET and form.is_valid():
        said = form.cleaned_data
        units = min(MOST_UNITS, _MOST_CELLS // said["people"])
        world = World(said["kappa"], said["between"], said["people"], answers, categories, units)
        try:
            known = _rehearsed(world, said["width"])
            median = known.quantile(0.5)
            is_short = n_units is not None and (median is None or median > n_units)
            context |= _found(known, answers, said["price"]) | {"units": units, "is_short": is_short}
        except OutOfReach as error:
            refusal = _("People who agree so little leave a judge with %(most)s at most.")
            form.add_error("kappa", refusal % {"most": f"{error.most:.2f}"})
    status = 422 if form.errors else 200
    return render(request, "analytics/planning/judges_known.html", context, status=status)


def _found(found: Known, answers: int, price: float | None) -> dict[str, object]:
    rows = []
    for percent in (10, 50, 90):
        units = found.quantile(percent / 100)
        given = None if units is None else units * answers
        rows.append(Row(percent, units, given, given * price if given and price else None))
    return {"found": found, "rows": rows}


def _usual(campaign: Campaign, answers: int) -> dict[str, object]:
    said = campaign.stops_when
    width, price = said.get("kappa", 0.1), said.get("price", "")
    return {"width": width, "kappa": 0.4, "between": 0.5, "people": max(20, answers), "price": price}


def _categories(campaign: Campaign) -> int:
    """Those of the first question; 0 where it has too many to be counted, or there is none."""
    chosen = sorted(campaign.protocol.counted_aspects, key=lambda aspect: aspect.name != "overall")
    kind = chosen[0].scale.kind if chosen else None
    return len(kind.categories(())) if kind is not None and kind.has_few_values else 0


def _n_units(campaign: Campaign) -> int | None:
    """How many units the campaign has; None where they are made as people come."""
    if campaign.is_open_ended:
        return None
    return campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count()


def _rehearsed(world: World, width: float) -> Known:
    """From the cache where the same was asked before: it takes some seconds."""
    key = "-".join(["until-known-1", *map(str, astuple(world)), str(width)])
    kept: Known | None = cache.get(key)
    if kept is None:
        kept = rehearse(world, width, rng=np.random.default_rng(SEED))
        cache.set(key, kept, KEPT_S)
    return kept
