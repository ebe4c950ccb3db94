from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.requests import AccountRequest
from annotation.answers.submit import read_clicked
from annotation.assignment.next_unit import RETURN_REASONS
from annotation.assignment.progress import Answered
from annotation.label_page.unit_view import key_actions
from annotation.label_page.views import NOT_ANSWERS
from annotation.listening.clips import NoSuchClip
from annotation.listening.reports import clip_seconds
from annotation.models import DefectMark
from annotation.unit_preview.preview import (
    NoSuchPreview,
    preview_addresses,
    preview_clip,
    preview_screen,
    shown_unit,
    unit_behind,
)
from campaigns.access import Right, campaign_for, rights_in
from campaigns.audio.delivery import undelivered_clips
from campaigns.launch.edit import pass_step
from campaigns.launch.lifecycle import preparation
from campaigns.launch.steps import progress_line
from campaigns.models import Campaign, CampaignUnit
from campaigns.rubrics.asking import protocol_for
from infrastructure.files.byte_ranges import private_file
from protocols import InvalidAnswers, shown_examples


@require_safe
def preview(request: AccountRequest, slug: str) -> HttpResponse:
    """The campaign as an annotator will see it, from the first unit on."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if request.htmx and _can_be_heard(campaign):
        return HttpResponseClientRefresh()  # the page that waited for the audio need wait no longer
    return _unit(request, campaign, at=0)


@require_POST
def preview_answer(request: AccountRequest, slug: str, key: UUID) -> HttpResponse:
    """Answers are checked as in the study, and then forgotten."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    try:
        assignment, at = unit_behind(campaign, request.session, key, viewer=request.user)
        protocol = protocol_for(campaign, assignment.campaign_unit.unit.item)
        clicked = {name: request.POST[name] for name in request.POST if name not in NOT_ANSWERS}
        read_clicked(protocol, clicked, n_responses=len(assignment.order), durations=clip_seconds(assignment))
    except NoSuchPreview:
        return redirect("preview", slug=slug)
    except InvalidAnswers as invalid:
        return render(request, "annotation/label_page/_errors.html", {"errors": invalid.errors}, status=422)
    if campaign.status == Campaign.Status.DRAFT:
        pass_step(campaign, "preview")
    return _unit(
        request, campaign, at=at + 1, notice=_("This would be stored, and the next unit would come. Here nothing is.")
    )


@require_POST
def preview_heard(request: AccountRequest, slug: str, key: UUID) -> HttpResponse:  # noqa: ARG001
    """The page reports what was played as it does in the study; here the reports are ignored."""
    campaign_for(request.user, slug, Right.MANAGE)
    return HttpResponse(status=204)


@require_POST
def preview_skip(request: AccountRequest, slug: str, key: UUID) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    try:
        _assignment, at = unit_behind(campaign, request.session, key, viewer=request.user)
    except NoSuchPreview:
        return redirect("preview", slug=slug)
    return _unit(request, campaign, at=at + 1)


@require_safe
def preview_listen(request: AccountRequest, slug: str, token: str) -> HttpResponseBase:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    try:
        delivered = preview_clip(campaign, request.session, token, viewer=request.user)
    except NoSuchClip as error:
        raise Http404(str(error)) from error
    return private_file(request, delivered.path, size=delivered.bytes, content_type="audio/wav")


def _can_be_heard(campaign: Campaign) -> bool:
    """Whether there are units, and every clip of them is prepared."""
    return _study(campaign).exists() and not undelivered_clips(campaign).exists()


def _study(campaign: Campaign) -> QuerySet[CampaignUnit]:
    return campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)


def _unit(request: AccountRequest, campaign: Campaign, *, at: int, notice: str = "") -> HttpResponse:
    if not _can_be_heard(campaign):
        page = (
            "annotation/unit_preview/_preview_waits.html"
            if request.htmx
            else "annotation/unit_preview/preview_empty.html"
        )
        waits = {"campaign": campaign, "job": preparation(campaign), "has_units": _study(campaign).exists()}
        return render(request, page, waits)
    assignment = shown_unit(campaign, request.session, at=at, viewer=request.user)
    n_units = _study(campaign).count()
    context = {
        "campaign": campaign,
        "is_preview": True,
        "notice": notice,
        "progress": Answered(0, n_units),
        "screen": preview_screen(assignment, campaign),
        "addresses": preview_addresses(campaign, assignment.pk),
        "idempotency_key": get_random_string(32),
        "skip_reasons": RETURN_REASONS.items(),
        "defects": DefectMark.Kind.choices,
    }
    if request.htmx:
        return render(request, "annotation/label_page/_unit.html", context)
    if campaign.status == Campaign.Status.DRAFT:
        context["next_open"] = progress_line(campaign, rights_in(campaign, request.user)).next_open
    context |= {"keys": key_actions(campaign.protocol).items(), "examples": list(shown_examples(campaign.protocol))}
    return render(request, "annotation/unit_preview/preview.html", context)
