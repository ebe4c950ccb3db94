from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.models import User
from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, datasets_to_launch, require_launcher, rights_in
from campaigns.forms import CampaignForm, LoudnessForm
from campaigns.known_protocols import Known, known_protocol
from campaigns.launch import (
    CannotOpen,
    WrongStatus,
    close_campaign,
    create_campaign,
    obstacles,
    open_campaign,
    pause_campaign,
    preparation,
    prepare_audio,
    set_loudness_target,
)
from campaigns.members import annotators_by_state
from campaigns.models import Campaign, CampaignUnit, Unit
from campaigns.preparing import highest_target_for_all
from campaigns.protocols import Listening, Protocol
from campaigns.units import imported_pairs, pairs_of_systems, single_responses, whole_items

THREE_SECONDS = 3.0
TURNS = {"open": open_campaign, "pause": pause_campaign, "close": close_campaign}


@require_http_methods(["GET", "POST"])
def campaign_new(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    form = CampaignForm(request.POST or None, datasets=datasets_to_launch(request.user), initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        campaign = _create(form, request.user)
        prepare_audio(campaign, user=request.user)
        return redirect(campaign)
    return render(request, "campaigns/campaign_new.html", {"form": form})


@require_safe
def campaign(request: AccountRequest, slug: str) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.VIEW)
    page = "campaigns/_campaign_status.html" if request.htmx else "campaigns/campaign.html"
    return render(request, page, _context(request, row))


@require_POST
def campaign_turn(request: AccountRequest, slug: str, turn: str) -> HttpResponse:
    """Open, pause or close."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    if turn not in TURNS:
        raise Http404("A campaign can be opened, paused or closed.")
    try:
        TURNS[turn](row)
    except (CannotOpen, WrongStatus) as refusal:
        messages.error(request, str(refusal))
    return redirect(row)


@require_POST
def campaign_audio(request: AccountRequest, slug: str) -> HttpResponse:
    """Prepare the audio (again), at another loudness if one is given."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    form = LoudnessForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for error in form.errors["target_lufs"]))
        return redirect(row)
    try:
        set_loudness_target(row, form.cleaned_data["target_lufs"], user=request.user)
    except WrongStatus as refusal:
        messages.error(request, str(refusal))
    return redirect(row)


def _create(form: CampaignForm, user: User) -> Campaign:
    data = form.cleaned_data
    return create_campaign(
        data["dataset"],
        title=data["title"],
        protocol=_protocol(data),
        units=_units(data),
        user=user,
        target_lufs=data["target_lufs"] if data["match_loudness"] else None,
        answers_per_unit=data["answers_per_unit"],
        show_waveform=data["show_waveform"],
    )


def _protocol(data: dict[str, Any]) -> Protocol:
    """The chosen protocol, with another listening rule if one was chosen."""
    protocol: Protocol = data["protocol"]
    if not data["listening"]:
        return protocol
    return replace(protocol, listening=Listening(data["listening"], THREE_SECONDS))


def _units(data: dict[str, Any]) -> list[Unit]:
    kind = data["protocol"].unit
    if kind != "pair":
        return whole_items(data["dataset"]) if kind == "item" else single_responses(data["dataset"])
    if data["units"] == "imported":
        return imported_pairs(data["dataset"])
    per_pair = data["per_pair"] if data["units"] == "subset" else None
    return pairs_of_systems(data["dataset"], per_pair=per_pair)


def _context(request: AccountRequest, row: Campaign) -> dict[str, object]:
    rights = rights_in(row, request.user)
    return {
        "campaign": row,
        "protocol": row.protocol,
        "known_protocol": _known_protocol(row, request.user),
        "job": preparation(row),
        "obstacles": obstacles(row) if row.status == Campaign.Status.DRAFT else [],
        "highest_target": highest_target_for_all(row),
        "n_units": row.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count(),
        "n_withdrew": annotators_by_state(row).withdrew,
        "may_manage": Right.MANAGE in rights,
        "may_export": Right.EXPORT in rights,
    }


def _known_protocol(row: Campaign, user: User) -> Known | None:
    """The protocol by its name and version, for those who may look at protocols; the listening rule may differ."""
    return known_protocol(f"{row.protocol.name}/{row.protocol.version}") if user.may_launch else None
