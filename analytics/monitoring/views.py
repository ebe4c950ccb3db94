from django.http import HttpResponse
from django.shortcuts import render
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.monitoring.agreement import agreement_so_far
from analytics.monitoring.progress import Pulse, pulse
from campaigns.access import Right, campaign_for
from charts.planes import Plane, columns


@require_safe
def campaign_pulse(request: AccountRequest, slug: str) -> HttpResponse:
    """How a campaign goes: the part of its page that is fetched again whenever there is something new."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    now = pulse(campaign)
    context = {
        "campaign": campaign,
        "pulse": now,
        "hours": _by_hour(now),
        "agreement": agreement_so_far(campaign),
    }
    return render(request, "analytics/monitoring/_pulse.html", context)


def _by_hour(now: Pulse) -> Plane:
    labels = [date_format(localtime(hour.begins), "H:i") for hour in now.hours]
    return columns([hour.n for hour in now.hours], labels, every=6, x_title=_("Hour from"), y_title=_("Answers"))
