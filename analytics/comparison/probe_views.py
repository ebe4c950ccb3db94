from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.comparison.probes import probe_report
from campaigns.access import Right
from judges.runs.lifecycle import run_for


@require_safe
def probes(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """All probes of one run, with intervals."""
    row = run_for(request.user, slug, pk, Right.VIEW)
    context = {"campaign": row.campaign, "run": row, "probed": probe_report(row)}
    return render(request, "analytics/comparison/probes.html", context)
