"""The second step: what is asked, and how clips are heard."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from campaigns.launch.edit import DropsUnits, NotADraft, set_protocol
from campaigns.launch.forms import ProtocolForm
from campaigns.launch.lifecycle import prepare_audio
from campaigns.launch.loudness import highest_target, proposed_target
from campaigns.launch.views.drafts import draft_of, is_fixed, to_campaign, to_next
from campaigns.models import Campaign
from campaigns.protocol_composer.known_protocols import KINDS, Known, known_protocol, own_versions
from protocols import SHIPPED, Protocol

MATCHED = -23.0


@require_http_methods(["GET", "POST"])
def protocol(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = draft_of(request, slug)
    if is_fixed(campaign):
        return to_campaign(request, campaign)
    highest = highest_target(campaign)
    form = ProtocolForm(request.POST or None, initial=_initial(campaign, highest), highest_target=highest)
    n_dropped = 0
    if request.method == "POST" and form.is_valid():
        try:
            return _changed(request, campaign, form.cleaned_data)
        except DropsUnits as drops:
            n_dropped = drops.n
    context = {"campaign": campaign, "form": form, "kinds": _kinds(), "chosen": form["protocol"].value()}
    status = 422 if form.errors or n_dropped else 200
    return render(request, "campaigns/launch/protocol.html", context | {"n_dropped": n_dropped}, status=status)


def _changed(request: AccountRequest, campaign: Campaign, data: dict[str, Any]) -> HttpResponse:
    """Raises DropsUnits, before it was said that units made by hand may go."""
    asked: Protocol = data["protocol"]
    if data["listening"]:
        asked = replace(asked, listening=data["listening"])
    target_lufs = data["target_lufs"] if data["match_loudness"] else None
    had_units, same_sound = campaign.campaign_units.exists(), target_lufs == campaign.target_lufs
    try:
        changed = set_protocol(
            campaign,
            protocol=asked,
            target_lufs=target_lufs,
            show_waveform=data["show_waveform"],
            may_drop="drop" in request.POST,
        )
        if changed and had_units:
            messages.warning(request, _("This protocol is about units of another kind: choose the units again."))
    except NotADraft:
        return to_campaign(request, campaign)
    if not same_sound and campaign.campaign_units.exists():
        prepare_audio(campaign, user=request.user)
    return to_next(request, campaign, "launch-protocol")


def _initial(campaign: Campaign, highest: float | None) -> dict[str, object]:
    reference = f"{campaign.protocol.name}/{campaign.protocol.version}"
    known = known_protocol(reference)
    listening = campaign.protocol.listening
    is_own_rule = known is not None and known.protocol.listening == listening
    return {
        "protocol": known.choice if known else "",
        "listening": "" if is_own_rule else listening.rule,
        "match_loudness": campaign.target_lufs is not None,
        "target_lufs": proposed_target(campaign, MATCHED, highest),
        "show_waveform": campaign.show_waveform,
    }


def _kinds() -> list[tuple[str, list[Known]]]:
    """Every protocol by what it is about: those made here before those that ship."""
    own = [Known(row.protocol, row) for rows in own_versions() for row in rows]
    known = own + [Known(one) for one in SHIPPED.values()]
    return [(str(title), [one for one in known if one.protocol.unit == kind]) for kind, title in KINDS.items()]
