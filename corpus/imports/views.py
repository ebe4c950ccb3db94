from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.people.rights import require_launcher
from accounts.requests import AccountRequest
from corpus.imports.choice_forms import ChoicesAfterCheckForm
from corpus.imports.files.archives import ZipGone
from corpus.imports.forms import ImportForm, most_import_bytes
from corpus.imports.manifest.choices import Choices
from corpus.imports.manifest.templates import MANIFESTS
from corpus.imports.mapping.checking import is_foreign
from corpus.imports.queries import import_of, imports_of
from corpus.imports.tools.registry import tool_of
from corpus.imports.uploads.actions import (
    ImportRefused,
    begin_import,
    cancel_checking,
    choose,
    confirm_import,
    current_job,
)
from corpus.imports.writing import ArchivedDataset
from corpus.models import Import
from infrastructure.files.upload_limits import takes_files
from infrastructure.templatetags.wording import refusal_text

PER_PAGE = 50


@require_safe
def imports(request: AccountRequest) -> HttpResponse:
    """The uploads of this person, newest first; an administrator's page has everybody's."""
    require_launcher(request.user)
    archived, found = bool(request.GET.get("archived")), imports_of(request.user)
    rows = found.filter(archived_at__isnull=not archived)
    context = {
        "page": Paginator(rows, PER_PAGE).get_page(request.GET.get("page")),
        "archived": archived,
        "n_archived": found.filter(archived_at__isnull=False).count(),
    }
    return render(request, "corpus/imports/imports.html", context)


@takes_files(most=most_import_bytes)
@require_http_methods(["GET", "POST"])
def import_new(request: AccountRequest) -> HttpResponse:
    require_launcher(request.user)
    form = ImportForm(
        request.POST or None, request.FILES or None, initial=request.GET.dict(), refused=imports_of(request.user)
    )
    if request.method == "POST" and form.is_valid():
        data = form.cleaned_data
        by_hand = data.pop("map_columns")
        try:
            row = begin_import(user=request.user, **data)
        except ArchivedDataset as refusal:
            form.add_error("dataset_name", refusal_text(refusal))
        except ZipGone as refusal:
            form.add_error("archive", refusal_text(refusal))
        else:
            return redirect("import-columns", row.pk) if by_hand or _needs_mapping(row) else redirect(row)
    return render(request, "corpus/imports/import_new.html", {"form": form, "manifests": MANIFESTS})


def _needs_mapping(row: Import) -> bool:
    with row.manifest_path.open("rb") as file:
        is_of_tool = tool_of(file) is not None
    return not is_of_tool and is_foreign(row.manifest_path)


@require_safe
def import_(request: AccountRequest, pk: UUID) -> HttpResponse:
    row = import_of(request.user, pk)
    page = "corpus/imports/_import.html" if request.htmx else "corpus/imports/import.html"
    return render(request, page, _shown(row))


@require_POST
def import_confirm(request: AccountRequest, pk: UUID) -> HttpResponse:
    row = import_of(request.user, pk)
    try:
        confirm_import(row, user=request.user)
    except ImportRefused as refusal:
        return render(
            request, "corpus/imports/import.html", _shown(row) | {"refusal": refusal_text(refusal)}, status=409
        )
    return redirect(row)


@require_POST
def import_cancel(request: AccountRequest, pk: UUID) -> HttpResponse:
    """End its check."""
    row = import_of(request.user, pk)
    try:
        cancel_checking(row, user=request.user)
    except ImportRefused as refusal:
        shown = _shown(row) | {"refusal": refusal_text(refusal)}
        return render(request, "corpus/imports/import.html", shown, status=409)
    return redirect(row)


@require_POST
def import_choices(request: AccountRequest, pk: UUID) -> HttpResponse:
    """Have the file checked again, read as was chosen."""
    row = import_of(request.user, pk)
    form = _choices_form(row, request.POST)
    if not form.is_valid():
        return render(request, "corpus/imports/import.html", _shown(row) | {"form": form}, status=422)
    try:
        choose(row, choices=form.choices(), user=request.user)
    except ImportRefused as refusal:
        return render(
            request, "corpus/imports/import.html", _shown(row) | {"refusal": refusal_text(refusal)}, status=409
        )
    return redirect(row)


def _shown(row: Import) -> dict[str, Any]:
    return {"import": row, "job": current_job(row), "form": _choices_form(row)}


def _choices_form(row: Import, data: Any = None) -> ChoicesAfterCheckForm:
    return ChoicesAfterCheckForm(data, found=row.report.get("to_choose", {}), chosen=Choices.from_json(row.choices))
