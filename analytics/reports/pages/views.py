"""The Results of a campaign: one page for each kind of report, with permanent addresses, files and links to share."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.models import Report
from analytics.reports.contract import ReportKind
from analytics.reports.kinds import KINDS
from analytics.reports.pages.rights import kind_for, kinds_for, report_for
from analytics.reports.pages.serving import kind_of, of_figure, parts, whole
from analytics.reports.pages.settings import FILTERS, as_address, choices, read_settings
from analytics.reports.storage import (
    MOST_SHARED_DAYS,
    BeingComputedError,
    keep,
    latest,
    report_unless_under_way,
    share,
    take_back,
)
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import Campaign
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.reasons import Reason

#: In addresses of figures that stand among those of other reports, all of them unfolded.
PRINTED = "printed"


@require_safe
def results(request: AccountRequest, slug: str) -> HttpResponse:
    """To the first report that there can be, with what the address says."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    first = next((kind for kind, why in _kinds(campaign, request) if not why), next(iter(KINDS.values())))
    return redirect(_address("report", [slug, first.name], request.GET.dict()))


@require_safe
def report(request: AccountRequest, slug: str, kind: str) -> HttpResponse:
    """One kind's page: with its figures where they are there already, else they are fetched once they are."""
    campaign, found = kind_for(request.user, slug, kind)
    why = found.why_not(campaign)
    settings = read_settings(campaign, found, request.GET.dict())
    kept = None if why else latest(campaign, found, settings)
    said = as_address(settings)
    context = {
        "campaign": campaign,
        "kind": found,
        "kinds": _kinds(campaign, request),
        "why_not": why,
        "choices": choices(campaign, found, request.GET.dict()),
        "query": f"?{urlencode(said)}" if said else "",
        "figures_address": _address("report-figures", [slug, kind], said),
        "print_address": _address("report-print", [slug], said),
    }
    return render(request, "analytics/reports/report.html", context | (_shown(request, kept) if kept else {}))


@require_safe
def figures(request: AccountRequest, slug: str, kind: str) -> HttpResponse:
    """The figures alone, computed if need be."""
    campaign, found = kind_for(request.user, slug, kind)
    if found.why_not(campaign):
        raise Http404("There can be no such report of this campaign yet.")
    settings = read_settings(campaign, found, request.GET.dict())
    said = as_address(settings)
    try:
        row = report_unless_under_way(campaign, found, settings)
    except BeingComputedError:
        if not request.htmx:
            return redirect(_address("report", [slug, kind], said))
        said |= {PRINTED: "1"} if request.GET.get(PRINTED) else {}
        again = {"figures_address": _address("report-figures", [slug, kind], said), "when": "load delay:2s"}
        return render(request, "analytics/reports/_computing.html", again)
    if not request.htmx:
        return redirect("kept-report", row.pk)
    part = {"part": kind} if request.GET.get(PRINTED) else {}
    return render(request, "analytics/reports/_figures.html", {"kind": found} | _shown(request, row) | part)


@require_safe
def print_all(request: AccountRequest, slug: str) -> HttpResponse:
    """Every report that there can be, one after the other, as for printing."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    said = request.GET.dict()
    possible = [kind for kind, why in _kinds(campaign, request) if not why]
    printed = [(kind, _address("report-figures", [slug, kind.name], said | {PRINTED: "1"})) for kind in possible]
    return render(request, "analytics/reports/print.html", {"campaign": campaign, "parts": printed, "said": said})


@require_safe
def kept_report(request: AccountRequest, pk: UUID) -> HttpResponse:
    """A report as it was computed, at an address that is permanent once it is kept."""
    row = report_for(request.user, pk)
    context = {"campaign": row.campaign, "kind": kind_of(row), "now_address": _now(row)} | _shown(request, row)
    context["is_current"] = row == latest(row.campaign, kind_of(row), _settings_of(row))
    return render(request, "analytics/reports/kept.html", context)


@require_safe
def report_file(request: AccountRequest, pk: UUID, form: str) -> HttpResponse:
    return whole(report_for(request.user, pk), form)


@require_safe
def figure_file(request: AccountRequest, pk: UUID, key: str, form: str) -> HttpResponse:
    return of_figure(report_for(request.user, pk), key, form)


@require_POST
def keep_report(request: AccountRequest, pk: UUID) -> HttpResponse:
    row = report_for(request.user, pk)
    keep(row)
    messages.success(request, _("This report stays at this address."))
    return redirect("kept-report", row.pk)


@require_POST
def share_report(request: AccountRequest, pk: UUID) -> HttpResponse:
    row = report_for(request.user, pk, Right.EXPORT)
    said = request.POST.get("days")
    days = whole_number(said, least=1, most=MOST_SHARED_DAYS) if said else None
    if said is None or (said and days is None):
        message = _("The link works for 1 to %(most)s days, or until it is revoked; nothing was shared.")
        messages.error(request, message % {"most": MOST_SHARED_DAYS})
        return redirect("kept-report", row.pk)
    share(row, user=request.user, expires_at=timezone.now() + timedelta(days=days) if days else None)
    messages.success(request, _("Anyone with the link can read this report, without an account."))
    return redirect("kept-report", row.pk)


@require_POST
def unshare_report(request: AccountRequest, pk: UUID, link: int) -> HttpResponse:
    row = report_for(request.user, pk, Right.EXPORT)
    found = row.shares.filter(pk=link).first()
    if found is None:
        raise Http404("This report has no such link.")
    take_back(found, by=request.user)
    messages.success(request, _("The link no longer works."))
    return redirect("kept-report", row.pk)


def _kinds(campaign: Campaign, request: AccountRequest) -> list[tuple[ReportKind, Reason | None]]:
    """The kinds that this person may see, each with why there can be none of this campaign."""
    return [(kind, kind.why_not(campaign)) for kind in kinds_for(campaign, request.user)]


def _settings_of(row: Report) -> Any:
    return read_settings(row.campaign, kind_of(row), row.settings)


def _now(row: Report) -> str:
    return _address("report", [row.campaign.slug, row.kind], row.settings) if row.kind in KINDS else ""


def _address(name: str, args: list[str], said: dict[str, str]) -> str:
    return reverse(name, args=args) + (f"?{urlencode(said)}" if said else "")


def _shown(request: AccountRequest, row: Report) -> dict[str, Any]:
    """A report for those who are logged in: with its links, and what one may do with it."""
    may_share = Right.EXPORT in rights_in(row.campaign, request.user)
    links = [link for link in row.shares.all() if link.is_open] if may_share else []
    shares = [(link, request.build_absolute_uri(reverse("shared-report", args=[link.token]))) for link in links]
    unfiltered = {name: value for name, value in row.settings.items() if name not in FILTERS}
    return parts(row) | {
        "campaign": row.campaign,
        "may_share": may_share,
        "shares": shares,
        "unfiltered": _address("report", [row.campaign.slug, row.kind], unfiltered),
    }
