from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.data.hidden_names import names_are_hidden
from analytics.exports import serving
from analytics.exports.formats.registry import FORMATS, formats_for
from analytics.exports.forms import ExportForm
from analytics.exports.hub.card import licence_id
from analytics.exports.making import ExportRefused, begin_exports, delete_export
from analytics.models import Export
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from campaigns.people.members import withdrawals_in
from infrastructure.templatetags.wording import refusal_text


@require_http_methods(["GET", "POST"])
def exports(request: AccountRequest, slug: str) -> HttpResponse:
    """The files that were made of a campaign, and the way to another; a fragment of it while one is being made."""
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    form = ExportForm(
        request.POST if request.method == "POST" else None,
        known=formats_for(campaign),
        initial={"licence": licence_id(campaign.dataset.licence)},
    )
    if request.method == "POST" and form.is_valid():
        try:
            begin_exports(campaign, form.cleaned_data["formats"], wanted=form.wanted, user=request.user)
        except ExportRefused as refusal:
            form.add_error(None, refusal_text(refusal))
        else:
            return redirect("exports", slug=slug)
    page = "analytics/exports/_exports.html" if request.htmx else "analytics/exports/exports.html"
    context = {
        "campaign": campaign,
        "form": form,
        "formats": formats_for(campaign),
        "exports": _listed(campaign),
        "hidden": names_are_hidden(campaign),
    }
    return render(request, page, context, status=422 if form.errors else 200)


@require_safe
def export_file(request: AccountRequest, slug: str, pk: UUID) -> HttpResponseBase:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    return serving.export_file(request, get_object_or_404(Export, pk=pk, campaign=campaign))


@require_POST
def export_delete(request: AccountRequest, slug: str, pk: UUID) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    delete_export(get_object_or_404(Export, pk=pk, campaign=campaign))
    messages.success(request, _("The export is deleted."))
    return redirect("exports", slug=slug)


def _listed(campaign: Campaign) -> list[dict[str, object]]:
    rows, withdrawals = campaign.exports.select_related("job", "by"), withdrawals_in(campaign)
    return [
        {"row": row, "job": row.job, "title": FORMATS[row.format].title, "outdated": row.is_outdated(withdrawals)}
        for row in rows
        if row.format in FORMATS
    ]
