"""The last step: what is wrong, where it is mended, and the button that opens."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from campaigns.launch.views.drafts import draft_of, is_fixed
from campaigns.launch.views.status import status_of

OPENING = "launch-open"


@require_safe
def opening(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = draft_of(request, slug)
    if is_fixed(campaign):
        return redirect(campaign)
    page = "campaigns/launch/_campaign_status.html" if request.htmx else "campaigns/launch/opening.html"
    return render(request, page, status_of(campaign, request.user, page=OPENING) | {"may_clone": False})
