from typing import Any
from uuid import UUID

from django.db.models import Count, Q
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from campaigns.access import dataset_for, datasets_for, datasets_to_launch, require_account, require_launcher
from campaigns.clips.faulty import faulty_clips
from campaigns.clips.storage import CONTENT_TYPES, clip_of_item
from campaigns.imports.choice_forms import ChoicesAfterCheckForm
from campaigns.imports.forms import ImportForm
from campaigns.imports.manifest.choices import Choices
from campaigns.imports.uploads import ImportRefused, begin_import, choose, confirm_import, current_job
from campaigns.models import Dataset, Import, Item, ResponseTurn
from infrastructure.byte_ranges import private_file


@require_safe
def datasets(request: AccountRequest) -> HttpResponse:
    require_account(request.user)
    rows = datasets_for(request.user).order_by("name")
    counted = rows.annotate(n_items=Count("items", distinct=True), n_systems=Count("systems", distinct=True))
    return render(request, "campaigns/datasets.html", {"datasets": counted})


@require_safe
def dataset(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_for(request.user, slug)
    systems = row.systems.annotate(
        n_responses=Count("responses", distinct=True),
        n_with_audio=Count("responses", filter=Q(responses__turns__clip__isnull=False), distinct=True),
    )
    context = {
        "dataset": row,
        "systems": systems,
        "n_items": row.items.count(),
        "n_units": row.units.filter(imported=True).count(),
        "categories": row.items.values("category").annotate(n=Count("pk")).order_by("category"),
        "label_sets": row.label_sets.annotate(n_units=Count("labels__unit", distinct=True)),
        "may_launch_here": request.user.may_launch and datasets_to_launch(request.user).filter(pk=row.pk).exists(),
        "faulty_clips": faulty_clips(row),
        "items": row.items.order_by("pk")[:200],
    }
    return render(request, "campaigns/dataset.html", context)


@require_safe
def item(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """An item with every answer to it, for those who may know who speaks."""
    row = _item(dataset_for(request.user, slug), pk)
    said = ResponseTurn.objects.filter(response__item=row).select_related("clip", "response__system")
    turns = row.turns.select_related("clip")
    context = {"item": row, "turns": turns, "said": said.order_by("response__system__name", "position")}
    return render(request, "campaigns/item.html", context)


@require_safe
def item_clip(request: AccountRequest, slug: str, pk: int, clip: int) -> HttpResponseBase:
    """An original recording, as it was imported."""
    row = _item(dataset_for(request.user, slug), pk)
    if (file := clip_of_item(row, clip)) is None:
        raise Http404("This item has no such clip.")
    return private_file(request, file.path, size=file.bytes, content_type=CONTENT_TYPES[file.container])


@require_http_methods(["GET", "POST"])
def import_new(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    form = ImportForm(request.POST or None, request.FILES or None, initial=request.GET.dict())
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        row = begin_import(user=request.user, **data)
        return redirect(row)
    return render(request, "campaigns/import_new.html", {"form": form})


@require_safe
def import_(request: AccountRequest, pk: UUID) -> HttpResponse:
    row = _import(request, pk)
    page = "campaigns/_import.html" if request.htmx else "campaigns/import.html"
    return render(request, page, _shown(row))


@require_POST
def import_confirm(request: AccountRequest, pk: UUID) -> HttpResponse:
    row = _import(request, pk)
    try:
        confirm_import(row, user=request.user)
    except ImportRefused as refusal:
        return render(request, "campaigns/import.html", _shown(row) | {"refusal": str(refusal)}, status=409)
    return redirect(row)


@require_POST
def import_choices(request: AccountRequest, pk: UUID) -> HttpResponse:
    """Have the file checked again, read as was chosen."""
    row = _import(request, pk)
    form = _choices_form(row, request.POST)
    if not form.is_valid():
        return render(request, "campaigns/import.html", _shown(row) | {"form": form}, status=422)
    try:
        choose(row, choices=form.choices(), user=request.user)
    except ImportRefused as refusal:
        return render(request, "campaigns/import.html", _shown(row) | {"refusal": str(refusal)}, status=409)
    return redirect(row)


def _shown(row: Import) -> dict[str, Any]:
    return {"import": row, "job": current_job(row), "form": _choices_form(row)}


def _choices_form(row: Import, data: Any = None) -> ChoicesAfterCheckForm:
    return ChoicesAfterCheckForm(data, found=row.report.get("to_choose", {}), chosen=Choices.from_json(row.choices))


def _import(request: AccountRequest, pk: UUID) -> Import:
    mine = Import.objects.select_related("dataset")
    mine = mine if request.user.is_superuser else mine.filter(created_by=request.user)
    if (row := mine.filter(pk=pk).first()) is None:
        raise Http404("There is no such import among yours.")
    return row


def _item(row: Dataset, pk: int) -> Item:
    if (found := row.items.filter(pk=pk).first()) is None:
        raise Http404("This dataset has no such item.")
    return found
