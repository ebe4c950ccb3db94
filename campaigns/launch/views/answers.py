"""The fourth step: how many answers, and until when."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from campaigns.launch.edit import NotADraft, set_answers
from campaigns.launch.forms import AnswersForm
from campaigns.launch.views.drafts import draft_of, is_fixed, to_campaign, to_next
from campaigns.models import CampaignUnit


@require_http_methods(["GET", "POST"])
def answers(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = draft_of(request, slug)
    if is_fixed(campaign):
        return to_campaign(request, campaign)
    initial = {
        "answers_per_unit": campaign.answers_per_unit,
        "closes_at": campaign.closes_at and timezone.localtime(campaign.closes_at),
        "closes_when_complete": campaign.closes_when_complete,
    } | {f"stop_{name}": value for name, value in campaign.stops_when.items()}
    form = AnswersForm(request.POST or None, initial=initial)
    if request.method == "POST" and form.is_valid():
        try:
            set_answers(campaign, **form.chosen)
        except NotADraft:
            return to_campaign(request, campaign)
        return to_next(request, campaign, "launch-answers")
    n_units = campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count()
    context = {
        "campaign": campaign,
        "form": form,
        "n_units": n_units,
        "time_zone": timezone.get_current_timezone_name(),
    }
    return render(request, "campaigns/launch/answers.html", context, status=422 if form.errors else 200)
