from uuid import UUID

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.utils.translation import get_language
from django.views.decorators.http import require_GET, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from accounts.requests import AccountRequest
from annotation.answers import revise
from annotation.answers.revise import NothingToTakeBack
from annotation.answers.submit import AnswerRefused, NotHeard, record_answers
from annotation.assignment import next_unit
from annotation.assignment.next_unit import (
    RETURN_REASONS,
    AnnotatorPaused,
    CampaignNotOpen,
    next_assignment,
    plan_next,
)
from annotation.assignment.progress import others_hold_units, own_pace, own_progress, units_done
from annotation.entry_gates.gate_progress import GateNeeded
from annotation.label_page.unit_view import addresses_of, clip_urls, key_actions, screen_of
from annotation.listening.clips import NoSuchClip, clip_behind
from annotation.listening.reports import ListeningRefused, MalformedReport, Report, read_reports, record_listening
from annotation.models import Assignment, DefectMark
from campaigns.access import Right, campaign_for
from campaigns.models import BEFORE_FIRST_UNIT, LABEL, Campaign, Outcome, gates_of
from campaigns.people.consent import ConsentNeeded
from campaigns.people.panels import way_back
from infrastructure.files.byte_ranges import private_file
from infrastructure.templatetags.wording import refusal_text
from protocols import InvalidAnswers, shown_examples


@require_GET
def label(request: AccountRequest, slug: str) -> HttpResponse:
    """The unit this annotator is at, or the next one."""
    return _next_unit(request, campaign_for(request.user, slug, Right.LABEL))


@require_POST
def answer(request: AccountRequest, slug: str, assignment_id: UUID) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.LABEL)
    if campaign.label_page != LABEL:
        return _next_unit(request, campaign)  # the page there takes its answers itself
    try:
        faulty = store_answer(request, assignment_id, campaign)
    except AnswerRefused as refusal:
        return _next_unit(request, campaign, notice=refusal_text(refusal), status=409)
    if faulty:
        return faulty
    return _next_unit(request, campaign) if request.htmx else redirect("label", slug=slug)


def store_answer(
    request: AccountRequest, assignment_id: UUID, campaign: Campaign, *, origin: str = ""
) -> HttpResponse | None:
    """Record what the form of a unit sends: None where it is stored, or what is wrong with it, to be shown.

    `campaign` is one in which this person labels.

    Raises Http404 for another annotator's unit, AnswerRefused where this person can no longer answer the unit.
    """
    reports: list[Report] = []
    try:
        if heard := request.POST.get("heard"):
            reports = read_reports(heard)
        record_answers(
            assignment_id,
            annotator=request.user,
            clicked={name: request.POST[name] for name in request.POST if name not in NOT_ANSWERS},
            idempotency_key=request.POST.get("idempotency_key", "")[:64] or get_random_string(32),
            language=get_language() or "",
            origin=origin,
            reports=reports,
            campaign=campaign,
        )
    except Assignment.DoesNotExist as error:
        raise Http404("This is not yours to answer.") from error
    except InvalidAnswers as invalid:
        _keep_heard(request, assignment_id, reports, campaign)
        return render(request, "annotation/label_page/_errors.html", {"errors": invalid.errors}, status=422)
    except NotHeard as refusal:
        _keep_heard(request, assignment_id, reports, campaign)
        clips = [clip.split("-") for clip in refusal.clips]
        return render(request, "annotation/label_page/_errors.html", {"unheard": clips}, status=422)
    except ListeningRefused as refusal:
        errors = {"heard": refusal_text(refusal)}
        return render(request, "annotation/label_page/_errors.html", {"errors": errors}, status=_status_of(refusal))
    return None


NOT_ANSWERS = {"csrfmiddlewaretoken", "idempotency_key", "heard", "comment"}


@require_POST
def give_back(request: AccountRequest, slug: str, assignment_id: UUID) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.LABEL)
    try:
        next_unit.give_back(
            assignment_id,
            annotator=request.user,
            reason=request.POST.get("reason", ""),
            comment=request.POST.get("comment", "").strip(),
            campaign=campaign,
        )
    except Assignment.DoesNotExist as error:
        raise Http404("This is not yours to give back.") from error
    except ValueError as error:
        return HttpResponse(refusal_text(error), status=422, content_type="text/plain")
    return _next_unit(request, campaign)


@require_POST
def take_back(request: AccountRequest, slug: str) -> HttpResponse:
    """Open the last answer again."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    try:
        revise.take_back(campaign, request.user)
    except CampaignNotOpen:
        return _next_unit(request, campaign)
    except NothingToTakeBack as refusal:
        return _next_unit(request, campaign, notice=refusal_text(refusal), status=409)
    return _next_unit(request, campaign)


@require_POST
def leave_as_it_was(request: AccountRequest, slug: str, assignment_id: UUID) -> HttpResponse:
    """Close the reopened assignment; the earlier answer is valid."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    try:
        revise.leave_as_it_was(assignment_id, annotator=request.user, campaign=campaign)
    except Assignment.DoesNotExist as error:
        raise Http404("This is not yours.") from error
    return _next_unit(request, campaign)


@require_POST
def ahead(request: AccountRequest, slug: str) -> HttpResponse:
    """The clips of the unit that will probably come next, to be fetched before it does."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    return clips_ahead(plan_next(campaign, request.user) if campaign.label_page == LABEL else None)


def clips_ahead(planned: Assignment | None) -> HttpResponse:
    if planned is None:
        return HttpResponse(status=204)
    return JsonResponse({"assignment": str(planned.pk), "clips": clip_urls(planned)})


@require_POST
def heard(request: AccountRequest, slug: str, assignment_id: UUID) -> HttpResponse:
    """A page's report of what was played; small, and sent every few seconds."""
    campaign = campaign_for(request.user, slug, Right.LABEL)
    try:
        reports = read_reports(request.POST.get("heard", ""))
        record_listening(assignment_id, annotator=request.user, reports=reports, campaign=campaign)
    except Assignment.DoesNotExist as error:
        raise Http404("This is not yours to hear.") from error
    except ListeningRefused as refusal:
        return HttpResponse(refusal_text(refusal), status=_status_of(refusal), content_type="text/plain")
    return HttpResponse(status=204)


def _status_of(refusal: ListeningRefused) -> int:
    return 400 if isinstance(refusal, MalformedReport) else 422


@require_safe
def listen(request: AccountRequest, token: str) -> HttpResponseBase:
    """A clip, whole or in part. Only its sound and length distinguish it from other clips."""
    try:
        delivered = clip_behind(token, request.user)
    except NoSuchClip as error:
        raise Http404(refusal_text(error)) from error
    return private_file(request, delivered.path, size=delivered.bytes, content_type="audio/wav")


def _keep_heard(request: AccountRequest, assignment_id: UUID, reports: list[Report], campaign: Campaign) -> None:
    """What was heard is true, though the answers that came with it were not taken."""
    if reports:
        record_listening(assignment_id, annotator=request.user, reports=reports, campaign=campaign)


def _next_unit(request: AccountRequest, campaign: Campaign, notice: str = "", status: int = 200) -> HttpResponse:
    if campaign.label_page != LABEL:
        return sent_to(request, reverse(campaign.label_page, args=[campaign.slug]))
    progress = own_progress(campaign, request.user)
    context = {"campaign": campaign, "notice": notice, "progress": progress}
    page = "annotation/label_page/_unit.html"
    if not request.htmx:
        page = "annotation/label_page/label.html"
        context |= page_context(campaign)
    try:
        assignment = next_assignment(campaign, request.user)
    except CampaignNotOpen:
        return render(request, page, context | {"closed": True}, status=status)
    except AnnotatorPaused:
        return render(request, page, context | {"paused": True}, status=status)
    except (ConsentNeeded, GateNeeded) as needed:
        return sent_to(request, what_is_needed(campaign, needed))
    if assignment is None:
        context |= {"finished": True, "others_hold_units": others_hold_units(campaign, request.user)}
        outcome = Outcome.COMPLETED if progress.answered else Outcome.SCREENED_OUT
        return render(request, page, context | {"back": way_back(request.user, campaign, outcome)}, status=status)
    if assignment.campaign_unit.purpose in BEFORE_FIRST_UNIT:
        context |= {"progress": units_done(assignment), "before_first_unit": assignment.campaign_unit.purpose}
    context |= unit_context(assignment, campaign) | {"pace": own_pace(campaign, request.user, progress)}
    return render(request, page, context, status=status)


def page_context(campaign: Campaign) -> dict[str, object]:
    """What the page around a unit shows."""
    return {
        "keys": key_actions(campaign.protocol).items(),
        "gates": gates_of(campaign),
        "examples": list(shown_examples(campaign.protocol)),
    }


def unit_context(assignment: Assignment, campaign: Campaign) -> dict[str, object]:
    """What the form of a unit shows."""
    return {
        "screen": screen_of(assignment, campaign),
        "addresses": addresses_of(assignment, campaign),
        "idempotency_key": get_random_string(32),
        "skip_reasons": RETURN_REASONS.items(),
        "defects": DefectMark.Kind.choices,
    }


def what_is_needed(campaign: Campaign, needed: ConsentNeeded | GateNeeded) -> str:
    """The address of what has to be done before the next unit."""
    if isinstance(needed, ConsentNeeded):
        return reverse("consent", args=[campaign.slug])
    return reverse("gate", args=[campaign.slug, needed.progress.gate.kind])


def sent_to(request: AccountRequest, address: str) -> HttpResponse:
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
