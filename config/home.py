"""The first page: what there is for this person to do."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from annotation.progress import answers_by_campaign, own_progress
from campaigns.access import Right, campaigns_with, datasets_for
from campaigns.models import Campaign
from config.next_steps import next_steps


@require_safe
def home(request: AccountRequest) -> HttpResponse:
    to_label = campaigns_with(request.user, Right.LABEL).exclude(status=Campaign.Status.DRAFT)
    run = list(campaigns_with(request.user, Right.VIEW).select_related("dataset"))
    context = {
        "to_label": [(campaign, own_progress(campaign, request.user)) for campaign in to_label],
        "run": [(campaign, progress) for campaign, progress in answers_by_campaign(run)],
        "has_datasets": request.user.may_launch and datasets_for(request.user).exists(),
        "steps": next_steps(request.user),
    }
    return render(request, "home.html", context)
