"""Croissant: the dataset's files and columns for programs, as JSON-LD by schema.org and MLCommons.

Version 1.0 of https://docs.mlcommons.org/croissant/docs/croissant-spec.html, which readers of 1.1 accept, too.
"""

import re
from typing import Any

import pyarrow as pa
from django.utils import timezone

from analytics.exports.hub.card import ABOUT, INTRODUCTION
from analytics.exports.hub.columns import SOUND
from analytics.exports.hub.tables import Table
from analytics.exports.source import Source
from analytics.exports.tables.columns import description

CONFORMS_TO = "http://mlcommons.org/croissant/1.0"
_OF_CROISSANT = (
    "citeAs", "column", "equivalentProperty", "extract", "field", "fileProperty", "fileObject", "fileSet", "format",
    "includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex",
    "repeated", "replace", "samplingRate", "separator", "source", "subField", "transform",
)  # fmt: skip
#: The terms that the specification's appendix 1 has every document begin with.
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
} | {name: f"cr:{name}" for name in _OF_CROISSANT}
_TYPES = {
    pa.string(): "sc:Text",
    pa.bool_(): "sc:Boolean",
    pa.int64(): "sc:Integer",
    pa.float64(): "sc:Float",
    pa.timestamp("us", tz="UTC"): "sc:DateTime",
    SOUND: "sc:AudioObject",
}


def croissant(source: Source, tables: list[Table]) -> dict[str, Any]:
    """`version` is the day of the export: another day's has the answers that came since."""
    campaign, today = source.campaign, timezone.localdate()
    licence = source.wanted.licence or campaign.dataset.licence
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS_TO,
        "name": campaign.slug,
        "alternateName": campaign.title,
        "description": INTRODUCTION,
        **({"license": licence_of(licence)} if licence else {}),
        **({"inLanguage": source.wanted.language} if source.wanted.language else {}),
        **({"citeAs": campaign.dataset.source} if campaign.dataset.source else {}),
        "version": f"{today.year}.{today.month}.{today.day}",
        "datePublished": today.isoformat(),
        "distribution": [_file(table) for table in tables],
        "recordSet": [_records(table) for table in tables],
    }


def licence_of(licence: str) -> str:
    """Croissant wants an address; one is known of Creative Commons' licences, and others stay as they are.

    >>> licence_of("cc-by-4.0"), licence_of("Ask us")
    ('https://spdx.org/licenses/CC-BY-4.0', 'Ask us')
    """
    is_cc = re.fullmatch(r"cc(0|-[a-z-]+)-[0-9.]+", licence.lower())
    return f"https://spdx.org/licenses/{licence.upper()}" if is_cc else licence


def _file(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject", "@id": _file_id(table), "name": _file_id(table), "contentUrl": table.path,
        "contentSize": f"{table.bytes} B", "encodingFormat": "application/x-parquet", "sha256": table.sha256,
    }  # fmt: skip


def _records(table: Table) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet", "@id": table.name, "name": table.name, "description": ABOUT[table.name],
        "field": [_field(table, field) for field in table.schema],
    }  # fmt: skip


def _field(table: Table, field: pa.Field) -> dict[str, Any]:
    """A sound is taken out of its struct as bytes."""
    taken: dict[str, Any] = {"fileObject": {"@id": _file_id(table)}, "extract": {"column": field.name}}
    taken |= {"transform": {"jsonPath": "bytes"}} if field.type == SOUND else {}
    return {
        "@type": "cr:Field", "@id": f"{table.name}/{field.name}", "name": field.name,
        "description": description(field), "dataType": _TYPES[field.type], "source": taken,
    }  # fmt: skip


def _file_id(table: Table) -> str:
    return f"{table.name}.parquet"
