"""The first page: what there is for this person to do."""

from collections import Counter

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.requests import AccountRequest
from analytics.home.next_steps import NextSteps, next_steps
from annotation.assignment.progress import answers_by_campaign, own_progress
from campaigns.access import Right, campaigns_with
from campaigns.models import Campaign
from corpus.access import datasets_for
from corpus.models import LabelSet


@require_safe
def home(request: AccountRequest) -> HttpResponse:
    to_label = campaigns_with(request.user, Right.LABEL).exclude(status=Campaign.Status.DRAFT)
    archived = bool(request.GET.get("archived"))
    viewed = list(campaigns_with(request.user, Right.VIEW).select_related("dataset"))
    run = [campaign for campaign in viewed if bool(campaign.archived_at) == archived]
    steps = next_steps(request.user)
    imported = Counter(
        LabelSet.objects.filter(dataset__in={it.dataset_id for it in run}).values_list("dataset", flat=True)
    )
    context = {
        "to_label": [(it, own_progress(it, request.user)) for it in to_label.filter(archived_at=None)],
        "archived": archived,
        "n_archived": sum(bool(campaign.archived_at) for campaign in viewed),
        "run": [(it, progress, imported[it.dataset_id]) for it, progress in answers_by_campaign(run)],
        "has_datasets": _has_datasets(request.user, steps),
        "steps": steps,
    }
    return render(request, "home.html", context)


def _has_datasets(user: User, steps: NextSteps | None) -> bool:
    """Of an administrator the steps say it: they are gone once all is there."""
    if user.is_superuser:
        return steps is None or steps.data or steps.has_demo
    return user.may_launch and datasets_for(user).exists()
