from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.exports import tidy_lines, trace_lines
from analytics.labelled import (
    LabelledUnit,
    campaign_label_counts,
    campaign_labels,
    choices,
    imported_labels,
    is_of_pairs,
    label_counts,
    left_out_of,
)
from analytics.uses import Use, n_left_out, read_use
from campaigns.access import Right, campaign_for, datasets_for, rights_in
from campaigns.models import CampaignUnit, LabelSet


@require_safe
def label_set(request: AccountRequest, pk: int) -> HttpResponse:
    labels, use = _label_set(request, pk), read_use(request.GET.getlist("with"))
    context = _counts(label_counts(labels, use), of_pairs=is_of_pairs(labels)) | {
        "label_set": labels,
        "use": use,
        "n_left_out": left_out_of(labels).count(),
        "n_raters": _of_this_name(labels).values("rater").distinct().count(),
        "n_of_this_name": _of_this_name(labels).count(),
    }
    return render(request, "analytics/label_set.html", context)


@require_safe
def label_set_trace(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    if not is_of_pairs(labels):
        raise Http404("Only labels of pairs have the TRACE shape; take the CSV.")
    lines = trace_lines(imported_labels(labels, use=_use_of(request, labels)))
    return _download(lines, f"label-set-{pk}.jsonl", "application/jsonl")


@require_safe
def label_set_tidy(request: AccountRequest, pk: int) -> HttpResponse:
    labels = _label_set(request, pk)
    lines = _tidy(labels, imported_labels(labels, use=_use_of(request, labels)), called=str(labels))
    return _download(lines, f"label-set-{pk}.csv", "text/csv")


@require_safe
def label_set_all_raters(request: AccountRequest, pk: int) -> HttpResponse:
    """Everything that was imported under the name of this label set and is wanted, as its table had it."""
    labels = _label_set(request, pk)
    wanted = imported_labels(*_of_this_name(labels), use=read_use(request.GET.getlist("with")))
    return _download(_tidy(labels, wanted, called=labels.name), f"label-set-{pk}-all-raters.csv", "text/csv")


@require_safe
def labels(request: AccountRequest, slug: str) -> HttpResponse:
    """How often each label was given in a campaign, with and without what was left out, and the ways out."""
    campaign = campaign_for(request.user, slug, Right.VIEW)
    use = read_use(request.GET.getlist("with"))
    context = _counts(campaign_label_counts(campaign, use), of_pairs=campaign.protocol.unit == "pair") | {
        "campaign": campaign,
        "use": use,
        "n_left_out": n_left_out(campaign),
        "has_checks": campaign.campaign_units.exclude(purpose=CampaignUnit.Purpose.STUDY).exists(),
        "may_export": Right.EXPORT in rights_in(campaign, request.user),
    }
    return render(request, "analytics/labels.html", context)


@require_safe
def campaign_trace(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    if campaign.protocol.unit != "pair":
        raise Http404("Only labels of pairs have the TRACE shape; take the CSV.")
    use = replace(read_use(request.GET.getlist("with")), checks=False)
    return _download(trace_lines(campaign_labels(campaign, use)), f"{slug}.jsonl", "application/jsonl")


@require_safe
def campaign_tidy(request: AccountRequest, slug: str) -> HttpResponse:
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    lines = tidy_lines(
        campaign_labels(campaign, read_use(request.GET.getlist("with"))),
        campaign=campaign.slug,
        protocol=f"{campaign.protocol.name} {campaign.protocol.version}",
        digest=campaign.protocol_digest,
    )
    return _download(lines, f"{slug}.csv", "text/csv")


def _counts(counts: Mapping[str, Counter[str]], *, of_pairs: bool) -> dict[str, object]:
    """The table of counts as its template wants it."""
    values = choices(counts)
    return {
        "values": values,
        "rows": [(aspect, [(v, count[v]) for v in values], count.total()) for aspect, count in counts.items()],
        "of_pairs": of_pairs,
        "has_numbers": any(value.lstrip("-").isdecimal() for value in values),
    }


def _use_of(request: AccountRequest, labels: LabelSet) -> Use:
    """What an address asks of one label set; a label set of checks is about nothing else."""
    return replace(read_use(request.GET.getlist("with")), checks=labels.is_of_checks)


def _label_set(request: AccountRequest, pk: int) -> LabelSet:
    found = LabelSet.objects.filter(pk=pk, dataset__in=datasets_for(request.user)).select_related("dataset")
    if (row := found.first()) is None:
        raise Http404("There is no such label set among yours.")
    return row


def _of_this_name(labels: LabelSet) -> QuerySet[LabelSet]:
    return LabelSet.objects.filter(dataset=labels.dataset, name=labels.name)


def _tidy(labels: LabelSet, wanted: Iterable[LabelledUnit], *, called: str) -> Iterator[str]:
    """Units of label sets of one origin; labels that came without a campaign are called by their own name."""
    return tidy_lines(
        wanted,
        campaign=labels.from_campaign or called,
        protocol=labels.protocol,
        digest=labels.protocol_digest,
    )


def _download(lines: Iterator[str], name: str, content_type: str) -> HttpResponse:
    response = HttpResponse("".join(lines), content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
