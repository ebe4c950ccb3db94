from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.models import User
from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.launch.cloning import clone_campaign
from campaigns.launch.lifecycle import (
    CannotOpen,
    WrongStatus,
    close_campaign,
    open_campaign,
    pause_campaign,
    set_loudness_target,
)
from campaigns.launch.loudness_forms import LoudnessForm
from campaigns.launch.views.opening import OPENING
from campaigns.launch.views.status import status_of
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import annotators_by_state
from campaigns.protocol_composer.known_protocols import Known, known_protocol
from infrastructure.models import Job
from infrastructure.templatetags.wording import refusal_text

TURNS = {"open": open_campaign, "pause": pause_campaign, "close": close_campaign}


@require_safe
def campaign(request: AccountRequest, slug: str) -> HttpResponse:
    row = campaign_for(request.user, slug, Right.VIEW)
    page = "campaigns/launch/_campaign_status.html" if request.htmx else "campaigns/launch/campaign.html"
    shown = _context(request, row)
    response = render(request, page, shown)
    job = shown["job"]
    if request.htmx and row.status != Campaign.Status.DRAFT and not (isinstance(job, Job) and job.is_active):
        response["HX-Refresh"] = "true"  # the whole page has figures of the units that are there now
    return response


@require_POST
def campaign_turn(request: AccountRequest, slug: str, turn: str) -> HttpResponse:
    """Open, pause or close."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    if turn not in TURNS:
        raise Http404("A campaign can be opened, paused or closed.")
    try:
        TURNS[turn](row, by=request.user)
    except (CannotOpen, WrongStatus) as refusal:
        messages.error(request, refusal_text(refusal))
    if (back := request.POST.get("back")) in ("dataset", "campaign"):  # it was to be archived, or its dataset
        return redirect("manage", back, row.dataset.slug if back == "dataset" else row.slug)
    return redirect(row)


@require_POST
def campaign_clone(request: AccountRequest, slug: str) -> HttpResponse:
    """A new draft like this campaign."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    require_launcher(request.user)
    try:
        clone = clone_campaign(row, user=request.user)
    except WrongStatus as refusal:
        messages.error(request, refusal_text(refusal))
        return redirect(row)
    return redirect("launch-systems", clone.slug)


@require_POST
def campaign_audio(request: AccountRequest, slug: str) -> HttpResponse:
    """Prepare the audio (again), at another loudness if one is given, and lead back to the page that asked for it."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    wanted = request.POST.get("page")
    page = wanted if wanted in (OPENING, "preview") else "campaign"
    form = LoudnessForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for error in form.errors["target_lufs"]))
        return redirect(page, slug)
    try:
        set_loudness_target(row, form.cleaned_data["target_lufs"], user=request.user)
    except WrongStatus as refusal:
        messages.error(request, refusal_text(refusal))
    return redirect(page, slug)


def _context(request: AccountRequest, row: Campaign) -> dict[str, object]:
    return status_of(row, request.user) | {
        "protocol": row.protocol,
        "known_protocol": _known_protocol(row, request.user),
        "n_units": row.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY).count(),
        "n_withdrew": annotators_by_state(row).withdrew,
    }


def _known_protocol(row: Campaign, user: User) -> Known | None:
    """The protocol by its name and version, for those who may look at protocols; the listening rule may differ."""
    return known_protocol(f"{row.protocol.name}/{row.protocol.version}") if user.may_launch else None
