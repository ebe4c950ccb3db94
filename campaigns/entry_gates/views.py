"""The page on which a researcher sets up the entry gates, and sees how many annotators pass them."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.control_units.forms import MAX_GOLD_BYTES
from campaigns.entry_gates.forms import GateForm, GuidelinesForm
from campaigns.entry_gates.gates import (
    Passing,
    giveaways,
    passing,
    set_gates,
    units_before_first_unit,
    units_met_again,
)
from campaigns.entry_gates.guidelines import blocks, new_guidelines, newest_guidelines
from campaigns.models import Campaign, CampaignUnit, GateKind, gates_of
from infrastructure.files.upload_limits import takes_files
from infrastructure.files.uploaded_tables import InvalidTable
from infrastructure.templatetags.wording import refusal_text

Forms = dict[str, GateForm]


@dataclass(frozen=True)
class ShownGate:
    """A gate as its researcher sees it."""

    kind: GateKind
    form: GateForm
    is_on: bool
    passing: Passing
    units: list[CampaignUnit]


@takes_files(most=2 * MAX_GOLD_BYTES)  # a table for the training, one for the test
@require_http_methods(["GET", "POST"])
def gates(request: AccountRequest, slug: str) -> HttpResponse:
    """The entry gates of this campaign; they can be changed while it is a draft."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    forms = _forms(row, request)
    faulty = [form for form in forms.values() if not form.is_valid()]
    if request.method == "POST" and not faulty and _set(row, forms):
        messages.success(request, _("Saved."))
        return redirect("gates", slug=slug)
    return _gates_page(request, row, forms=forms)


@require_POST
def guidelines_text(request: AccountRequest, slug: str) -> HttpResponse:
    """A new version of the guidelines."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    form = GuidelinesForm(request.POST)
    if form.is_valid():
        try:
            new_guidelines(row, text=form.cleaned_data["text"], user=request.user)
        except ValueError as refusal:
            form.add_error("text", refusal_text(refusal))
        else:
            return redirect("gates", slug=slug)
    return _gates_page(request, row, guidelines_form=form)


def _set(row: Campaign, forms: Forms) -> bool:
    units = {kind: found for kind, form in forms.items() if (found := form.cleaned_data.get("units")) is not None}
    try:
        set_gates(row, plans={kind: form.plan for kind, form in forms.items()}, units=units)
    except InvalidTable as invalid:
        at_fault = forms[next(iter(units))] if len(units) == 1 else forms[GateKind.TRAINING]
        for fault in invalid.faults[:20]:
            at_fault.add_error("units", fault)
    except ValueError as refusal:
        forms[GateKind.GUIDELINES].add_error(None, refusal_text(refusal))
    return not any(form.errors for form in forms.values())


def _forms(row: Campaign, request: AccountRequest | None = None) -> Forms:
    there = {gate.kind: gate for gate in gates_of(row)}
    posted = request is not None and request.method == "POST"
    data, files = (request.POST, request.FILES) if request and posted else (None, None)
    return {kind: GateForm(data, files, kind=kind, gate=there.get(kind)) for kind in GateKind.values}


def _gates_page(
    request: AccountRequest,
    row: Campaign,
    *,
    forms: Forms | None = None,
    guidelines_form: GuidelinesForm | None = None,
) -> HttpResponse:
    forms = forms or _forms(row)
    newest = newest_guidelines(row)
    fared, units = passing(row), units_before_first_unit(row)
    on = {gate.kind for gate in gates_of(row)}
    context = {
        "campaign": row,
        "fixed": row.status != Campaign.Status.DRAFT,
        "gates": [
            ShownGate(GateKind(kind), form, kind in on, fared[kind], units.get(kind, []))
            for kind, form in forms.items()
        ],
        "giveaways": giveaways(row),
        "met_again": units_met_again(row),
        "asks_nothing": not on,
        "newest": newest,
        "blocks": list(blocks(newest.text)) if newest else [],
        "guidelines_form": guidelines_form or GuidelinesForm(initial={"text": newest.text if newest else ""}),
    }
    faulty = any(form.errors for form in forms.values()) or bool(guidelines_form)
    return render(request, "campaigns/entry_gates/gates.html", context, status=422 if faulty else 200)
