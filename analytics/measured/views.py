from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.measured.forms import DeltaForm, LikelihoodsForm, MetricsForm, ScoresForm, as_path
from analytics.measured.table import likelihood_table, metric_lines, metric_table
from campaigns.access import dataset_for, datasets_to_launch
from campaigns.imports.plan import Problem
from campaigns.imports.rows import UnreadableManifest
from campaigns.models import Dataset
from measurements.likelihood.nll import DELTA
from measurements.likelihood.tables import import_likelihoods
from measurements.metrics.contract import Axis, Metric
from measurements.metrics.models import why_unavailable
from measurements.metrics.registry import METRICS
from measurements.models import LikelihoodSequence
from measurements.scores.computing import metrics_job, model_places, start_metrics
from measurements.scores.tables import import_scores

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


class Imported(Protocol):
    @property
    def n_new(self) -> int: ...
    @property
    def n_known(self) -> int: ...
    @property
    def problems(self) -> list[Problem]: ...


@require_safe
def metrics(request: AccountRequest, slug: str) -> HttpResponse:
    """The metrics that there are, those that can be computed here, and what they say of each system."""
    row = dataset_for(request.user, slug)
    page = "analytics/_metrics.html" if request.htmx else "analytics/metrics.html"
    return render(request, page, _context(request, row))


@require_POST
def metrics_compute(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request, slug)
    form = MetricsForm(request.POST, names=[metric.name for metric, reason in _known() if not reason])
    if form.is_valid() and _started(form, row, request):
        return redirect("dataset-metrics", slug=slug)
    return render(request, "analytics/metrics.html", _context(request, row) | {"form": form}, status=422)


@require_POST
def metrics_import(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request, slug)
    form = ScoresForm(request.POST, request.FILES)
    if _imported(request, form, lambda path: import_scores(row, path)):
        return redirect("dataset-metrics", slug=slug)
    return render(request, "analytics/metrics.html", _context(request, row) | {"scores_form": form}, status=422)


@require_safe
def metrics_table(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_for(request.user, slug)
    return csv_download(metric_lines(row), f"{slug}-metrics.csv")


@require_safe
def likelihoods(request: AccountRequest, slug: str) -> HttpResponse:
    """How often each model found the right one of two likelier, by kind of likelihood."""
    row = dataset_for(request.user, slug)
    page = "analytics/_likelihoods.html" if request.htmx else "analytics/likelihoods.html"
    return render(request, page, _likelihoods(request, row))


@require_POST
def likelihoods_import(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request, slug)
    form = LikelihoodsForm(request.POST, request.FILES)
    if _imported(request, form, lambda path: import_likelihoods(row, path, user=request.user)):
        return redirect("dataset-likelihoods", slug=slug)
    context = _likelihoods(request, row) | {"likelihoods_form": form}
    return render(request, "analytics/likelihoods.html", context, status=422)


def dataset_to_change(request: AccountRequest, slug: str) -> Dataset:
    """Raises Http404 for those who may not see it, PermissionDenied for those who may see it only."""
    row = dataset_for(request.user, slug)
    if not datasets_to_launch(request.user).filter(pk=row.pk).exists():
        raise PermissionDenied(_("Only who owns a dataset, or manages a campaign over it, may do this."))
    return row


def may_change(request: AccountRequest, row: Dataset) -> bool:
    return datasets_to_launch(request.user).filter(pk=row.pk).exists()


def csv_download(lines: Iterator[str], name: str) -> HttpResponse:
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _known() -> list[tuple[Metric, str]]:
    """Every metric, and why it cannot be computed here."""
    places = model_places()
    return [(metric, why_unavailable(metric, places)) for metric in METRICS.values()]


def _started(form: MetricsForm, row: Dataset, request: AccountRequest) -> bool:
    try:
        start_metrics(row, names=form.cleaned_data["names"], user=request.user)
    except ValueError as refusal:
        form.add_error(None, str(refusal))
    return not form.errors


def _imported(request: AccountRequest, form: forms.Form, take: Callable[[Path], Imported]) -> bool:
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
    told = _("%(new)s came in, %(known)s were there.") % {"new": checked.n_new, "known": checked.n_known}
    messages.success(request, told)
    return True


def _context(request: AccountRequest, row: Dataset) -> dict[str, object]:
    known = _known()
    by_axis = [(title, [(m, why) for m, why in known if m.axis == axis]) for axis, title in AXES.items()]
    return {
        "dataset": row,
        "may_change": may_change(request, row),
        "job": metrics_job(row),
        "axes": by_axis,
        "form": MetricsForm(names=[]),
        "scores_form": ScoresForm(),
        "table": metric_table(row),
        "n_available": sum(not why for _, why in known),
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
