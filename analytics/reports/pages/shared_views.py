"""A report behind a public link: its figures and their files, and no other pages."""

from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analytics.models import Report, ReportShare
from analytics.reports.pages.serving import kind_of, of_figure, parts, whole
from analytics.reports.storage import require_names_shown_in


@login_not_required
@require_safe
def shared_report(request: HttpRequest, token: str) -> HttpResponse:
    """The page of a public link: the figures and their files, and no other pages."""
    row = _shared(token)
    context = {"campaign": row.campaign, "kind": kind_of(row), "token": token}
    response = render(request, "analytics/reports/shared.html", context | parts(row, token=token))
    response["X-Robots-Tag"] = "noindex"
    return response


@login_not_required
@require_safe
def shared_file(_request: HttpRequest, token: str, form: str) -> HttpResponse:
    return whole(_shared(token), form)


@login_not_required
@require_safe
def shared_figure(_request: HttpRequest, token: str, key: str, form: str) -> HttpResponse:
    return of_figure(_shared(token), key, form)


def _shared(token: str) -> Report:
    there = ReportShare.objects.filter(report__campaign__deleting_since=None)
    link = there.select_related("report__campaign").filter(token=token).first()
    if link is None or not link.is_open:
        raise Http404("This link leads nowhere, or does not any more.")
    require_names_shown_in(link.report)
    return link.report
