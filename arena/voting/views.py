"""The page on which votes are given, and the page for joining before it."""

from uuid import UUID

from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from accounts.requests import AccountRequest
from annotation.answers.origins import origin_of
from annotation.answers.submit import AnswerRefused
from annotation.assignment.next_unit import AnnotatorPaused, CampaignNotOpen
from annotation.assignment.progress import n_answered, units_done
from annotation.entry_gates.gate_progress import GateNeeded
from annotation.label_page.unit_view import Addresses
from annotation.label_page.views import clips_ahead, page_context, sent_to, store_answer, unit_context, what_is_needed
from annotation.models import Assignment
from arena.models import ArenaSettings
from arena.pairing.drawing import next_pair, plan_pair
from arena.settings.limits import TooManyVotes
from arena.settings.setup import PAGE, arena_of
from arena.voting.entering import EntryRefused, enter, has_left, why_shut
from arena.voting.revealing import revealed_names
from campaigns.access import Right, campaign_for, rights_in
from campaigns.models import BEFORE_FIRST_UNIT, Campaign, ConsentText
from campaigns.people.consent import ConsentNeeded, consent_needed, newest_text
from campaigns.people.invitation_forms import JoinForm
from infrastructure.templatetags.wording import refusal_text


@login_not_required
@require_GET
def arena(request: AccountRequest, slug: str) -> HttpResponse:
    """The next pair for voters, and the introduction for all others."""
    row = ArenaSettings.objects.select_related("campaign__dataset").filter(campaign__slug=slug).first()
    user = _visitor(request)
    if row and user and Right.LABEL in rights_in(row.campaign, user):
        return _next(request, row, origin=_origin(request, row))
    if row and _is_open_to_all(row):
        return _landing(request, row)
    if user is None:
        return redirect_to_login(request.get_full_path())
    campaign_for(user, slug, Right.LABEL)  # says why not
    return redirect("label", slug=slug)


@login_not_required
@require_POST
def start(request: HttpRequest, slug: str) -> HttpResponse:
    """Come in: with the account that is logged in, or as a guest."""
    row = ArenaSettings.objects.select_related("campaign__dataset").filter(campaign__slug=slug).first()
    if row is None or not _is_open_to_all(row):
        raise Http404("There is no such arena.")
    user, form = _visitor(request), JoinForm(request.POST)
    form.is_valid()
    agreed = form.cleaned_data.get("agree")
    try:
        person = enter(row, user=user, agreed=agreed, origin=_origin(request, row))
    except ConsentNeeded as needed:
        return _landing(request, row, text=needed.text, notice=str(needed))
    except EntryRefused as refusal:
        return _landing(request, row, reason=refusal_text(refusal))
    except TooManyVotes as limit:
        return _too_many(request, row, limit)
    if user is None:
        login(request, person)
    return redirect("volume", slug=slug)


@require_POST
def vote(request: AccountRequest, slug: str, assignment_id: UUID) -> HttpResponse:
    row = _arena_for(request, slug)
    origin = _origin(request, row)
    try:
        faulty = store_answer(request, assignment_id, row.campaign, origin=origin)
    except AnswerRefused as refusal:
        return _next(request, row, origin=origin, notice=refusal_text(refusal), status=409)
    if faulty:
        return faulty
    if not request.htmx:
        return redirect(PAGE, slug=slug)
    return _next(request, row, origin=origin, revealed=revealed_names(row, assignment_id, voter=request.user))


@require_POST
def ahead(request: AccountRequest, slug: str) -> HttpResponse:
    """The clips of the pair that comes next, which is drawn with this."""
    return clips_ahead(plan_pair(_arena_for(request, slug), request.user))


def _next(
    request: AccountRequest,
    row: ArenaSettings,
    *,
    origin: str,
    notice: str = "",
    revealed: list[str] | None = None,
    status: int = 200,
) -> HttpResponse:
    campaign = row.campaign
    n = n_answered(campaign, request.user)
    context = {"campaign": campaign, "notice": notice, "revealed": revealed, "n": n, "progress": {"answered": n}}
    page = "arena/voting/_voting.html"
    if not request.htmx:
        page = "arena/voting/voting.html"
        context |= page_context(campaign)
    try:
        assignment = next_pair(row, request.user, origin=origin)
    except CampaignNotOpen:
        return render(request, page, context | {"shut": why_shut(campaign)}, status=status)
    except AnnotatorPaused:
        return render(request, page, context | {"paused": True}, status=status)
    except (ConsentNeeded, GateNeeded) as needed:
        return sent_to(request, what_is_needed(campaign, needed))
    except TooManyVotes as limit:
        return _too_many(request, row, limit, page=page, context=context)
    if assignment is None:
        return render(request, page, context | {"finished": True}, status=status)
    if assignment.campaign_unit.purpose in BEFORE_FIRST_UNIT:
        context |= {"before_first_unit": assignment.campaign_unit.purpose, "progress": units_done(assignment)}
    context |= unit_context(assignment, campaign) | {"addresses": _addresses(assignment, campaign)}
    return render(request, page, context, status=status)


def _too_many(
    request: HttpRequest,
    row: ArenaSettings,
    limit: TooManyVotes,
    *,
    page: str = "arena/voting/limit.html",
    context: dict[str, object] | None = None,
) -> HttpResponse:
    """After a vote that was taken it is no error, and the page shows it; to all else the answer is 429."""
    is_vote = request.method == "POST" and context is not None
    response = render(
        request,
        page,
        {"campaign": row.campaign, **(context or {}), "until": limit.until},
        status=200 if is_vote else 429,
    )
    response["Retry-After"] = str(limit.seconds)
    return response


def _landing(
    request: HttpRequest, row: ArenaSettings, *, text: ConsentText | None = None, reason: str = "", notice: str = ""
) -> HttpResponse:
    campaign, user = row.campaign, _visitor(request)
    left = user is not None and has_left(campaign, user)
    context = {
        "arena": row,
        "campaign": campaign,
        "protocol": campaign.protocol,
        "consent": text or (consent_needed(campaign, user) if user else newest_text(campaign)),
        "reason": reason or why_shut(campaign),
        "left": left,
        "notice": notice,
    }
    return render(request, "arena/voting/landing.html", context, status=409 if reason else 200)


def _addresses(assignment: Assignment, campaign: Campaign) -> Addresses:
    here = [campaign.slug, assignment.pk]
    return Addresses(
        answer=reverse("arena-vote", args=here),
        heard=reverse("heard", args=here),
        ahead=reverse("arena-ahead", args=[campaign.slug]),
        give_back=reverse("give-back", args=here),
    )


def _arena_for(request: AccountRequest, slug: str) -> ArenaSettings:
    campaign = campaign_for(request.user, slug, Right.LABEL, along_with=["arena"])
    if (row := arena_of(campaign)) is None:
        raise Http404("This campaign is no arena.")
    return row


def _is_open_to_all(row: ArenaSettings) -> bool:
    return row.is_public and row.campaign.status != Campaign.Status.DRAFT


def _visitor(request: HttpRequest) -> User | None:
    return request.user if request.user.is_authenticated else None


def _origin(request: HttpRequest, row: ArenaSettings) -> str:
    """Of a public arena's voters alone: those who were invited are known."""
    return origin_of(request.META.get("REMOTE_ADDR", "")) if row.is_public else ""
