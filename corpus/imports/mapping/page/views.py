"""The page on which the columns of a foreign table are mapped, and the recipes that come of it."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from corpus.imports.files.progress import rows_at_most
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.manifest.templates import MANIFESTS
from corpus.imports.mapping.guessing.guess import guess_mapping
from corpus.imports.mapping.guessing.profile import Profile
from corpus.imports.mapping.mapping import MAX_NAME, PSEUDONYMS, SHAPES, TableMapping, UnusableMapping
from corpus.imports.mapping.page.forms import (
    SHAPE_CHOICES,
    RecipeFileForm,
    RecipeNameForm,
    fixed_lines,
    groups_by_shape,
    lines_of,
    posted_mapping,
)
from corpus.imports.mapping.page.preview import StoredTable, preview, stored_table, takes_long
from corpus.imports.mapping.page.recipes import (
    MAX_RECIPE_BYTES,
    RecipeRefused,
    as_file,
    delete_recipe,
    is_name,
    keep_recipe,
    read_recipe,
    recipes_for,
    recipes_of,
    rename_recipe,
)
from corpus.imports.queries import import_of
from corpus.imports.uploads.actions import ImportRefused, map_columns
from corpus.models import Dataset, Import, ImportRecipe
from infrastructure.files.csv_files import csv_line
from infrastructure.files.downloads import download
from infrastructure.files.upload_limits import takes_files
from infrastructure.templatetags.wording import refusal_text
from infrastructure.whole_numbers import whole_number


@require_http_methods(["GET", "POST"])
def import_columns(request: AccountRequest, pk: UUID) -> HttpResponse:
    """What each column becomes, with what comes of it; checked when that is asked for."""
    row = import_of(request.user, pk)
    try:
        return _columns(request, row)
    except (FileNotFoundError, UnreadableManifest):  # the upload is gone, at this moment perhaps
        return redirect(row)


def _columns(request: AccountRequest, row: Import) -> HttpResponse:
    """Raises FileNotFoundError, UnreadableManifest."""
    if is_to_be_read(request, row.folder, row.manifest_path):
        return reading_page(request, row.manifest_path, name=row.manifest_name)
    table = stored_table(row.folder, row.manifest_path)
    profile, dataset = table.profile, Dataset.objects.filter(name=row.dataset_name).first()
    systems = set(dataset.systems.values_list("name", flat=True)) if dataset else None
    if request.method == "GET":
        return _page(request, row, table, _first_mapping(request, row, table, systems), dataset, systems)
    mapping = posted_mapping(request.POST, profile, systems)
    if "check" not in request.POST or mapping.faults(profile.names):
        return _page(request, row, table, mapping, dataset, systems)
    name = request.POST.get("recipe", "").strip()
    if name and not is_name(name):
        refused = _("A recipe needs a name of at most %(n)s characters.") % {"n": MAX_NAME}
        return _page(request, row, table, mapping, dataset, systems, refusal=refused)
    try:
        map_columns(row, mapping=mapping, user=request.user)
    except ImportRefused as refusal:
        return _page(request, row, table, mapping, dataset, systems, refusal=refusal_text(refusal))
    if name:
        keep_recipe(user=request.user, name=name, columns=profile.names, mapping=mapping)
    return redirect(row)


def is_to_be_read(request: AccountRequest, folder: Path, file: Path) -> bool:
    """Whether a page says first that a large table is read. Raises FileNotFoundError."""
    return request.method == "GET" and "read" not in request.GET and takes_long(folder, file)


def reading_page(request: AccountRequest, file: Path, *, name: str) -> HttpResponse:
    """What is being done, while the browser asks for the page itself."""
    query = request.GET.copy()
    query["read"] = "1"
    shown = {"file": name, "rows": rows_at_most(file), "address": f"{request.path}?{query.urlencode()}"}
    return render(request, "corpus/import_reading.html", shown)


def _first_mapping(
    request: AccountRequest, row: Import, table: StoredTable, systems: set[str] | None
) -> TableMapping:
    """A chosen recipe; what was mapped before; the latest recipe for these columns; that of its tool; or a guess."""
    return _chosen(request, row, table, systems).with_raters_of(table.mapping)


def _chosen(request: AccountRequest, row: Import, table: StoredTable, systems: set[str] | None) -> TableMapping:
    profile = table.profile
    offered = recipes_for(request.user, profile.names, SHAPES)
    if (asked := whole_number(request.GET.get("recipe", ""))) is not None:
        return TableMapping.from_json(get_object_or_404(recipes_of(request.user), pk=asked).mapping)
    if row.choices.get("mapping"):
        return TableMapping.from_json(row.choices["mapping"])
    if "guess" not in request.GET and (latest := offered.first()):
        return TableMapping.from_json(latest.mapping)
    return table.mapping or guess_mapping(profile, systems=systems or ())


def _page(
    request: AccountRequest,
    row: Import,
    table: StoredTable,
    mapping: TableMapping,
    dataset: Dataset | None,
    systems: set[str] | None,
    *,
    refusal: str = "",
) -> HttpResponse:
    profile = table.profile
    shown: dict[str, Any] = {
        "import": row,
        "action": reverse("import-columns", args=[row.pk]),
        "into": row.dataset_name,
        "file": row.manifest_name,
        "dataset": dataset,
        "profile": profile,
        "mapping": mapping,
        "lines": lines_of(mapping, profile, systems),
        "left_out": table.left_out,
        "fixed": fixed_lines(mapping),
        "are_pseudonyms": mapping.raters == PSEUDONYMS,
        "preview": (
            outcome := preview(
                table, mapping, dataset=dataset, count="count" in request.POST, without_audio=row.without_audio
            )
        ),
        "needed": [(place_of(profile, column), why) for column, why in outcome.faults],
    }
    if request.htmx:
        return render(request, "corpus/imports/_import_mapped.html", shown)
    offered = list(recipes_for(request.user, profile.names, SHAPES))
    same = next((recipe for recipe in offered if recipe.mapping == mapping.as_json()), None)
    shown |= {
        "groups": groups_by_shape(), "shapes": SHAPE_CHOICES, "recipes": offered, "used": same, "refusal": refusal,
        "recipe_name": request.POST.get("recipe", ""),
    }  # fmt: skip
    return render(request, "corpus/imports/import_columns.html", shown, status=409 if refusal else 200)


def place_of(profile: Profile, column: str) -> str:
    """Where on the page it is chosen what the column becomes; the first column where it is about none of them."""
    return f"becomes-{profile.names.index(column) if column in profile.names else 0}"


@takes_files(most=MAX_RECIPE_BYTES)
@require_http_methods(["GET", "POST"])
def recipes(request: AccountRequest) -> HttpResponse:
    """The user's recipes; one that was downloaded can be uploaded."""
    require_launcher(request.user)
    form = RecipeFileForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        try:
            name, columns, mapping = read_recipe(form.cleaned_data["file"].read(MAX_RECIPE_BYTES + 1))
        except UnusableMapping as unusable:
            form.add_error("file", refusal_text(unusable))
        else:
            keep_recipe(user=request.user, name=name, columns=columns, mapping=mapping)
            return redirect("import-recipes")
    shown = {"recipes": recipes_of(request.user), "form": form}
    return render(request, "corpus/imports/import_recipes.html", shown, status=422 if form.errors else 200)


@require_safe
def recipe_file(request: AccountRequest, pk: int) -> HttpResponse:
    recipe = _recipe(request, pk)
    text = json.dumps(as_file(recipe), ensure_ascii=False, indent=2)
    name = slugify(recipe.name) or "recipe"
    return download(text, name=f"{name}.json", content_type="application/json")


@require_POST
def recipe_rename(request: AccountRequest, pk: int) -> HttpResponse:
    recipe, form = _recipe(request, pk), RecipeNameForm(request.POST)
    if form.is_valid():
        try:
            rename_recipe(recipe, name=form.cleaned_data["name"])
        except RecipeRefused as refusal:
            messages.error(request, refusal_text(refusal))
    else:
        messages.error(request, _("A recipe needs a name of at most %(n)s characters.") % {"n": MAX_NAME})
    return redirect("import-recipes")


@require_POST
def recipe_delete(request: AccountRequest, pk: int) -> HttpResponse:
    delete_recipe(_recipe(request, pk))
    return redirect("import-recipes")


@require_safe
def import_template(request: AccountRequest, name: str) -> HttpResponse:
    """A manifest to fill in, with a worked example."""
    require_launcher(request.user)
    if name not in MANIFESTS:
        raise Http404("There is no such template.")
    text = "".join(csv_line(line) for line in MANIFESTS[name])
    return download(text, name=f"{name}.csv", content_type="text/csv; charset=utf-8")


def _recipe(request: AccountRequest, pk: int) -> ImportRecipe:
    return get_object_or_404(recipes_of(request.user), pk=pk)
