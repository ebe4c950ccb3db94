from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from infrastructure.background.jobs import job_for
from infrastructure.background.kinds import job_title, kind_of


@require_safe
def job(request: AccountRequest, pk: UUID) -> HttpResponse:
    """How a piece of background work goes, whatever its kind."""
    row = job_for(request.user, pk)
    page = "infrastructure/_job_page.html" if request.htmx else "infrastructure/job.html"
    kind = kind_of(row.kind)
    may_act = request.user.is_superuser and not request.user.is_guest
    about = kind.page(row.subject) if kind else ""
    context = {
        "job": row,
        "title": job_title(row.kind),
        "page": about,
        "may_cancel": may_act and kind is not None and kind.cancellable and row.is_active,
        "may_repeat": may_act and kind is not None and kind.repeatable and row.is_to_repeat,
        "is_administrator": may_act,
    }
    return render(request, page, context)


@require_safe
def health(request: AccountRequest) -> HttpResponse:
    """The strip of every page, to be put in place of an older one."""
    require_launcher(request.user)
    return render(request, "infrastructure/health.html", {"asks_sections": True})
