from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from campaigns.access import require_launcher
from campaigns.background.jobs import ABOUT_CAMPAIGNS, job_for
from campaigns.background.titles import job_title
from campaigns.models import Campaign, Job


@require_safe
def job(request: AccountRequest, pk: UUID) -> HttpResponse:
    """How a piece of background work goes, whatever its kind."""
    row = job_for(request.user, pk)
    page = "campaigns/_job_page.html" if request.htmx else "campaigns/job.html"
    return render(request, page, {"job": row, "title": job_title(row.kind), "page": _about(row)})


@require_safe
def health(request: AccountRequest) -> HttpResponse:
    """The strip of every page, to be put in place of an older one."""
    require_launcher(request.user)
    return render(request, "campaigns/health.html")


def _about(row: Job) -> str:
    """The address of what the job works on, where this room knows it."""
    if row.kind in {"import-check", "import-write"}:
        return reverse("import", args=[row.subject])
    if row.kind in ABOUT_CAMPAIGNS and (campaign := Campaign.objects.filter(pk=row.subject).first()):
        return campaign.get_absolute_url()
    return ""
