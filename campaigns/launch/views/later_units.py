"""Adding units to a campaign that runs, with what comes of it before one says yes."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.launch.later_units import (
    clips_to_prepare,
    decline,
    later_responses,
    news_for,
    start_adding,
    takes_systems,
    units_by_system,
    why_not,
)
from campaigns.launch.lifecycle import WrongStatus
from campaigns.models import Campaign
from corpus.models import System
from infrastructure.templatetags.wording import refusal_text


class LaterUnitsForm(forms.Form):
    systems: Any = forms.ModelMultipleChoiceField(
        queryset=None, label=gettext_lazy("New systems that join"), required=False
    )

    def __init__(self, *args: Any, joining: list[System]) -> None:
        super().__init__(*args)
        systems: Any = self.fields["systems"]
        systems.queryset = System.objects.filter(pk__in=[system.pk for system in joining])


@require_http_methods(["GET", "POST"])
def later_units(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    news, reason = news_for(campaign), why_not(campaign)
    joining = news.systems if news and takes_systems(campaign) else []
    form = LaterUnitsForm(_asked(request), joining=joining)
    systems = list(form.cleaned_data.get("systems", [])) if form.is_valid() else list(joining)
    if request.method == "POST":
        return _posted(request, campaign, systems, form)
    context: dict[str, object] = {"campaign": campaign, "news": news, "why_not": reason, "form": form}
    if reason is None:
        later = later_responses(campaign, systems)
        context |= {
            "n": len(later),
            "n_now": campaign.campaign_units.filter(purpose="study").count(),
            "n_answers": len(later) * campaign.answers_per_unit,
            "n_clips": len(clips_to_prepare(campaign, later)),
            "by_system": units_by_system(campaign, later),
            "joining": joining,
            "chosen": [it.pk for it in systems],
        }
    return render(request, "campaigns/launch/later_units.html", context)


def _asked(request: AccountRequest) -> QueryDict | None:
    """None at first sight: then all new systems are ticked."""
    if request.method == "POST":
        return request.POST
    return request.GET if "counted" in request.GET else None


def _posted(request: AccountRequest, campaign: Campaign, systems: list[System], form: LaterUnitsForm) -> HttpResponse:
    if "decline" in request.POST:
        decline(campaign)
        messages.info(request, _("Nothing was added. The next import into the dataset is offered again."))
        return redirect(campaign)
    if not form.is_valid():
        messages.error(request, _("Choose among the new systems."))
        return redirect("campaign-later-units", campaign.slug)
    try:
        start_adding(campaign, systems=systems, user=request.user)
    except WrongStatus as refusal:
        messages.error(request, refusal_text(refusal))
        return redirect("campaign-later-units", campaign.slug)
    messages.success(
        request, _("The audio of the new units is being prepared; they are added when all of it is there.")
    )
    return redirect(campaign)
