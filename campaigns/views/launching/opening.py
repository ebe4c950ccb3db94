"""The last step: what is wrong, where it is mended, and the button that opens."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from campaigns.views.launching.drafts import draft_of, is_fixed
from campaigns.views.status import status_of


@require_safe
def opening(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = draft_of(request, slug)
    if is_fixed(campaign):
        return redirect(campaign)
    return render(
        request, "campaigns/launching/opening.html", status_of(campaign, request.user) | {"may_clone": False}
    )
