from collections.abc import Mapping
from datetime import timedelta

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.timesince import timesince
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, names_are_hidden, require_names_shown, rights_in
from campaigns.audit_log import record_download
from campaigns.models import Campaign
from infrastructure.files.byte_ranges import private_bytes
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from infrastructure.templatetags.wording import refusal_text
from judges.definitions.judges import judges_for, why_not
from judges.models import Judge, Run, Verdict
from judges.runs.baselines import baseline_progress
from judges.runs.estimates import Estimate, estimate
from judges.runs.forms import BudgetForm, ProbeForm, RunForm
from judges.runs.lifecycle import (
    CannotRun,
    cancel_run,
    judge_again,
    pause_run,
    require_examples,
    resume_run,
    run_for,
    start_run,
    top_up,
)
from judges.runs.probes import start_probe, unchanged
from judges.runs.progress import progress_of, runs_of
from judges.sounds.perturbations import Perturbation
from judges.verdicts.aggregated import kept_tallies
from judges.verdicts.files import as_csv, as_jsonl
from judges.verdicts.page import copy_heard, shown_verdict

PER_PAGE = 50
FILES = {"csv": (CSV, as_csv), "jsonl": ("application/x-ndjson", as_jsonl)}


@require_safe
def runs(request: AccountRequest, slug: str) -> HttpResponse:
    """The judges' results of a campaign, and for those who manage it the judges that may be run."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    may_manage = Right.MANAGE in rights_in(campaign, request.user)
    offered = [(row, why_not(row, campaign.protocol)) for row in judges_for(request.user)] if may_manage else []
    context = {
        "campaign": campaign,
        "runs": [(row, _perturbation(row)) for row in runs_of(campaign)],
        "fitting": [row for row, reason in offered if not reason],
        "unfit": [(row, reason) for row, reason in offered if reason],
        "may_manage": may_manage,
        "is_draft": campaign.status == Campaign.Status.DRAFT,
        "baselines": baseline_progress(campaign),
    }
    return render(request, "judges/runs/runs.html", context)


@require_http_methods(["GET", "POST"])
def run_new(request: AccountRequest, slug: str, judge: int) -> HttpResponse:
    """What a run would take, and the button that starts it."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    if (row := judges_for(request.user).filter(pk=judge).first()) is None:
        raise Http404("There is no such judge among yours.")
    form = RunForm(request.POST or None, campaign=campaign)
    estimated = None
    if request.method == "POST" and form.is_valid():
        if "start" in request.POST and (started := _started(request, campaign, row, form)):
            return redirect("run", slug=slug, pk=started.pk)
        if not form.errors:
            estimated = _estimated(campaign, row, form)
    context = {
        "campaign": campaign,
        "judge": row,
        "form": form,
        "estimate": estimated,
        "time": _roughly(estimated.time) if estimated else "",
        "why_not": why_not(row, campaign.protocol),
    }
    return render(request, "judges/runs/run_new.html", context, status=422 if form.errors else 200)


@require_safe
def run(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    row = run_for(request.user, slug, pk, Right.VIEW)
    rights, progress = rights_in(row.campaign, request.user), progress_of(row)
    context = {
        "campaign": row.campaign,
        "run": row,
        "progress": progress,
        "remaining": _roughly(progress.remaining) if progress.remaining else "",
        "perturbation": _perturbation(row),
        "may_manage": Right.MANAGE in rights,
        "why_not": why_not(row.judge, row.campaign.protocol),
        "may_export": Right.EXPORT in rights,
        "budget_form": BudgetForm(),
        "tallies": [] if row.is_active else kept_tallies(row),
        "unchanged": [] if row.is_active else unchanged(row),
        "probes": [(probe, _perturbation(probe)) for probe in row.probes.select_related("judge")],
    }
    return render(request, "judges/runs/_run.html" if request.htmx else "judges/runs/run.html", context)


@require_POST
def run_turn(request: AccountRequest, slug: str, pk: int, turn: str) -> HttpResponse:
    """Pause, go on, cancel, judge again what failed, or add the units that came since."""
    row = run_for(request.user, slug, pk, Right.MANAGE)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(str(error) for error in form.errors["budget_usd"]))
        return redirect("run", slug=slug, pk=pk)
    try:
        if turn == "pause":
            pause_run(row)
        elif turn == "cancel":
            cancel_run(row)
        elif turn == "resume":
            resume_run(row, budget_usd=form.cleaned_data["budget_usd"])
        elif turn in _ADDING:
            _tell(request, turn, _ADDING[turn](row))
        else:
            raise Http404("A run can be paused, resumed, cancelled, repeated in part, or topped up.")
    except CannotRun as refusal:
        messages.error(request, refusal_text(refusal))
    return redirect("run", slug=slug, pk=pk)


@require_safe
def run_verdicts(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """The verdicts, of one status if one is named."""
    row = run_for(request.user, slug, pk, Right.VIEW)
    wanted = request.GET.get("status", "")
    rows = Verdict.objects.filter(run=row).select_related("unit__item").prefetch_related("answers").order_by("pk")
    if wanted in Verdict.Status.values:
        rows = rows.filter(status=wanted)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    context = {"campaign": row.campaign, "run": row, "page": page, "wanted": wanted, "progress": progress_of(row)}
    context["hidden"] = names_are_hidden(row.campaign)  # keys of units name their systems
    return render(request, "judges/runs/verdicts.html", context)


@require_safe
def run_verdict(request: AccountRequest, slug: str, pk: int, verdict: int) -> HttpResponse:
    """One verdict with everything that it is based on."""
    row = run_for(request.user, slug, pk, Right.VIEW)
    found = _verdict(row, verdict)
    context = {"campaign": row.campaign, "run": row, "verdict": found, "shown": shown_verdict(found, row)}
    return render(request, "judges/runs/verdict.html", context)


@require_safe
def run_verdict_clip(request: AccountRequest, slug: str, pk: int, verdict: int, clip: int) -> HttpResponse:
    """A clip as the probe changed it before the judge heard it, made again."""
    row = run_for(request.user, slug, pk, Right.VIEW)
    try:
        copy = copy_heard(_verdict(row, verdict), row, clip)
    except LookupError as error:
        raise Http404("There is no such copy.") from error
    return private_bytes(request, copy, content_type="audio/wav")


@require_safe
def run_file(request: AccountRequest, slug: str, pk: int, kind: str) -> HttpResponse:
    row = run_for(request.user, slug, pk, Right.EXPORT)
    if kind not in FILES:
        raise Http404("Verdicts can be had as CSV and as JSON Lines.")
    require_names_shown(row.campaign)
    record_download(row.campaign, f"verdicts.{kind}", by=request.user)
    content_type, lines = FILES[kind]
    name = f"{row.campaign.slug}-run-{row.pk}.{kind}"
    return download(lines(row), name=name, content_type=content_type)


@require_http_methods(["GET", "POST"])
def run_probe(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """The same judge over perturbed copies."""
    row = run_for(request.user, slug, pk, Right.MANAGE)
    form = ProbeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            probe = start_probe(row, form.cleaned_data["made"], user=request.user)
        except CannotRun as refusal:
            form.add_error(None, refusal_text(refusal))
        else:
            return redirect("run", slug=slug, pk=probe.pk)
    context = {"campaign": row.campaign, "run": row, "form": form}
    return render(request, "judges/runs/run_probe.html", context, status=422 if form.errors else 200)


_ADDING = {"again": judge_again, "top-up": top_up}


def _verdict(run: Run, pk: int) -> Verdict:
    found = Verdict.objects.filter(run=run, pk=pk).select_related("unit__item__dataset").first()
    if found is None:
        raise Http404("This run has no such verdict.")
    return found


def _started(request: AccountRequest, campaign: Campaign, judge: Judge, form: RunForm) -> Run | None:
    try:
        return start_run(campaign, judge, plan=form.plan, user=request.user)
    except CannotRun as refusal:
        form.add_error(None, refusal_text(refusal))
    return None


def _estimated(campaign: Campaign, judge: Judge, form: RunForm) -> Estimate | None:
    try:
        require_examples(campaign, judge, form.plan)
    except CannotRun as refusal:
        form.add_error(None, refusal_text(refusal))
        return None
    return estimate(campaign, judge, _unsaved(campaign, judge, form))


def _unsaved(campaign: Campaign, judge: Judge, form: RunForm) -> Run:
    plan = form.plan
    return Run(campaign=campaign, judge=judge, orders=plan.orders, samples=plan.samples, label_set=plan.label_set)


def _perturbation(row: Run) -> Perturbation | None:
    held: Mapping[str, object] | None = row.perturbation
    return Perturbation.from_json(held) if held else None


def _roughly(time: timedelta) -> str:
    """As one says it, in the two largest units."""
    if time < timedelta(minutes=1):
        return _("less than a minute")
    begins = timezone.now()
    return timesince(begins, begins + time)


def _tell(request: AccountRequest, turn: str, n: int) -> None:
    if not n:
        nothing = {"again": _("Nothing failed, so nothing is asked again."), "top-up": _("No unit came since.")}
        messages.info(request, nothing[turn])
        return
    said = ngettext("%(n)s verdict is to do.", "%(n)s verdicts are to do.", n) % {"n": n}
    messages.success(request, said)
