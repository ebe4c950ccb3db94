from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.monitoring.accepted_criteria import acceptance_shares
from campaigns.access import Right, campaign_for
from charts.marks import KEYS, PARTED, parts

#: What became of a draft, in the order of the bar.
DECIDED = (gettext_lazy("accepted as drafted"), gettext_lazy("edited"), gettext_lazy("dropped"))


@require_safe
def rubric_acceptance(request: AccountRequest, slug: str) -> HttpResponse:
    """What became of the drafted criteria, as a page or as a part of the page Rubric."""
    campaign = campaign_for(request.user, slug, Right.REVIEW)
    if not campaign.protocol.item_criteria:
        raise Http404("The items of this campaign bring no criteria.")
    accepted, shares = acceptance_shares(campaign)
    page = "analytics/monitoring/_acceptance.html" if request.htmx else "analytics/monitoring/acceptance.html"
    context = {
        "campaign": campaign,
        "accepted": accepted,
        "shares": shares,
        "bar": parts((accepted.as_drafted, accepted.edited, accepted.dropped)),
        "looks": list(zip(map(KEYS.__getitem__, PARTED), DECIDED, strict=True)),
    }
    return render(request, page, context)
