"""The arena for those who run it: its terms, its address, how it goes, newcomers and the votes as a file."""

from django.contrib import messages
from django.core.exceptions import BadRequest
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.data.votes.table import questions
from arena.pairing.pool import pool_of, unprepared_clips
from arena.settings.forms import ArenaForm
from arena.settings.setup import CannotBeArena, arena_of, end_arena, set_arena
from arena.staff.newcomers import KIND, let_in, newcomers
from arena.voting.rates import votes_by_hour
from arena.voting.votes import FORMS, vote_rows
from campaigns.access import Right, campaign_for, require_names_shown, rights_in
from campaigns.audio.delivery import clips_that_cannot_match
from campaigns.audit_log import record_download
from campaigns.models import Campaign
from corpus.models import System
from infrastructure.background.jobs import latest_job
from infrastructure.files.downloads import send_lines
from infrastructure.models import Job
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import whole_number


@require_http_methods(["GET", "POST"])
def campaign_arena(request: AccountRequest, slug: str) -> HttpResponse:
    right = Right.MANAGE if request.method == "POST" else Right.VIEW
    campaign = campaign_for(request.user, slug, right)
    if request.method == "POST" and "end" in request.POST:
        return _ended(request, campaign)
    row = arena_of(campaign)
    form = ArenaForm(request.POST or None, campaign=campaign)
    if request.method == "POST" and form.is_valid():
        try:
            set_arena(campaign, terms=form.terms, reason_required=form.needs_reason, by=request.user)
        except CannotBeArena as refusal:
            form.add_error(None, refusal_text(refusal))
        else:
            messages.success(request, _("These terms apply from now on."))
            return redirect("campaign-arena", slug=slug)
    context = {
        "campaign": campaign,
        "arena": row,
        "form": form,
        "may_manage": Right.MANAGE in rights_in(campaign, request.user),
        "may_export": Right.EXPORT in rights_in(campaign, request.user),
        "can_be": bool(questions(campaign)),
        "is_draft": campaign.status == Campaign.Status.DRAFT,
        **(_how_it_goes(request, campaign) if row else {}),
    }
    return render(request, "arena/staff/campaign_arena.html", context, status=422 if form.errors else 200)


@require_POST
def arena_let_in(request: AccountRequest, slug: str) -> HttpResponse:
    """A system that was imported later takes part from now on."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if arena_of(campaign) is None:
        raise Http404("This campaign is no arena.")
    if (pk := whole_number(request.POST.get("system", ""))) is None:
        raise BadRequest("A system has to be named.")
    system = get_object_or_404(System, pk=pk, dataset=campaign.dataset_id)
    return redirect("job", let_in(campaign, system, user=request.user).pk)


@require_safe
def arena_votes(request: AccountRequest, slug: str, form: str) -> HttpResponseBase:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    if arena_of(campaign) is None or form not in FORMS:
        raise Http404("Votes of an arena can be had as CSV and as JSON Lines.")
    require_names_shown(campaign)
    record_download(campaign, f"votes.{form}", by=request.user)
    content_type, written = FORMS[form]
    lines = written(vote_rows(campaign))
    return send_lines(request, lines, name=f"{slug}-votes.{form}", content_type=f"{content_type}; charset=utf-8")


def _ended(request: AccountRequest, campaign: Campaign) -> HttpResponse:
    try:
        end_arena(campaign)
    except CannotBeArena as refusal:
        messages.error(request, refusal_text(refusal))
    return redirect("campaign-arena", slug=campaign.slug)


def _unprepared(campaign: Campaign, job: Job | None) -> dict[str, int]:
    """How many clips are still to come, and how many never will: they were tried, or miss the loudness target."""
    missing = set(unprepared_clips(campaign).values_list("pk", flat=True))
    if job and job.status == Job.Status.FAILED:
        return {"n_unprepared": 0, "n_left_out": len(missing)}
    left_out = missing & set(clips_that_cannot_match(campaign).values_list("pk", flat=True)) if missing else set()
    return {"n_unprepared": len(missing - left_out), "n_left_out": len(left_out)}


def _how_it_goes(request: AccountRequest, campaign: Campaign) -> dict[str, object]:
    job, pool = latest_job(KIND, campaign.pk), pool_of(campaign)
    by_hour = votes_by_hour(campaign)
    return {
        "job": job,
        "link": request.build_absolute_uri(reverse("arena", args=[campaign.slug])),
        "by_hour": by_hour,
        "most": max((n for _hour, n in by_hour), default=0) or 1,
        "n_systems": len(pool.systems),
        "n_items": len(pool.items),
        **_unprepared(campaign, job),
        "newcomers": newcomers(campaign),
    }
