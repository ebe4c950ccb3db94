"""Label sets as files."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from django.db.models import QuerySet
from django.http import Http404, HttpResponseBase

from accounts.requests import AccountRequest
from analytics.data.inclusion import Use, read_use
from analytics.data.label_counts import is_of_pairs
from analytics.data.labels import Record, imported_labels
from analytics.exports.labels import tidy_lines, trace_lines
from campaigns.audit_log import record_download
from corpus.models import LabelSet
from infrastructure.files.csv_files import CSV
from infrastructure.files.downloads import send_lines

JSONL = "application/jsonl; charset=utf-8"


def trace_file(request: AccountRequest, labels: LabelSet) -> HttpResponseBase:
    """Raises Http404 where the labels are not of pairs."""
    if not is_of_pairs(labels):
        raise Http404("Only labels of pairs have the TRACE shape; take the CSV.")
    lines = trace_lines(imported_labels(labels, use=_use_of(request, labels)))
    return _sent(request, labels, lines, name=f"label-set-{labels.pk}.jsonl", content_type=JSONL)


def tidy_file(request: AccountRequest, labels: LabelSet) -> HttpResponseBase:
    lines = _tidy(labels, imported_labels(labels, use=_use_of(request, labels)), called=str(labels))
    return _sent(request, labels, lines, name=f"label-set-{labels.pk}.csv")


def all_raters_file(request: AccountRequest, labels: LabelSet) -> HttpResponseBase:
    """Everything that was imported under the name of this label set and is wanted, as its table had it."""
    wanted = imported_labels(*of_this_name(labels), use=read_use(request.GET.getlist("with")))
    name = f"label-set-{labels.pk}-all-raters.csv"
    return _sent(request, labels, _tidy(labels, wanted, called=labels.name), name=name)


def _sent(
    request: AccountRequest, labels: LabelSet, lines: Iterator[str], *, name: str, content_type: str = CSV
) -> HttpResponseBase:
    record_download(labels.dataset, name, by=request.user)
    return send_lines(request, lines, name=name, content_type=content_type)


def of_this_name(labels: LabelSet) -> QuerySet[LabelSet]:
    return LabelSet.objects.filter(dataset=labels.dataset, name=labels.name)


def _use_of(request: AccountRequest, labels: LabelSet) -> Use:
    """What an address asks of one label set; a label set of checks is about nothing else."""
    return replace(read_use(request.GET.getlist("with")), checks=labels.is_of_checks)


def _tidy(labels: LabelSet, wanted: Iterable[Record], *, called: str) -> Iterator[str]:
    """Units of label sets of one origin; labels that came without a campaign are called by their own name."""
    return tidy_lines(
        wanted,
        campaign=labels.from_campaign or called,
        protocol=labels.protocol,
        digest=labels.protocol_digest,
    )
