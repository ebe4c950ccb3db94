from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from accounts.people.rights import require_account
from accounts.requests import AccountRequest
from corpus.access import dataset_for, datasets_for, datasets_for_campaigns
from corpus.clips.storage import CONTENT_TYPES, clip_of_item
from corpus.datasets.describing import describe_dataset, may_describe
from corpus.datasets.figures_shown import document_of, faults_shown, measures_shown, systems_shown
from corpus.datasets.forms import LICENCES, AboutForm, ItemsForm
from corpus.datasets.items_table import items_wanted, rows_of, warning_counts
from corpus.imports.under_way import imports_into
from corpus.models import Dataset, Item, ResponseTurn
from infrastructure.files.byte_ranges import private_file


@require_safe
def datasets(request: AccountRequest) -> HttpResponse:
    require_account(request.user)
    archived = bool(request.GET.get("archived"))
    found = datasets_for(request.user)
    rows = found.filter(archived_at__isnull=not archived).order_by("name")
    counted = rows.annotate(n_items=Count("items", distinct=True), n_systems=Count("systems", distinct=True))
    adding = imports_into(counted)
    context = {
        "datasets": [(row, adding.get(row.pk, [])) for row in counted],
        "archived": archived,
        "n_archived": found.filter(archived_at__isnull=False).count(),
    }
    return render(request, "corpus/datasets/datasets.html", context)


@require_safe
def dataset(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_for(request.user, slug)
    systems = list(
        row.systems.annotate(
            n_responses=Count("responses", distinct=True),
            n_with_audio=Count("responses", filter=Q(responses__turns__clip__isnull=False), distinct=True),
        )
    )
    document, counted = document_of(row), warning_counts(row)
    context = {
        "dataset": row,
        "may_describe": may_describe(row, request.user),
        "systems": systems_shown(systems, document, counted),
        "measures": measures_shown(document),
        "hours": document.get("seconds", 0) / 3600,
        "faults": faults_shown(systems, counted),
        "n_items": row.items.count(),
        "n_units": row.units.filter(imported=True).count(),
        "categories": row.items.values("category").annotate(n=Count("pk")).order_by("category"),
        "label_sets": row.label_sets.annotate(n_units=Count("annotations")),
        "may_launch_here": request.user.may_launch
        and datasets_for_campaigns(request.user).filter(pk=row.pk).exists(),
        "adding": imports_into([row]).get(row.pk, []),
        "versions": row.versions.select_related("made_by", "upload").order_by("-number"),
    }
    return render(request, "corpus/datasets/dataset.html", context)


@require_http_methods(["GET", "POST"])
def about(request: AccountRequest, slug: str) -> HttpResponse:
    """What its owner says of the dataset."""
    row = dataset_for(request.user, slug)
    if not may_describe(row, request.user):
        raise PermissionDenied
    initial = {"description": row.description, "licence": row.licence, "source": row.source, "owner": row.created_by}
    form = AboutForm(request.POST or None, initial=initial, owner=row.created_by)
    if form.is_valid():
        describe_dataset(row, **form.cleaned_data, by=request.user)
        messages.success(request, _("Saved."))
        seen = datasets_for(request.user).filter(pk=row.pk).exists()
        return redirect(row) if seen else redirect("datasets")
    context = {"dataset": row, "form": form, "licences": LICENCES}
    return render(request, "corpus/datasets/dataset_about.html", context, status=422 if form.errors else 200)


@require_safe
def items(request: AccountRequest, slug: str) -> HttpResponse:
    """The table of items; the address has all of its state."""
    row = dataset_for(request.user, slug)
    form = ItemsForm(request.GET, dataset=row)
    wanted, systems = form.wanted, list(row.systems.all())
    page = Paginator(items_wanted(row, wanted), form.rows_per_page).get_page(request.GET.get("page"))
    context = {
        "dataset": row,
        "form": form,
        "wanted": wanted,
        "page": page,
        "rows": rows_of(page.object_list, [wanted.system] if wanted.system else systems),
        "n_items": row.items.count(),
    }
    return render(request, "corpus/datasets/_items.html" if request.htmx else "corpus/datasets/items.html", context)


@require_safe
def item(request: AccountRequest, slug: str, pk: int) -> HttpResponse:
    """An item with every answer to it, for those who may know who speaks."""
    row = _item(dataset_for(request.user, slug), pk)
    said = ResponseTurn.objects.filter(response__item=row).select_related("clip", "response__system")
    turns = row.turns.select_related("clip")
    context = {"item": row, "turns": turns, "said": said.order_by("response__system__name", "position")}
    return render(request, "corpus/datasets/item.html", context)


@require_safe
def item_clip(request: AccountRequest, slug: str, pk: int, clip: int) -> HttpResponseBase:
    """An original recording, as it was imported."""
    row = _item(dataset_for(request.user, slug), pk)
    if (file := clip_of_item(row, clip)) is None:
        raise Http404("This item has no such clip.")
    return private_file(request, file.path, size=file.bytes, content_type=CONTENT_TYPES[file.container])


def _item(row: Dataset, pk: int) -> Item:
    if (found := row.items.filter(pk=pk).first()) is None:
        raise Http404("This dataset has no such item.")
    return found
