"""The TRACE release's JSON Lines: one object per rater and pair. Judges have no place in it."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.utils.translation import gettext_noop

from analytics.exports.formats.format import Format, is_of_pairs
from analytics.exports.labels import trace_record
from analytics.exports.source import Source
from analytics.exports.tables.json_lines import CONTENT_TYPE, write_lines
from campaigns.models import Campaign

CHECKS = gettext_noop("answers to checks, for which this shape has no place")
NO_WORD = gettext_noop("answers other than 1, 2 and ties, for which this shape has no word")


def write(source: Source, path: Path) -> int:
    return write_lines(path, _records(source))


def _records(source: Source) -> Iterator[dict[str, Any]]:
    named = set(_compared(source.campaign))
    for row in source.people():
        if row.purpose not in ("", "study"):
            source.notes[CHECKS] += 1
            continue
        kept = tuple(label for label in row.labels if label.aspect in named)
        if n := len(row.labels) - len(kept):
            source.notes[NO_WORD] += n
        if kept:
            yield trace_record(replace(row, labels=kept))


def _compared(campaign: Campaign) -> list[str]:
    """The aspects whose answers are 1, 2 and ties: the shape has words for no others."""
    aspects = campaign.protocol.aspects if is_of_pairs(campaign) else ()
    return [it.name for it in aspects if it.scale.frame == "response" and not it.per_response]


TRACE = Format(
    name="trace",
    title=gettext_noop("Pairs in the TRACE shape"),
    about=gettext_noop("JSON Lines as in the TRACE release, people only; the import of datasets reads them."),
    ending="trace.jsonl",
    content_type=CONTENT_TYPE,
    write=write,
    fits=lambda campaign: bool(_compared(campaign)),
)
