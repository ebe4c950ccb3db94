from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts.requests import AccountRequest
from analytics.data.inclusion import n_left_out, read_use
from analytics.data.label_counts import (
    campaign_label_counts,
    choices,
    is_of_pairs,
    label_counts,
    left_out_of,
)
from analytics.data.label_means import numbers_by_system
from analytics.data.labels import campaign_labels
from analytics.exports.label_files import all_raters_file, of_this_name, tidy_file, trace_file
from analytics.exports.labels import tidy_lines, trace_lines
from analytics.exports.making import ExportRefused, require_names_shown
from campaigns.access import NamesHidden, Right, campaign_for, rights_in
from campaigns.audit_log import record_download
from campaigns.models import Campaign, CampaignUnit
from corpus.access import datasets_for
from corpus.models import LabelSet
from infrastructure.files.downloads import send_lines
from infrastructure.templatetags.wording import refusal_text


@require_safe
def label_set(request: AccountRequest, pk: int) -> HttpResponse:
    labels, use = _label_set(request, pk), read_use(request.GET.getlist("with"))
    context = _counts(label_counts(labels, use), of_pairs=is_of_pairs(labels)) | {
        "label_set": labels,
        "numbers": numbers_by_system(labels, use),
        "use": use,
        "n_left_out": left_out_of(labels).count(),
        "n_raters": of_this_name(labels).values("rater").distinct().count(),
        "n_of_this_name": of_this_name(labels).count(),
    }
    return render(request, "analytics/label_set.html", context)


@require_safe
def label_set_trace(request: AccountRequest, pk: int) -> HttpResponseBase:
    return trace_file(request, _label_set(request, pk))


@require_safe
def label_set_tidy(request: AccountRequest, pk: int) -> HttpResponseBase:
    return tidy_file(request, _label_set(request, pk))


@require_safe
def label_set_all_raters(request: AccountRequest, pk: int) -> HttpResponseBase:
    """Everything that was imported under the name of this label set and is wanted, as its table had it."""
    return all_raters_file(request, _label_set(request, pk))


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
def campaign_trace(request: AccountRequest, slug: str) -> HttpResponseBase:
    campaign = _exported(request, slug)
    if campaign.protocol.unit != "pair":
        raise Http404("Only labels of pairs have the TRACE shape; take the CSV.")
    use = replace(read_use(request.GET.getlist("with")), checks=False)
    record_download(campaign, "answers.jsonl", by=request.user)
    return _download(request, trace_lines(campaign_labels(campaign, use)), f"{slug}.jsonl", "application/jsonl")


@require_safe
def campaign_tidy(request: AccountRequest, slug: str) -> HttpResponseBase:
    campaign = _exported(request, slug)
    lines = tidy_lines(
        campaign_labels(campaign, read_use(request.GET.getlist("with"))),
        campaign=campaign.slug,
        protocol=f"{campaign.protocol.name} {campaign.protocol.version}",
        digest=campaign.protocol_digest,
    )
    record_download(campaign, "answers.csv", by=request.user)
    return _download(request, lines, f"{slug}.csv", "text/csv")


def _counts(counts: Mapping[str, Counter[str]], *, of_pairs: bool) -> dict[str, object]:
    """The table of counts as its template wants it."""
    values = choices(counts)
    return {
        "values": values,
        "rows": [(aspect, [(v, count[v]) for v in values], count.total()) for aspect, count in counts.items()],
        "of_pairs": of_pairs,
        "has_numbers": any(value.lstrip("-").isdecimal() for value in values),
    }


def _label_set(request: AccountRequest, pk: int) -> LabelSet:
    found = LabelSet.objects.filter(pk=pk, dataset__in=datasets_for(request.user)).select_related("dataset")
    if (row := found.first()) is None:
        raise Http404("There is no such label set among yours.")
    return row


def _download(request: AccountRequest, lines: Iterator[str], name: str, content_type: str) -> HttpResponseBase:
    return send_lines(request, lines, name=name, content_type=f"{content_type}; charset=utf-8")


def _exported(request: AccountRequest, slug: str) -> Campaign:
    """The campaign, for those who may take its answers out, while it is no secret which system is which."""
    campaign = campaign_for(request.user, slug, Right.EXPORT)
    try:
        require_names_shown(campaign)
    except ExportRefused as refusal:
        raise NamesHidden(refusal_text(refusal)) from refusal
    return campaign
