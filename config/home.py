"""The first page: what there is for this person to do."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.requests import AccountRequest
from annotation.progress import answers_by_campaign, own_progress
from campaigns.access import Right, campaigns_with, datasets_for
from campaigns.models import Campaign
from config.next_steps import NextSteps, next_steps


@require_safe
def home(request: AccountRequest) -> HttpResponse:
    to_label = campaigns_with(request.user, Right.LABEL).exclude(status=Campaign.Status.DRAFT)
    run = list(campaigns_with(request.user, Right.VIEW).select_related("dataset"))
    steps = next_steps(request.user)
    context = {
        "to_label": [(campaign, own_progress(campaign, request.user)) for campaign in to_label],
        "run": [(campaign, progress) for campaign, progress in answers_by_campaign(run)],
        "has_datasets": _has_datasets(request.user, steps),
        "steps": steps,
    }
    return render(request, "home.html", context)


def _has_datasets(user: User, steps: NextSteps | None) -> bool:
    """Of an administrator the steps say it: they are gone once all is there."""
    if user.is_superuser:
        return steps is None or steps.data
    return user.may_launch and datasets_for(user).exists()
