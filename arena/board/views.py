import hashlib
import json
from dataclasses import dataclass

from django.contrib import messages
from django.core.cache import cache
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from accounts.requests import AccountRequest
from analytics.data.hidden_names import names_are_hidden, shown_names
from analytics.data.inclusion import NotCounted, not_counted
from analytics.data.rater_groups import run_of
from analytics.data.votes.table import Subject, systems_of, votes_between
from analytics.reports.pages.serving import picture_file
from analytics.review.voted_units import MOST_UNITS, voted_units
from arena.board import layout as drawing
from arena.board import pictures as of_board
from arena.board.files import FORMS
from arena.board.history import history_of
from arena.board.name_locks import CannotLock, Plan, hide_names, plan_of, shown_table
from arena.board.switches import switches
from arena.board.wording import claims, described, judged_units
from arena.models import Standing
from arena.standings.choices import NoBoardOfRun, NoSuchBoard, Offer, Settings, not_resampled, offer_of
from arena.standings.fragility import holds_of
from arena.standings.refresh import newest, refresh, topic_of, watch
from arena.standings.subjects import label_set_for
from arena.standings.tables import Json
from campaigns.access import Right, campaign_for, rights_in
from campaigns.audit_log import record_download
from campaigns.models import Campaign
from infrastructure.files.downloads import download
from infrastructure.templatetags.wording import refusal_text, worded

#: Two systems whose comparison is asked for.
ASKED = ("one", "other")
#: The element of a page that was drawn before there was a standing. The page has no comparison of two systems either,
#: so the first standing is shown by drawing it again.
TO_COME = "board-to-come"
#: How long a drawn board is kept for those who fetch it after the first (s).
DRAWN_S = 60


@require_safe
def board(request: AccountRequest, slug: str) -> HttpResponse:
    return _board(request, campaign_for(request.user, slug, Right.VIEW))


@require_safe
def board_file(request: AccountRequest, slug: str, form: str) -> HttpResponse:
    return _file(request, campaign_for(request.user, slug, Right.VIEW), form)


@require_safe
def board_units(request: AccountRequest, slug: str) -> HttpResponse:
    return _units(request, campaign_for(request.user, slug, Right.VIEW))


@require_safe
def board_fragility(request: AccountRequest, slug: str) -> HttpResponse:
    return _fragility(request, campaign_for(request.user, slug, Right.VIEW))


@require_POST
def board_lock(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    try:
        settings = _settings(request.POST.dict(), offer_of(campaign))
    except NoBoardOfRun as refusal:
        raise BadRequest(refusal_text(refusal)) from refusal
    try:
        hide_names(campaign, user=request.user, settings=settings)
    except CannotLock:
        messages.error(request, _("The campaign is closed, so names are no longer hidden."))
    return redirect("board", slug=slug)


@require_safe
def label_set_board(request: AccountRequest, pk: int) -> HttpResponse:
    return _board(request, label_set_for(request.user, pk))


@require_safe
def label_set_board_file(request: AccountRequest, pk: int, form: str) -> HttpResponse:
    return _file(request, label_set_for(request.user, pk), form)


@require_safe
def label_set_board_units(request: AccountRequest, pk: int) -> HttpResponse:
    return _units(request, label_set_for(request.user, pk))


@require_safe
def label_set_board_fragility(request: AccountRequest, pk: int) -> HttpResponse:
    return _fragility(request, label_set_for(request.user, pk))


@dataclass(frozen=True)
class Addresses:
    """Of the pages of one board, without their question marks."""

    page: str
    units: str
    fragility: str
    files: dict[str, str]
    pictures: dict[str, str]

    @classmethod
    def of(cls, subject: Subject) -> "Addresses":
        if isinstance(subject, Campaign):
            name, argument = "board", subject.slug
        else:
            name, argument = "label-set-board", str(subject.pk)
        files, pictures = (
            {form: reverse(f"{name}-file", args=[argument, form]) for form in forms}
            for forms in (FORMS, of_board.FORMS)
        )
        page, units, fragility = (reverse(it, args=[argument]) for it in (name, f"{name}-units", f"{name}-fragility"))
        return cls(page, units, fragility, files, pictures)


def _board(request: AccountRequest, subject: Subject) -> HttpResponse:
    """The page brings the standing up to date; the part of it that is fetched again takes what is there."""
    offer = offer_of(subject)
    if not offer.aspects:
        return render(request, "arena/board/no_board.html", _about(subject))
    try:
        settings = _settings(request.GET.dict(), offer)
    except NoBoardOfRun as refusal:
        return _no_run(request, subject, refusal)
    if request.htmx:
        watch(subject, settings)
        if request.htmx.trigger == TO_COME and newest(subject, settings):
            return HttpResponseClientRefresh()
        return HttpResponse(_fragment(request, subject, settings))
    standing, hidden = refresh(subject, settings), names_are_hidden(subject)
    context = _about(subject) | {
        "may_hide": not hidden and _may_hide(request, subject),
        "switches": switches(offer, settings),
        "not_resampled": not_resampled(request.GET.dict(), settings),
        "topic": topic_of(subject),
        **_shown(request, subject, settings, standing, plan_of(subject), hidden=hidden),
    }
    return render(request, "arena/board/board.html", context)


def _no_run(request: AccountRequest, subject: Subject, refusal: NoBoardOfRun) -> HttpResponse:
    """Why there is no board of this run; in an open page in the place of the board, until there is one again."""
    context = _about(subject) | {"why": refusal.why, "at": Addresses.of(subject)}
    if request.htmx:
        return render(request, "arena/board/_no_run.html", context)
    return render(request, "arena/board/no_run.html", context, status=404)


def _fragment(request: AccountRequest, subject: Subject, settings: Settings) -> str:
    """What open pages fetch at each news, drawn once for all of them: nothing in it is about who looks."""
    standing, hidden, plan = newest(subject, settings), names_are_hidden(subject), plan_of(subject)
    asked = [request.GET.get(name, "") for name in ASKED]
    said = json.dumps([get_language(), standing and standing.pk, hidden, plan and plan.sha256, asked])
    key = f"board-{hashlib.sha256(said.encode()).hexdigest()}"
    drawn: str | None = cache.get(key) if standing else None
    if drawn is None:
        context = _about(subject) | _shown(request, subject, settings, standing, plan, hidden=hidden)
        drawn = render_to_string("arena/board/_board.html", context, request)
        if standing:
            cache.set(key, drawn, DRAWN_S)
    return drawn


def _shown(
    request: AccountRequest,
    subject: Subject,
    settings: Settings,
    standing: Standing | None,
    plan: Plan | None,
    *,
    hidden: bool,
) -> dict[str, object]:
    return {
        "settings": settings,
        "hidden": hidden,
        "plan": plan,
        "as_planned": bool(plan and standing and plan.is_followed(settings, standing.version)),
        "standing": standing,
        "at": Addresses.of(subject),
        **(_drawn(request, settings, standing, hidden=hidden) if standing else {}),
    }


def _drawn(request: AccountRequest, settings: Settings, standing: Standing, *, hidden: bool) -> dict[str, object]:
    past = history_of(standing)
    tables = [shown_table(standing.subject, it.table, hidden=hidden) for it in past]
    table = tables[-1]
    asked = _asked_about(request, table)
    return {
        "table": table,
        "islands": drawing.islands(table, tables),
        "scale": drawing.scale_of(table),
        "scale_over_time": drawing.scale_of_history(tables),
        "how": described(table, settings),
        "judged": judged_units(table),
        "matrix": drawing.matrix(table, settings.named),
        "verdict": _verdict(table, **asked),
        "past": past,
        "past_rows": drawing.past_rows(past, tables),
        "asked": asked,
        "pictures": of_board.pictures(table),
        "claims": claims(table, of_judge=settings.of_judge),
        "uncounted": _uncounted(standing.subject, table),
    }


def _asked_about(request: AccountRequest, table: Json) -> dict[str, str]:
    """The two selected systems; by default the first two, as the page preselects them."""
    asked = {name: request.GET.get(name, "") for name in ASKED}
    if any(asked.values()) or len(table["systems"]) < 2:
        return asked
    return dict(zip(ASKED, table["systems"], strict=False))


def _uncounted(subject: Subject, table: Json) -> NotCounted | None:
    """Why a board without votes has none although people gave some; None where there are votes, or none was given."""
    if table["n"] or "judged" in table or not isinstance(subject, Campaign):
        return None
    found = not_counted(subject)
    return found if found.given else None


def _may_hide(request: AccountRequest, subject: Subject) -> bool:
    if not isinstance(subject, Campaign) or subject.status == Campaign.Status.CLOSED:
        return False
    return Right.MANAGE in rights_in(subject, request.user)


def _verdict(table: Json, one: str, other: str) -> drawing.Verdict | None:
    if one not in table["systems"] or other not in table["systems"] or one == other:
        return None
    return drawing.verdict(table, one, other)


def _file(request: AccountRequest, subject: Subject, form: str) -> HttpResponse:
    if form not in FORMS and form not in of_board.FORMS:
        raise Http404("A board can be had as CSV, JSON and LaTeX, and its pictures as SVG, PNG and PDF.")
    settings = _asked(request, subject)
    standing = refresh(subject, settings)
    if standing is None:
        return HttpResponse(
            "The board is being computed. Try again in a moment.", status=503, headers={"Retry-After": "2"}
        )
    if not (hidden := names_are_hidden(subject)):
        of_what = subject if isinstance(subject, Campaign) else subject.dataset
        record_download(of_what, f"board.{form}", by=request.user)
    table = shown_table(subject, standing.table, hidden=hidden)
    of = subject.slug if isinstance(subject, Campaign) else f"label-set-{subject.pk}"
    name = "-".join(filter(None, ["board", of, settings.by]))
    return _written(request, form, name, standing, table)


def _written(request: AccountRequest, form: str, name: str, standing: Standing, table: Json) -> HttpResponse:
    """The file of this name. Raises Http404 for a picture that this board does not have."""
    if form in of_board.FORMS:
        which = request.GET.get("picture", of_board.RATINGS)
        if (figure := of_board.pictures(table).get(which)) is None:
            raise Http404("This board has no such picture.")
        return picture_file(figure, form, f"{name}-{which}.{form}")
    content_type, write = FORMS[form]
    text = write(standing, table, plan_of(standing.subject))
    return download(text, name=f"{name}.{form}", content_type=f"{content_type}; charset=utf-8")


def _units(request: AccountRequest, subject: Subject) -> HttpResponse:
    """What was voted on between two systems: the way from a cell of the matrix to what was heard."""
    if names_are_hidden(subject):
        raise PermissionDenied(
            _("The names of the systems are hidden until the campaign closes, and a unit’s page shows them.")
        )
    settings = _asked(request, subject)
    run = run_of(subject, settings.by) if isinstance(subject, Campaign) and settings.of_judge else None
    systems = {system.name: system for system in systems_of(subject)}
    one, other = (systems.get(request.GET.get(name, "")) for name in ("one", "other"))
    if one is None or other is None or one == other:
        raise BadRequest("Two systems have to be named.")
    rows = votes_between(subject, settings.selection, one, other)
    context = _about(subject) | {
        "settings": settings, "one": one, "other": other, "run": run,
        "units": voted_units(rows, one=one, run=run, aspect=settings.aspect),
        "n": len({row["unit_of"] for row in rows}), "most": MOST_UNITS, "at": Addresses.of(subject),
    }  # fmt: skip
    return render(request, "arena/board/units.html", context)


def _fragility(request: AccountRequest, subject: Subject) -> HttpResponse:
    settings = _asked(request, subject)
    standing = refresh(subject, settings)
    holds = holds_of(subject, settings, standing) if standing else ()
    if names_are_hidden(subject) and isinstance(subject, Campaign):
        codes = shown_names(subject, [name for it in holds for name in it.names])
        holds = tuple(it.under(codes) for it in holds)
    context = {"settings": settings, "standing": standing, "holds": holds, "at": Addresses.of(subject)}
    return render(request, "arena/board/fragility.html", _about(subject) | context)


def _asked(request: AccountRequest, subject: Subject) -> Settings:
    """Of the board that a file or a list of units is of. Raises Http404 where that is of a run without one."""
    try:
        return _settings(request.GET.dict(), offer_of(subject))
    except NoBoardOfRun as refusal:
        raise Http404(worded(refusal.why)) from refusal


def _settings(asked: dict[str, str], offer: Offer) -> Settings:
    """Raises BadRequest, NoBoardOfRun."""
    try:
        return offer.settings(asked)
    except NoBoardOfRun:
        raise
    except NoSuchBoard as refusal:
        raise BadRequest(refusal_text(refusal)) from refusal


def _about(subject: Subject) -> dict[str, object]:
    if isinstance(subject, Campaign):
        return {"campaign": subject, "dataset": subject.dataset, "subject": subject}
    return {"label_set": subject, "dataset": subject.dataset, "subject": subject}
