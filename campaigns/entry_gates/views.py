"""The page on which a researcher says what is asked at the door, and sees how people fare there."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.control_units.checks import InvalidGold
from campaigns.entry_gates.forms import GateForm, GuidelinesForm
from campaigns.entry_gates.gates import Passing, giveaways, passing, set_gates, units_at_the_door, units_met_again
from campaigns.entry_gates.guidelines import blocks, new_guidelines, newest_guidelines
from campaigns.models import Campaign, CampaignUnit, GateKind

Forms = dict[str, GateForm]


@dataclass(frozen=True)
class ShownGate:
    """A gate as its researcher sees it."""

    kind: GateKind
    form: GateForm
    is_on: bool
    passing: Passing
    units: list[CampaignUnit]


@require_http_methods(["GET", "POST"])
def gates(request: AccountRequest, slug: str) -> HttpResponse:
    """What this campaign asks at the door; to be changed while it is a draft."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    forms = _forms(row, request)
    faulty = [form for form in forms.values() if not form.is_valid()]
    if request.method == "POST" and not faulty and _set(row, forms):
        messages.success(request, _("What is asked at the door is set."))
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
            form.add_error("text", str(refusal))
        else:
            return redirect("gates", slug=slug)
    return _gates_page(request, row, guidelines_form=form)


def _set(row: Campaign, forms: Forms) -> bool:
    units = {kind: found for kind, form in forms.items() if (found := form.cleaned_data.get("units")) is not None}
    try:
        set_gates(row, plans={kind: form.plan for kind, form in forms.items()}, units=units)
    except InvalidGold as invalid:
        at_fault = forms[next(iter(units))] if len(units) == 1 else forms[GateKind.TRAINING]
        for fault in invalid.faults[:20]:
            at_fault.add_error("units", fault)
    except ValueError as refusal:
        forms[GateKind.GUIDELINES].add_error(None, str(refusal))
    return not any(form.errors for form in forms.values())


def _forms(row: Campaign, request: AccountRequest | None = None) -> Forms:
    there = {gate.kind: gate for gate in row.asked_at_the_door}
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
    fared, units = passing(row), units_at_the_door(row)
    on = {gate.kind for gate in row.asked_at_the_door}
    context = {
        "campaign": row,
        "fixed": row.status != Campaign.Status.DRAFT,
        "gates": [
            ShownGate(GateKind(kind), form, kind in on, fared[kind], units.get(kind, []))
            for kind, form in forms.items()
        ],
        "giveaways": giveaways(row),
        "met_again": units_met_again(row),
        "newest": newest,
        "blocks": list(blocks(newest.text)) if newest else [],
        "guidelines_form": guidelines_form or GuidelinesForm(initial={"text": newest.text if newest else ""}),
    }
    faulty = any(form.errors for form in forms.values()) or bool(guidelines_form)
    return render(request, "campaigns/gates.html", context, status=422 if faulty else 200)
