from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.audit_log import record_download
from campaigns.control_units.checks import checks_of, set_checks
from campaigns.control_units.forms import MAX_GOLD_BYTES, ChecksForm
from campaigns.control_units.gold_template import gold_template
from campaigns.control_units.guessing import guesser_forecast, noticed_text
from campaigns.models import Campaign
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from infrastructure.files.upload_limits import takes_files
from infrastructure.files.uploaded_tables import InvalidTable
from infrastructure.templatetags.wording import refusal_text


@takes_files(most=MAX_GOLD_BYTES)
@require_http_methods(["GET", "POST"])
def checks(request: AccountRequest, slug: str) -> HttpResponse:
    """The units by which this campaign checks on those who answer; to be changed while it is a draft."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    there = checks_of(row)
    initial = {name: len(there[name]) for name in ("identical", "repeat")} | {"check_every": row.check_every}
    form = ChecksForm(request.POST or None, request.FILES or None, initial=initial)
    if request.method == "POST" and form.is_valid() and _set(row, form):
        messages.success(request, _("The checks are set."))
        return redirect("checks", slug=slug)
    fixed = row.status != Campaign.Status.DRAFT
    context = {"campaign": row, "form": form, "checks": there, "fixed": fixed, "guessers": _about_guessers(row)}
    return render(request, "campaigns/control_units/checks.html", context, status=422 if form.errors else 200)


@require_safe
def gold_template_csv(request: AccountRequest, slug: str) -> HttpResponse:
    """The campaign's units as a table in which gold answers are filled in."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    record_download(row, "gold.csv", by=request.user)
    return download(gold_template(row), name=f"{slug}-gold.csv", content_type=CSV)


def _about_guessers(row: Campaign) -> dict[str, object] | None:
    if (found := guesser_forecast(row)) is None:
        return None
    flagged, stopped = (noticed_text(it, units=found.units) for it in (found.flagged, found.stopped))
    return {"flagged": flagged, "stopped": stopped, "units": found.units, "n_sessions": found.n_sessions}


def _set(row: Campaign, form: ChecksForm) -> bool:
    try:
        set_checks(row, **form.cleaned_data)
    except InvalidTable as invalid:
        for fault in invalid.faults[:20]:
            form.add_error("gold", fault)
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
    return not form.errors
