from collections.abc import Iterable, Iterator

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.exports import tidy_lines, trace_lines
from analytics.labelled import campaign_labels, choices, imported_labels, is_of_pairs, label_counts
from campaigns.access import Right, campaign_for, datasets_for
from campaigns.models import LabelSet


@require_safe
def label_set(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    counts = label_counts(labels)
    values = choices(counts)
    context = {
        "label_set": labels,
        "values": values,
        "rows": [(aspect, [(v, count[v]) for v in values], count.total()) for aspect, count in counts.items()],
        "of_pairs": is_of_pairs(labels),
        "has_numbers": any(value.lstrip("-").isdecimal() for value in values),
        "n_raters": _of_this_name(labels).count(),
    }
    return render(request, "analytics/label_set.html", context)


@require_safe
def label_set_trace(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    if not is_of_pairs(labels):
        raise Http404("Only labels of pairs have the TRACE shape; take the CSV.")
    return _download(trace_lines(imported_labels(labels)), f"label-set-{pk}.jsonl", "application/jsonl")


@require_safe
def label_set_tidy(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    return _download(_tidy(labels, [labels], called=str(labels)), f"label-set-{pk}.csv", "text/csv")


@require_safe
def label_set_all_raters(request: AccountRequest, pk: int) -> HttpResponse:
    """Everything that was imported under the name of this label set, as its table had it."""
    labels = _label_set(request, pk)
    lines = _tidy(labels, _of_this_name(labels), called=labels.name)
    return _download(lines, f"label-set-{pk}-all-raters.csv", "text/csv")


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


def _of_this_name(labels: LabelSet) -> QuerySet[LabelSet]:
    return LabelSet.objects.filter(dataset=labels.dataset, name=labels.name)


def _tidy(labels: LabelSet, label_sets: Iterable[LabelSet], *, called: str) -> Iterator[str]:
    """The label sets, which are of one origin; labels that came without a campaign are called by their own name."""
    return tidy_lines(
        imported_labels(*label_sets),
        campaign=labels.from_campaign or called,
        protocol=labels.protocol,
        digest=labels.protocol_digest,
    )


def _download(lines: Iterator[str], name: str, content_type: str) -> HttpResponse:
    response = HttpResponse("".join(lines), content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
