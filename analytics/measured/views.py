from collections.abc import Callable
from pathlib import Path
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.measured.forms import (
    MAX_TABLE_BYTES,
    DeltaForm,
    LikelihoodsForm,
    MetricsForm,
    NumbersForm,
    ScoresForm,
    as_path,
)
from analytics.measured.table import likelihood_table, metric_lines, metric_table
from corpus.access import dataset_for, dataset_to_change, datasets_to_launch
from corpus.imports.files.rows import UnreadableManifest
from corpus.models import Dataset
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from infrastructure.files.upload_limits import takes_files
from infrastructure.templatetags.wording import refusal_text
from measurements.imported_tables import CheckedTable
from measurements.likelihood.nll import DELTA
from measurements.likelihood.tables import import_likelihoods
from measurements.metrics.contract import Axis
from measurements.metrics.registry import METRICS
from measurements.models import LikelihoodSequence
from measurements.scores.computing import start_metrics
from measurements.scores.jobs import metrics_job
from measurements.scores.tables import import_scores
from measurements.unit_numbers import import_numbers, number_names

MOST_PROBLEMS = 50
AXES = {
    Axis.TEXT: gettext_lazy("Translation quality (text)"),
    Axis.ASR: gettext_lazy("Translation quality (ASR)"),
    Axis.NATURALNESS: gettext_lazy("Audio naturalness"),
    Axis.SPEAKER: gettext_lazy("Speaker consistency"),
    Axis.PROSODY: gettext_lazy("Prosody and emotion"),
    Axis.ISOCHRONY: gettext_lazy("Isochrony"),
    Axis.LIPSYNC: gettext_lazy("Lip-sync"),
    Axis.ISOMETRY: gettext_lazy("Isometry and length"),
}


@require_safe
def metrics(request: AccountRequest, slug: str) -> HttpResponse:
    """The metrics that there are, those that can be computed here, and what they say of each system."""
    row = dataset_for(request.user, slug)
    page = "analytics/measured/_metrics.html" if request.htmx else "analytics/measured/metrics.html"
    return render(request, page, _context(request, row))


@require_POST
def metrics_compute(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request.user, slug)
    form = MetricsForm(
        request.POST, names=[metric.name for metric in METRICS.values() if not metric.is_imported_only]
    )
    if form.is_valid() and _started(form, row, request):
        return redirect("dataset-metrics", slug=slug)
    return render(request, "analytics/measured/metrics.html", _context(request, row) | {"form": form}, status=422)


@takes_files(most=MAX_TABLE_BYTES)
@require_POST
def metrics_import(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request.user, slug)
    form = ScoresForm(request.POST, request.FILES)
    if _imported(request, form, lambda path: import_scores(row, path)):
        return redirect("dataset-metrics", slug=slug)
    return render(
        request, "analytics/measured/metrics.html", _context(request, row) | {"scores_form": form}, status=422
    )


@takes_files(most=MAX_TABLE_BYTES)
@require_POST
def numbers_import(request: AccountRequest, slug: str) -> HttpResponse:
    """Numbers about units, for reports on bias and difficulty."""
    row = dataset_to_change(request.user, slug)
    form = NumbersForm(request.POST, request.FILES)

    def take(path: Path) -> CheckedTable[Any, Any]:
        return import_numbers(row, path, key=form.cleaned_data["key"], columns=form.cleaned_data["columns"])

    if _imported(request, form, take):
        return redirect("dataset-metrics", slug=slug)
    return render(
        request, "analytics/measured/metrics.html", _context(request, row) | {"numbers_form": form}, status=422
    )


@require_safe
def metrics_table(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_for(request.user, slug)
    return download(metric_lines(row), name=f"{slug}-metrics.csv", content_type=CSV)


@require_safe
def likelihoods(request: AccountRequest, slug: str) -> HttpResponse:
    """How often each model found the right one of two likelier, by kind of likelihood."""
    row = dataset_for(request.user, slug)
    page = "analytics/measured/_likelihoods.html" if request.htmx else "analytics/measured/likelihoods.html"
    return render(request, page, _likelihoods(request, row))


@takes_files(most=MAX_TABLE_BYTES)
@require_POST
def likelihoods_import(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request.user, slug)
    form = LikelihoodsForm(request.POST, request.FILES)
    if _imported(request, form, lambda path: import_likelihoods(row, path, user=request.user)):
        return redirect("dataset-likelihoods", slug=slug)
    context = _likelihoods(request, row) | {"likelihoods_form": form}
    return render(request, "analytics/measured/likelihoods.html", context, status=422)


def may_change(request: AccountRequest, row: Dataset) -> bool:
    return datasets_to_launch(request.user).filter(pk=row.pk).exists()


def _started(form: MetricsForm, row: Dataset, request: AccountRequest) -> bool:
    try:
        start_metrics(row, names=form.cleaned_data["names"], user=request.user)
    except ValueError as refusal:
        form.add_error(None, refusal_text(refusal))
    return not form.errors


def _imported(request: AccountRequest, form: forms.Form, take: Callable[[Path], CheckedTable[Any, Any]]) -> bool:
    """Whether all of an uploaded table was taken; what was wrong stands in the form."""
    if not form.is_valid():
        return False
    try:
        with as_path(form.cleaned_data["file"]) as path:
            checked = take(path)
    except UnreadableManifest as unreadable:
        form.add_error("file", str(unreadable))
        return False
    for problem in checked.problems[:MOST_PROBLEMS]:
        where = _("Row %(n)s: %(reason)s") % {"n": problem.row, "reason": problem.message}
        form.add_error("file", where if problem.row else problem.message)
    if checked.problems:
        return False
    message = _("%(new)s came in, %(known)s were there.") % {"new": checked.n_new, "known": checked.n_known}
    messages.success(request, message)
    if checked.n_left_out:
        text = ngettext(
            "%(n)s score is no number, and is left out.", "%(n)s scores are no numbers, and are left out.",
            checked.n_left_out,
        )  # fmt: skip
        messages.warning(request, text % {"n": checked.n_left_out})
    if checked.unused:
        messages.warning(
            request, _("Columns that are not used: %(columns)s.") % {"columns": ", ".join(checked.unused)}
        )
    return True


def _context(request: AccountRequest, row: Dataset) -> dict[str, object]:
    known = METRICS.values()
    return {
        "dataset": row,
        "may_change": may_change(request, row),
        "job": metrics_job(row),
        "axes": [(title, [metric for metric in known if metric.axis == axis]) for axis, title in AXES.items()],
        "form": MetricsForm(names=[]),
        "scores_form": ScoresForm(),
        "numbers_form": NumbersForm(),
        "numbers": number_names(row),
        "table": metric_table(row),
        "n_available": sum(not metric.is_imported_only for metric in known),
        "n_metrics": len(known),
    }


def _likelihoods(request: AccountRequest, row: Dataset) -> dict[str, object]:
    form = DeltaForm(request.GET if "delta" in request.GET else None, initial={"delta": DELTA})
    delta = form.cleaned_data["delta"] if form.is_valid() else DELTA
    kinds, rows = likelihood_table(row, delta=delta)
    return {
        "dataset": row,
        "may_change": may_change(request, row),
        "kinds": kinds,
        "rows": rows,
        "delta": delta,
        "form": form,
        "likelihoods_form": LikelihoodsForm(),
        "n_sequences": LikelihoodSequence.objects.filter(dataset=row).count(),
    }
