from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from annotation.review import comments
from campaigns.access import Right, campaign_for


@require_safe
def own_messages(request: AccountRequest, slug: str) -> HttpResponse:
    """What those who run the study wrote to this annotator about their answers."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    context = {"campaign": campaign, "reviews": comments.own_messages(campaign, request.user)}
    return render(request, "annotation/review/messages.html", context)
