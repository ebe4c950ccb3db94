"""The home page of the administration, and the jobs of the installation."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.people.rights import require_administrator
from accounts.requests import AccountRequest
from infrastructure.administration import job_list
from infrastructure.administration.failing_work import failing_work
from infrastructure.administration.sections import cards, needing_action
from infrastructure.background.jobs import JobRefused, cancel_job, job_for, run_again
from infrastructure.background.kinds import all_kinds
from infrastructure.models import Job
from infrastructure.templatetags.wording import refusal_text

PER_PAGE = 50


@never_cache
@require_safe
def administration(request: AccountRequest) -> HttpResponse:
    """Every section with its state, those with something to do named first."""
    require_administrator(request.user)
    found = cards()
    return render(
        request, "infrastructure/administration/home.html", {"cards": found, "needing_action": needing_action(found)}
    )


@never_cache
@require_safe
def jobs(request: AccountRequest) -> HttpResponse:
    require_administrator(request.user)
    wanted = job_list.Wanted(
        state=request.GET.get("state", ""),
        kind=request.GET.get("kind", ""),
        person=request.GET.get("person", ""),
        search=request.GET.get("q", "").strip(),
    )
    page = Paginator(job_list.jobs(wanted), PER_PAGE).get_page(request.GET.get("page"))
    counted = job_list.counts()
    context = {
        "page": page,
        "jobs": job_list.listed(page),
        "wanted": wanted,
        "states": [(state, counted[state.name]) for state in job_list.STATES],
        "n_all": sum(counted.values()),
        "kinds": all_kinds(),
        "people": job_list.people(),
        "failing": failing_work(),
    }
    return render(request, "infrastructure/administration/jobs.html", context)


@require_POST
def job_cancel(request: AccountRequest, pk: UUID) -> HttpResponse:
    return _done(request, pk, cancel_job, _("The job was cancelled."))


@require_POST
def job_again(request: AccountRequest, pk: UUID) -> HttpResponse:
    return _done(request, pk, run_again, _("The job runs again."))


def _done(request: AccountRequest, pk: UUID, act: Callable[..., Job], said: str) -> HttpResponse:
    require_administrator(request.user)
    try:
        row = act(job_for(request.user, pk), by=request.user)
    except JobRefused as refusal:
        messages.error(request, refusal_text(refusal))
        return redirect("job", pk=pk)
    messages.success(request, said)
    return redirect("job", pk=row.pk)
