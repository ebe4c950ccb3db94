"""The first step: what is evaluated. It makes the draft, or changes it."""

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from campaigns.launch.edit import DropsUnits, NotADraft, set_systems
from campaigns.launch.forms import SystemsForm
from campaigns.launch.lifecycle import create_campaign
from campaigns.launch.views.drafts import draft_of, is_fixed, to_campaign, to_next
from campaigns.models import Campaign
from campaigns.protocol_composer.known_protocols import known_protocol
from corpus.access import datasets_for_campaigns
from corpus.models import Dataset
from infrastructure.whole_numbers import row_id
from protocols import SHIPPED, Protocol


@require_http_methods(["GET", "POST"])
def campaign_new(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    datasets = datasets_for_campaigns(request.user).order_by("-created_at")
    form = _form(request, datasets)
    if request.method == "POST" and not request.htmx and form.is_valid():
        data = form.cleaned_data
        campaign = create_campaign(
            data["dataset"],
            title=data["title"],
            protocol=_protocol(request),
            units=[],
            user=request.user,
        )
        set_systems(campaign, **data)
        return redirect("launch-protocol", campaign.slug)
    return _page(request, form, None)


@require_http_methods(["GET", "POST"])
def systems(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = draft_of(request, slug)
    if is_fixed(campaign):
        return to_campaign(request, campaign)
    form = _form(request, datasets_for_campaigns(request.user).order_by("-created_at"), campaign)
    if request.method == "POST" and not request.htmx and form.is_valid():
        return _changed(request, campaign, form)
    return _page(request, form, campaign)


def _changed(request: AccountRequest, campaign: Campaign, form: SystemsForm) -> HttpResponse:
    had_units = campaign.campaign_units.exists()
    try:
        if set_systems(campaign, **form.cleaned_data, may_drop="drop" in request.POST) and had_units:
            messages.warning(request, _("The units were of other systems: choose the units again."))
    except DropsUnits as drops:
        return _page(request, form, campaign, n_dropped=drops.n)
    except NotADraft:
        return to_campaign(request, campaign)
    return to_next(request, campaign, "launch-systems")


def _form(request: AccountRequest, datasets: QuerySet[Dataset], campaign: Campaign | None = None) -> SystemsForm:
    """The form over the dataset that was chosen, by this page or the link to it; else over the newest."""
    asked = (request.POST if request.method == "POST" else request.GET).get("dataset", "")
    dataset = datasets.filter(pk=row_id(asked)).first()
    dataset = dataset or (campaign.dataset if campaign else datasets.first())
    if request.method == "POST" and not request.htmx:
        return SystemsForm(request.POST, datasets=datasets, dataset=dataset)
    chosen = list(campaign.systems.all()) if campaign and campaign.dataset == dataset else []
    initial = {
        "title": campaign.title if campaign else "",
        "dataset": dataset,
        "systems": chosen or (list(dataset.systems.all()) if dataset else []),
    }
    return SystemsForm(initial=initial, datasets=datasets, dataset=dataset)


def _protocol(request: AccountRequest) -> Protocol:
    """What the link to this page named, to begin with; the next step asks."""
    known = known_protocol(request.GET.get("protocol", ""))
    return known.protocol if known else SHIPPED["hcot"]


def _page(
    request: AccountRequest, form: SystemsForm, campaign: Campaign | None, *, n_dropped: int = 0
) -> HttpResponse:
    page = "campaigns/launch/_systems.html" if request.htmx else "campaigns/launch/systems.html"
    status = 422 if n_dropped or (form.is_bound and form.errors) else 200
    return render(request, page, {"form": form, "campaign": campaign, "n_dropped": n_dropped}, status=status)
