from collections.abc import Iterator

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.exports import tidy_lines, trace_lines
from analytics.labelled import campaign_labels, imported_labels, label_counts
from campaigns.access import Right, campaign_for, datasets_for
from campaigns.models import LabelSet


@require_safe
def label_set(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    counts = label_counts(labels)
    values = [v for v in ("a", "b", "both_good", "both_bad", "tie") if any(c[v] for c in counts.values())]
    rows = [(aspect, [(v, count[v]) for v in values], count.total()) for aspect, count in counts.items()]
    return render(request, "analytics/label_set.html", {"label_set": labels, "values": values, "rows": rows})


@require_safe
def label_set_trace(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    return _download(trace_lines(imported_labels(labels)), f"label-set-{pk}.jsonl", "application/jsonl")


@require_safe
def label_set_tidy(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    lines = tidy_lines(imported_labels(labels), campaign=str(labels), protocol="", digest="")
    return _download(lines, f"label-set-{pk}.csv", "text/csv")


@require_safe
def campaign_trace(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    if campaign.protocol.unit != "pair":
        raise Http404("Only labels of pairs have the TRACE shape; take the CSV.")
    return _download(trace_lines(campaign_labels(campaign)), f"{slug}.jsonl", "application/jsonl")


@require_safe
def campaign_tidy(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    lines = tidy_lines(
        campaign_labels(campaign),
        campaign=campaign.slug,
        protocol=f"{campaign.protocol.name} {campaign.protocol.version}",
        digest=campaign.protocol_digest,
    )
    return _download(lines, f"{slug}.csv", "text/csv")


def _label_set(request: AccountRequest, pk: int) -> LabelSet:
    found = LabelSet.objects.filter(pk=pk, dataset__in=datasets_for(request.user)).select_related("dataset")
    if (row := found.first()) is None:
        raise Http404("There is no such label set among yours.")
    return row


def _download(lines: Iterator[str], name: str, content_type: str) -> HttpResponse:
    response = HttpResponse("".join(lines), content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
