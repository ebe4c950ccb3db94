from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.requests import AccountRequest
from analytics.measured.forms import NamesForm
from analytics.measured.identity_leaks import found_in, silent_pair_lines
from analytics.measured.views import may_change
from corpus.access import dataset_for, dataset_to_change
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import download
from measurements.identity_leaks.scans import proposed_names, scan_job, start_scan


@require_safe
def identity(request: AccountRequest, slug: str) -> HttpResponse:
    """Which responses name their system. For staff; annotators have no way here."""
    row = dataset_for(request.user, slug)
    page = "analytics/measured/_identity.html" if request.htmx else "analytics/measured/identity.html"
    context = {
        "dataset": row,
        "may_change": may_change(request, row),
        "job": scan_job(row),
        "found": found_in(row),
        "form": NamesForm(initial={"names": "\n".join(proposed_names(row))}),
    }
    return render(request, page, context)


@require_POST
def identity_scan(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_to_change(request.user, slug)
    form = NamesForm(request.POST)
    if form.is_valid():
        start_scan(row, names=form.cleaned_data["names"], user=request.user)
    return redirect("dataset-identity", slug=slug)


@require_safe
def identity_pairs(request: AccountRequest, slug: str) -> HttpResponse:
    row = dataset_for(request.user, slug)
    return download(silent_pair_lines(row), name=f"{slug}-pairs-without-names.csv", content_type=CSV)
