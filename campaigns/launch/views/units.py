"""The third step: which units, with what comes of it before one goes on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from accounts.requests import AccountRequest
from campaigns.control_units.attention_checks.keeping import KeptTraps
from campaigns.launch.edit import NotADraft, set_units
from campaigns.launch.forms import MAX_TABLE_BYTES, UnitsForm
from campaigns.launch.lifecycle import prepare_audio
from campaigns.launch.pair_files import find_pairs
from campaigns.launch.sample_units import How, UnitsChoice, count_units, guessed_seconds, units_chosen
from campaigns.launch.views.drafts import draft_of, is_fixed, to_campaign, to_next
from campaigns.models import Campaign, CampaignUnit
from corpus.models import Unit
from infrastructure.files.upload_limits import takes_files
from infrastructure.files.uploaded_tables import InvalidTable

Purpose = CampaignUnit.Purpose
KINDS = {
    Unit.Kind.SINGLE: gettext_lazy("Every response is a unit of its own."),
    Unit.Kind.ITEM: gettext_lazy(
        "Every item that two or more of the systems answered is a unit, with all of their responses."
    ),
}


@dataclass(frozen=True)
class Numbers:
    """What comes of a choice."""

    units: int
    repeats: int
    answers_per_unit: int
    pace: int

    @property
    def answers(self) -> int:
        return self.units * self.answers_per_unit

    @property
    def hours(self) -> float:
        """Of listening and answering, all people together; repeats once for each person who answers a unit."""
        return (self.answers + self.repeats * self.answers_per_unit) * self.pace / 3600


@takes_files(most=MAX_TABLE_BYTES)
@require_http_methods(["GET", "POST"])
def units(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = draft_of(request, slug)
    if is_fixed(campaign):
        return to_campaign(request, campaign)
    form = _form(request, campaign)
    if request.method == "GET":
        return _page(request, campaign, form, _there(campaign, form))
    choice = _choice(campaign, form) if form.is_valid() else None
    n = _count(campaign, form, choice) if choice else 0
    if choice and not n:
        form.add_error("how", _("These systems have no such unit. Choose another way, or other systems."))
    numbers = _numbers(campaign, n, form.cleaned_data) if n else None
    if request.htmx or "count" in request.POST or numbers is None or choice is None:
        return _page(request, campaign, form, numbers)
    return _changed(request, campaign, choice, form.cleaned_data, numbers)


def _form(request: AccountRequest, campaign: Campaign) -> UnitsForm:
    there = campaign.units_choice
    n_study, n_repeats = (campaign.campaign_units.filter(purpose=p).count() for p in (Purpose.STUDY, Purpose.REPEAT))
    is_pair = campaign.protocol.unit == "pair"
    has_imported = is_pair and campaign.dataset.units.filter(imported=True).exists()
    how, per_pair = How.IMPORTED if has_imported else How.ALL if is_pair else How.EVERY, 4
    if campaign.is_open_ended:
        how, per_pair = How.SUBSET, 1  # where an arena begins; the others are made as people come
    initial = {
        "how": there.get("how") or how,
        "per_pair": there.get("per_pair") or per_pair,
        "repeat_share": round(100 * n_repeats / n_study) if n_study else 0,
        "pace": there.get("pace") or guessed_seconds(campaign.dataset, campaign.protocol),
    }
    return UnitsForm(
        request.POST or None,
        request.FILES or None,
        initial=initial,
        kind=campaign.protocol.unit,
        has_imported=has_imported,
        keeps_file=_keeps_file(campaign),
    )


def _choice(campaign: Campaign, form: UnitsForm) -> UnitsChoice | None:
    """What was chosen; None, with the errors in the form, where a file cannot be used."""
    data = form.cleaned_data
    systems = tuple(campaign.systems.values_list("pk", flat=True))
    choice = UnitsChoice(campaign.protocol.unit, data["how"], data.get("per_pair"), systems)
    if data["how"] != How.FILE or data["pairs"] is None:
        return choice
    try:
        pairs = tuple(find_pairs(campaign.dataset, data["pairs"], systems=systems))
    except InvalidTable as invalid:
        for fault in invalid.faults[:20]:
            form.add_error("pairs", fault)
        return None
    return UnitsChoice(choice.kind, choice.how, None, systems, pairs)


def _keeps_file(campaign: Campaign) -> bool:
    """Whether the units there are came from a file, and stay as long as there is no other."""
    return bool(campaign.units_choice.get("how") == How.FILE)


def _count(campaign: Campaign, form: UnitsForm, choice: UnitsChoice) -> int:
    if choice.how == How.FILE and form.cleaned_data["pairs"] is None:
        return campaign.campaign_units.filter(purpose=Purpose.STUDY).count()
    return count_units(campaign.dataset, choice)


def _there(campaign: Campaign, form: UnitsForm) -> Numbers | None:
    """The numbers of the units that were chosen before, or of what is proposed."""
    if n := campaign.campaign_units.filter(purpose=Purpose.STUDY).count():
        return _numbers(campaign, n, form.initial)
    systems = tuple(campaign.systems.values_list("pk", flat=True))
    proposed = UnitsChoice(campaign.protocol.unit, str(form.initial["how"]), form.initial["per_pair"], systems)
    n = count_units(campaign.dataset, proposed)
    return _numbers(campaign, n, form.initial) if n else None


def _numbers(campaign: Campaign, n: int, data: Mapping[str, Any]) -> Numbers:
    return Numbers(n, round(n * data["repeat_share"] / 100), campaign.answers_per_unit, data["pace"])


def _changed(
    request: AccountRequest, campaign: Campaign, choice: UnitsChoice, data: dict[str, Any], numbers: Numbers
) -> HttpResponse:
    if choice.how == How.FILE and not choice.pairs:
        study = campaign.campaign_units.filter(purpose=Purpose.STUDY).select_related("unit")
        chosen = [row.unit for row in study]
    else:
        chosen = units_chosen(campaign.dataset, choice)
    kept = {"how": choice.how, "per_pair": choice.per_pair, "pace": data["pace"]}
    try:
        traps = set_units(campaign, units=chosen, choice=kept, repeats=numbers.repeats)
    except NotADraft:
        return to_campaign(request, campaign)
    prepare_audio(campaign, user=request.user)
    _say_of_traps(request, traps)
    return to_next(request, campaign, "launch-units")


def _say_of_traps(request: AccountRequest, traps: KeptTraps) -> None:
    if not traps.dropped:
        return
    dropped = ngettext(
        "%(dropped)s spoken trap was dropped, since its unit is no longer one of the study; kept: %(kept)s.",
        "%(dropped)s spoken traps were dropped, since their units are no longer among those of the study; "
        "kept: %(kept)s.",
        traps.dropped,
    )
    messages.warning(request, dropped % {"dropped": traps.dropped, "kept": traps.kept})


def _page(request: AccountRequest, campaign: Campaign, form: UnitsForm, numbers: Numbers | None) -> HttpResponse:
    page = "campaigns/launch/_units_numbers.html" if request.htmx else "campaigns/launch/units.html"
    context = {
        "campaign": campaign,
        "form": form,
        "numbers": numbers,
        "is_pair": campaign.protocol.unit == "pair",
        "kind": KINDS.get(Unit.Kind(campaign.protocol.unit), ""),
        "keeps_file": _keeps_file(campaign),
        "n_traps": campaign.campaign_units.filter(purpose=Purpose.TRAP).count(),
    }
    status = 422 if form.is_bound and form.errors and not request.htmx else 200
    return render(request, page, context, status=status)
