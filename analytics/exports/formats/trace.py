"""The TRACE release's JSON Lines: one object per rater and pair. Judges have no place in it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from analytics.exports import reasons
from analytics.exports.formats.format import Format, is_of_pairs
from analytics.exports.labels import trace_record
from analytics.exports.source import Source
from analytics.exports.tables.json_lines import CONTENT_TYPE, write_lines
from campaigns.models import Campaign


def write(source: Source, path: Path) -> int:
    return write_lines(path, _records(source))


def _records(source: Source) -> Iterator[dict[str, Any]]:
    named = set(_compared(source.campaign))
    for record in source.people():
        if not record.is_of_study:
            source.left_out[reasons.CHECKS()] += 1
            continue
        kept = tuple(answer for answer in record.answers if answer.aspect in named)
        if n := len(record.answers) - len(kept):
            source.left_out[reasons.NO_WORD()] += n
        if kept:
            yield trace_record(replace(record, answers=kept))


def _compared(campaign: Campaign) -> list[str]:
    """The aspects whose answers are 1, 2 and ties: the shape has words for no others."""
    aspects = campaign.protocol.aspects if is_of_pairs(campaign) else ()
    return [it.name for it in aspects if it.scale.kind.names_responses and not it.per_response]


TRACE = Format(
    name="trace",
    title=gettext_noop("Pairs, TRACE format"),
    about=gettext_noop("JSON Lines as in the TRACE release, people only; the import of datasets reads them."),
    ending="trace.jsonl",
    content_type=CONTENT_TYPE,
    write=write,
    fits=lambda campaign: bool(_compared(campaign)),
)
