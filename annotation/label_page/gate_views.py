"""The pages of entry gates. Each says what is asked and why, and each has a way out."""

from collections.abc import Callable
from random import SystemRandom
from typing import Any
from uuid import UUID

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.models import User
from accounts.requests import AccountRequest
from annotation.assignment.progress import units_done
from annotation.entry_gates import training
from annotation.entry_gates.by_ear.registry import EAR_CHECKS
from annotation.entry_gates.by_ear.sounds import NoSuchSound, sound_behind, sound_tokens
from annotation.entry_gates.by_ear.trials import NoSuchPlace, place_named
from annotation.entry_gates.gate_progress import GateProgress, State, progress_at_gates
from annotation.entry_gates.guidelines import AnotherVersion, note_reading
from annotation.entry_gates.scoring import compared
from annotation.entry_gates.tries import NoTryLeft, could_not_run, say, start_try
from annotation.entry_gates.volume import note_volume_set
from annotation.label_page.unit_view import shown_clips
from annotation.listening.volume import noise_context
from campaigns.access import Right, campaign_for
from campaigns.entry_gates.guidelines import blocks, newest_guidelines
from campaigns.models import Campaign, GateKind, GateTry, Outcome, gates_of
from campaigns.people.consent import consent_needed
from campaigns.people.panels import way_back

#: The completion code for a panel's participants who fail a gate.
OUTCOMES = {GateKind.QUALIFICATION: Outcome.SCREENED_OUT}


@require_http_methods(["GET", "POST"])
def gate(request: AccountRequest, slug: str, kind: str) -> HttpResponse:
    """What a gate asks of this person now. Who is to be elsewhere first is sent there."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    if campaign.status != Campaign.Status.OPEN:
        return redirect("label", slug=slug)
    if consent_needed(campaign, request.user):
        return redirect("consent", slug=slug)
    gates = progress_at_gates(campaign, request.user)
    here = next((one for one in gates if one.gate.kind == kind), None)
    if here is None:
        return redirect("label", slug=slug)
    first = next((one for one in gates if not one.lets_in), here)
    if gates.index(first) < gates.index(here):
        return redirect("gate", slug=slug, kind=first.gate.kind)
    context = {"campaign": campaign, "here": here, "step": gates.index(here) + 1, "steps": len(gates)}
    if request.method == "POST":
        return _take(request, here, context)
    return _show(request, here, context)


@require_safe
def gate_sound(request: AccountRequest, slug: str, token: str) -> HttpResponse:
    """A sound of the trial that is being made. Only by listening can one tell it from the others."""
    campaign_for(request.user, slug, Right.LABEL)
    try:
        response = HttpResponse(sound_behind(token, request.user), content_type="audio/wav")
    except NoSuchSound as error:
        raise Http404(str(error)) from error
    response["Cache-Control"] = "private, no-store"
    return response


@require_safe
def guidelines(request: AccountRequest, slug: str) -> HttpResponse:
    """The guidelines to be read again, at any time."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    text = newest_guidelines(campaign)
    if text is None or all(one.kind != GateKind.GUIDELINES for one in gates_of(campaign)):
        raise Http404("There are no guidelines.")
    context = {"campaign": campaign, "text": text, "blocks": list(blocks(text.text)), "again": True}
    return render(request, "annotation/entry_gates/guidelines.html", context)


def _take(request: AccountRequest, here: GateProgress, context: dict[str, Any]) -> HttpResponse:
    """What was sent, by the button that sent it; then the page again, as it is now."""
    kind, slug = here.gate.kind, here.gate.campaign.slug
    try:
        ACTIONS.get(request.POST.get("do", ""), _start)(here, request.user, request.POST)
    except AnotherVersion:
        return _show(request, here, context | {"fault": _("The text has changed meanwhile. Please read it again.")})
    except NoSuchPlace:
        return _show(request, here, context | {"fault": _("Choose one of the sounds.")})
    except (NoTryLeft, GateTry.DoesNotExist, ValueError):
        # Sent twice, or from an old page: the page as it is now says what comes next.
        return redirect("label", slug=slug) if here.lets_in else redirect("gate", slug=slug, kind=kind)
    by_ear = kind in EAR_CHECKS
    return redirect("gate", slug=slug, kind=kind) if by_ear else redirect("label", slug=slug)


def _start(here: GateProgress, user: User, _posted: QueryDict) -> None:
    check = EAR_CHECKS.get(here.gate.kind)
    start_try(here.gate, user, drawn=check.draw(SystemRandom()) if check else None)


def _read(here: GateProgress, user: User, posted: QueryDict) -> None:
    note_reading(here.gate, user, version=posted.get("version", ""))


def _volume_set(here: GateProgress, user: User, _posted: QueryDict) -> None:
    note_volume_set(here.gate, user)


def _say(here: GateProgress, user: User, posted: QueryDict) -> None:
    check = EAR_CHECKS[here.gate.kind]
    place = place_named(check, posted.get("place", ""))
    trial = int(posted.get("trial", ""))
    say(UUID(posted.get("try", "")), annotator=user, trial=trial, what=place, verdict=check.verdict)


def _could_not_run(_here: GateProgress, user: User, posted: QueryDict) -> None:
    could_not_run(UUID(posted.get("try", "")), annotator=user, reason=posted.get("reason", ""))


def _feedback_read(here: GateProgress, user: User, posted: QueryDict) -> None:
    if here.last:
        training.note_feedback_read(here.last, user, assignment=posted.get("assignment", ""))


ACTIONS: dict[str, Callable[[GateProgress, User, QueryDict], None]] = {
    "start": _start,
    "read": _read,
    "volume": _volume_set,
    "say": _say,
    "could-not-run": _could_not_run,
    "feedback-read": _feedback_read,
}


def _show(request: AccountRequest, here: GateProgress, context: dict[str, Any]) -> HttpResponse:
    kind = GateKind(here.gate.kind)
    context |= {"title": kind.label, "status": 422 if context.get("fault") else 200}
    if kind == GateKind.GUIDELINES:
        text = newest_guidelines(here.gate.campaign)
        context |= {"text": text, "blocks": list(blocks(text.text)) if text else []}
        return _page(request, "guidelines", context)
    if kind == GateKind.VOLUME:
        return render(request, "annotation/listening/volume.html", context | noise_context())
    if here.state == State.UNDER_WAY and here.last:
        return _under_way(request, here, here.last, context)
    if here.state == State.NEW:
        return _page(request, "begin", context)
    return _ended(request, here, context)


def _under_way(request: AccountRequest, here: GateProgress, one: GateTry, context: dict[str, Any]) -> HttpResponse:
    if here.gate.kind in EAR_CHECKS:
        check = EAR_CHECKS[here.gate.kind]
        tokens = sound_tokens(one)
        sounds = [reverse("gate-sound", args=[here.gate.campaign.slug, token]) for token in tokens]
        trial = {"number": len(one.said), "shown": len(one.said) + 1, "most": check.most, "sounds": sounds}
        return _page(request, "trial", context | {"try": one, "trial": trial})
    waiting = training.awaiting_feedback(one) if here.gate.kind == GateKind.TRAINING else None
    if waiting is None:
        return redirect("label", slug=here.gate.campaign.slug)
    found = compared(waiting)
    clips = shown_clips(waiting)
    feedback = {"unit": waiting, "found": found, "all_right": all(part.is_right for part in found), "clips": clips}
    return _page(request, "feedback", context | feedback | {"done": units_done(waiting)})


def _ended(request: AccountRequest, here: GateProgress, context: dict[str, Any]) -> HttpResponse:
    if here.state == State.TURNED_AWAY:
        outcome = OUTCOMES.get(GateKind(here.gate.kind), Outcome.FAILED_CHECK)
        context |= {"back": way_back(request.user, here.gate.campaign, outcome)}
    return _page(request, "ended", context | {"result": here.last})


def _page(request: AccountRequest, name: str, context: dict[str, Any]) -> HttpResponse:
    return render(request, f"annotation/entry_gates/{name}.html", context, status=context.get("status", 200))
