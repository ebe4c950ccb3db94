from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.monitoring.agreement import agreement_so_far
from analytics.monitoring.progress import pulse
from campaigns.access import Right, campaign_for
from infrastructure.inline_charts import BARS, bars


@require_safe
def campaign_pulse(request: AccountRequest, slug: str) -> HttpResponse:
    """How a campaign goes: the part of its page that is fetched again whenever there is something new."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    now = pulse(campaign)
    context = {
        "campaign": campaign,
        "pulse": now,
        "hours": list(zip(now.hours, bars([hour.n for hour in now.hours]), strict=True)),
        "chart": {"width": BARS[0], "height": BARS[1]},
        "agreement": agreement_so_far(campaign),
    }
    return render(request, "analytics/_pulse.html", context)
