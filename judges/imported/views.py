from uuid import UUID

from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.requests import AccountRequest
from campaigns.access import Right, campaign_for, require_names_shown
from campaigns.audit_log import record_download
from campaigns.models import Campaign
from corpus.imports.files.rows import UnreadableManifest
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import send_lines
from infrastructure.files.upload_limits import takes_files
from infrastructure.templatetags.wording import refusal_text
from judges.imported.columns import KNOWN_COLUMNS, UnusableColumns
from judges.imported.forms import MAX_BYTES, VerdictsForm
from judges.imported.template import verdict_template
from judges.imported.uploads import ImportRefused, begin_verdict_import, cancel_verdict_import, job_of
from judges.models import Run, VerdictImport


@takes_files(most=MAX_BYTES)
@require_http_methods(["GET", "POST"])
def verdicts_import(request: AccountRequest, slug: str) -> HttpResponse:
    """Upload a table of verdicts; a job takes it in, and nothing is written while a row is at fault."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    form = VerdictsForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        maps = form.cleaned_data["map_columns"]
        try:
            row = begin_verdict_import(
                campaign, form.cleaned_data["file"], options=form.options, user=request.user, is_mapped_later=maps
            )
        except (UnreadableManifest, UnusableColumns, ImportRefused) as refusal:
            form.add_error(None, refusal_text(refusal))
        else:
            return redirect("verdict-import-columns", campaign.slug, row.pk) if maps else redirect(row)
    context = {
        "campaign": campaign,
        "form": form,
        "imports": campaign.verdict_imports.select_related("created_by")[:5],
        "columns": {part: ", ".join(names) for part, names in KNOWN_COLUMNS.items()},
    }
    return render(request, "judges/imported/verdicts_import.html", context, status=422 if form.errors else 200)


@require_safe
def verdict_import(request: AccountRequest, slug: str, pk: UUID) -> HttpResponse:
    """How far an import of verdicts is, and what it brought or what is wrong with its table."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    page = "judges/imported/_verdict_import.html" if request.htmx else "judges/imported/verdict_import.html"
    return render(request, page, _about(campaign, import_of(campaign, pk)))


@require_POST
def verdict_import_cancel(request: AccountRequest, slug: str, pk: UUID) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    row = import_of(campaign, pk)
    try:
        cancel_verdict_import(row)
    except ImportRefused as refusal:
        context = _about(campaign, row) | {"refusal": refusal_text(refusal)}
        return render(request, "judges/imported/verdict_import.html", context, status=409)
    return redirect(row)


@require_safe
def verdict_import_template(request: AccountRequest, slug: str) -> StreamingHttpResponse:
    """The campaign's units as a table into which verdicts are filled. Keys of units name their systems."""
    campaign = campaign_for(request.user, slug, Right.MANAGE)
    require_names_shown(campaign)
    record_download(campaign, "verdicts/import/template.csv", by=request.user)
    return send_lines(request, verdict_template(campaign), name=f"{slug}-verdicts.csv", content_type=CSV)


def import_of(campaign: Campaign, pk: UUID) -> VerdictImport:
    if (row := campaign.verdict_imports.filter(pk=pk).first()) is None:
        raise Http404("There is no such import of verdicts into this campaign.")
    row.campaign = campaign
    return row


def _about(campaign: Campaign, row: VerdictImport) -> dict[str, object]:
    runs = Run.objects.filter(pk__in=row.report.get("runs", [])).select_related("judge").order_by("pk")
    return {"campaign": campaign, "import": row, "job": job_of(row), "runs": runs}
