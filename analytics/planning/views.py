"""The planning aid: how many answers per unit give which precision, for the campaign's own units."""

from dataclasses import dataclass

import numpy as np
from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from analytics.planning.designs import design_of
from analytics.planning.precision.widths import MOST_ANSWERS, Assumptions, Plan, Width, plan
from analytics.planning.ratings.pilot import aspects_of_responses
from campaigns.access import Right, campaign_for
from campaigns.launch.edit import NotADraft, set_answers
from campaigns.launch.sample_units import guessed_seconds
from campaigns.models import Campaign, CampaignUnit
from charts.planes import curve
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import whole_number

#: The same numbers each time the page is loaded.
SEED = 20_240_501


class AssumptionsForm(forms.Form):
    """What one believes before the study; every field has something to begin with."""

    kappa = forms.FloatField(
        label=gettext_lazy("Agreement κ between two people"),
        min_value=0,
        max_value=0.95,
        widget=forms.NumberInput(attrs={"step": "0.05"}),
        help_text=gettext_lazy("0 is chance, 1 is always. In studies of speech from 0.2 to 0.6 is usual."),
    )
    ties = forms.IntegerField(label=gettext_lazy("Ties (%)"), min_value=0, max_value=90)
    spread = forms.IntegerField(
        label=gettext_lazy("How far systems differ (points)"),
        min_value=0,
        max_value=600,
        help_text=gettext_lazy("The standard deviation of their ratings; 400 points are odds of 10 to 1."),
    )
    acceptable = forms.IntegerField(label=gettext_lazy("Found acceptable (%)"), min_value=1, max_value=99)
    pace = forms.IntegerField(label=gettext_lazy("Seconds per answer"), min_value=1, max_value=3600)

    def __init__(self, *args: object, of_pairs: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        for name in ("acceptable",) if of_pairs else ("ties", "spread"):
            del self.fields[name]

    def assumptions(self) -> Assumptions:
        said = self.cleaned_data
        usual = Assumptions()
        return Assumptions(
            kappa=said["kappa"],
            ties=said["ties"] / 100 if "ties" in said else usual.ties,
            spread=said.get("spread", usual.spread),
            acceptable=said["acceptable"] / 100 if "acceptable" in said else usual.acceptable,
        )


@dataclass(frozen=True)
class Row:
    """What so many answers per unit bring, and cost."""

    width: Width
    total: int
    hours: float
    is_current: bool


@require_http_methods(["GET", "POST"])
def planning(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if request.method == "POST":
        return _use(request, campaign)
    design = design_of(campaign)
    context: dict[str, object] = {
        "campaign": campaign,
        "is_draft": campaign.status == Campaign.Status.DRAFT,
        "of_ratings": bool(aspects_of_responses(campaign.protocol)),
    }
    if design is None:
        return render(request, "analytics/planning/planning.html", context)
    usual = _usual(campaign)
    asked = {name: request.GET.get(name, value) for name, value in usual.items()}
    form = AssumptionsForm(asked, of_pairs=design.of_pairs)
    context |= {"form": form, "design": design}
    if form.is_valid():
        found = plan(design, form.assumptions(), rng=np.random.default_rng(SEED))
        context |= _shown(campaign, found, form.cleaned_data["pace"])
    return render(request, "analytics/planning/planning.html", context, status=200 if form.is_valid() else 422)


def _use(request: AccountRequest, campaign: Campaign) -> HttpResponse:
    """Take a number of answers from the table into the draft."""
    answers = whole_number(request.POST.get("answers", ""), least=1, most=MOST_ANSWERS)
    if answers is None:
        messages.error(request, _("Choose a number of answers from the table."))
        return redirect("planning", campaign.slug)
    try:
        set_answers(
            campaign,
            answers_per_unit=answers,
            closes_at=campaign.closes_at,
            closes_when_complete=campaign.closes_when_complete,
        )
    except NotADraft as refusal:
        messages.error(request, refusal_text(refusal))
        return redirect("planning", campaign.slug)
    messages.success(request, _("Answers per unit: %(n)s.") % {"n": answers})
    return redirect("launch-answers", campaign.slug)


def _usual(campaign: Campaign) -> dict[str, object]:
    usual = Assumptions()
    return {
        "kappa": usual.kappa,
        "ties": round(100 * usual.ties),
        "spread": round(usual.spread),
        "acceptable": round(100 * usual.acceptable),
        "pace": campaign.units_choice.get("pace") or guessed_seconds(campaign.dataset, campaign.protocol),
    }


def _shown(campaign: Campaign, found: Plan, pace: int) -> dict[str, object]:
    n_units = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count()
    rows = [
        Row(
            width=width,
            total=n_units * width.answers,
            hours=n_units * width.answers * pace / 3600,
            is_current=width.answers == campaign.answers_per_unit,
        )
        for width in found.widths
    ]
    of_points = found.kind == "points"
    x_title = _("Answers per unit")
    of_rating = _("Width (points)") if of_points else _("Width (share)")
    return {
        "plan": found,
        "rows": rows,
        "kappa_curve": curve([width.kappa for width in found.widths], x_title=x_title, y_title=_("Width (κ)")),
        "rating_curve": curve([width.rating for width in found.widths], x_title=x_title, y_title=of_rating),
        "rating_decimals": 0 if of_points else 2,
    }
