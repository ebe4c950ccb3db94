from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for
from campaigns.control_units.attention_checks.forms import RecordingsForm, TrapsForm
from campaigns.control_units.attention_checks.making import (
    possible_instructions,
    start_traps,
    traps_job,
    why_no_traps,
)
from campaigns.control_units.attention_checks.recordings import (
    LARGEST_BYTES,
    MOST_FILES,
    UnusableRecordings,
    forget_recordings,
    keep_recordings,
)
from campaigns.models import Campaign, CampaignUnit, SpokenTraps, TrapClip
from infrastructure.files.byte_ranges import private_file
from infrastructure.files.upload_limits import takes_files
from infrastructure.templatetags.wording import refusal_text


@require_http_methods(["GET", "POST"])
def traps(request: AccountRequest, slug: str) -> HttpResponse:
    """The spoken traps of this campaign; to be made while it is a draft."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    form = TrapsForm(request.POST or None, initial=_initial(row))
    if request.method == "POST" and form.is_valid() and _started(row, form, request):
        return redirect("traps", slug=slug)
    page = "campaigns/control_units/_traps.html" if request.htmx else "campaigns/control_units/traps.html"
    return render(request, page, _context(row, form, RecordingsForm()), status=422 if form.errors else 200)


@takes_files(most=MOST_FILES * LARGEST_BYTES)
@require_POST
def trap_recordings(request: AccountRequest, slug: str) -> HttpResponse:
    """Take recordings of instructions in place of the packaged voice, or forget them."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    if "forget" in request.POST:
        return _forgotten(request, row)
    form = RecordingsForm(request.POST, request.FILES)
    if form.is_valid() and _kept(row, form):
        messages.success(request, _("The recordings are saved. Create the traps again to hear them."))
        return redirect("traps", slug=slug)
    return render(
        request,
        "campaigns/control_units/traps.html",
        _context(row, TrapsForm(initial=_initial(row)), form),
        status=422,
    )


@require_safe
def trap_clip(request: AccountRequest, slug: str, pk: int) -> HttpResponseBase:
    """A trap's clip as it was made, for managers of the campaign."""
    row = campaign_for(request.user, slug, Right.MANAGE)
    spoken = TrapClip.objects.filter(campaign_unit__campaign=row, pk=pk).select_related("clip").first()
    if spoken is None:
        raise Http404("This campaign has no such trap.")
    return private_file(request, spoken.clip.path, size=spoken.clip.bytes, content_type="audio/wav")


def _started(row: Campaign, form: TrapsForm, request: AccountRequest) -> bool:
    try:
        start_traps(row, n=form.cleaned_data["n"], seed=form.cleaned_data["seed"], user=request.user)
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
    return not form.errors


def _kept(row: Campaign, form: RecordingsForm) -> bool:
    file = form.cleaned_data["file"]
    try:
        keep_recordings(row, file, name=file.name)
    except UnusableRecordings as unusable:
        for fault in unusable.faults[:20]:
            form.add_error("file", fault)
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
    return not form.errors


def _forgotten(request: AccountRequest, row: Campaign) -> HttpResponse:
    try:
        forget_recordings(row)
    except ValueError as refusal:
        messages.error(request, refusal_text(refusal))
    else:
        messages.success(request, _("The packaged voice is used again. Create the traps again to hear it."))
    return redirect("traps", slug=row.slug)


def _initial(row: Campaign) -> dict[str, int]:
    order = SpokenTraps.objects.filter(campaign=row).first()
    return {"n": order.wanted, "seed": order.seed} if order else {"n": 4, "seed": 0}


def _context(row: Campaign, form: TrapsForm, recordings: RecordingsForm) -> dict[str, object]:
    there = row.campaign_units.filter(purpose=CampaignUnit.Purpose.TRAP)
    return {
        "campaign": row,
        "form": form,
        "recordings_form": recordings,
        "job": traps_job(row),
        "traps": there.select_related("unit").prefetch_related("trap_clips"),
        "order": SpokenTraps.objects.filter(campaign=row).first(),
        "recorded": set(row.trap_recordings.values_list("name", flat=True)),
        "instructions": possible_instructions(row),
        "impossible": why_no_traps(row),
        "fixed": row.status != Campaign.Status.DRAFT,
    }
