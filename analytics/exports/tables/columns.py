"""What stands in the columns of exported tables, for readers of Parquet: each field carries its description."""

import json
from collections.abc import Iterable, Mapping

import pyarrow as pa

#: Rises when a column goes, or means something else than before; new columns alone do not raise it.
SCHEMA_VERSION = "1"
DESCRIPTIONS: Mapping[str, str] = {
    "campaign": "short name of the campaign",
    "protocol": "name and version of what was asked",
    "protocol_digest": "SHA-256 of the protocol: equal if and only if the same was asked",
    "unit": "key of what was put before the rater",
    "kind": "pair, single (one response) or item (all the responses to an item)",
    "item": "key of what the systems were asked",
    "category": "the item's category",
    "system_a": "whose response is in slot a",
    "system_b": "whose response is in slot b",
    "systems": "JSON: every system's name by slot",
    "responses": "JSON: the key of each system's take by slot",
    "annotator": "pseudonym of the person; empty for judges",
    "order": "the slots as they were heard: ba had b first",
    "aspect": "what was judged",
    "slot": "the response that the answer is about; empty where it is about the unit",
    "system": "whose response that is",
    "value": "the answer in the stored frame: a slot, both_good, both_bad, tie, a number, a word or a written text",
    "acceptable_a": "whether a was said to be acceptable, where that was asked",
    "acceptable_b": "whether b was said to be acceptable, where that was asked",
    "confidence": "1 (guessing) to 3 (certain), where it was said",
    "flag": "why somebody should look at the unit again",
    "marks": "JSON: defects with slot (or prompt), turn, start and end in seconds, kind",
    "shown_at": "when the unit came up",
    "recorded_at": "when the answer was taken",
    "seconds": "between the two",
    "revision": "1 for a first answer, more where it replaced an earlier one",
    "coverage": "JSON: the share that was heard, from 0 to 1, by slot and turn",
    "plays": "JSON: how often each clip was begun",
    "played_s": "seconds of sound that were played, repetitions included",
    "switches": "from one clip to another",
    "hidden_s": "seconds during which the page was not in view",
    "language": "of the page",
    "purpose": "study, or a check: gold, identical, repeat",
    "excluded": "why the answer is left out of the analysis; empty where it is used",
    "excluded_by": "rule or person",
    "expected": "JSON: what passes of a check, a list of values by aspect",
    "propensity": "the chance with which an arena drew this pair of systems; empty where nothing was drawn",
    "judge": "the judge's title; empty for people",
    "judge_version": "its kind, and the version of that kind",
    "judge_digest": "SHA-256 of kind, version, settings and model",
    "judge_model": "the model as its server named it",
    "run": "number of the run",
    "sample": "of several in the same order, counted from 0",
    "status": "ok, repaired, or why there is no value: unparsed, refused, error",
    "reasoning": "what the judge gave as its reasons",
}
#: Types that pandas has with missing values, where it would else read whole numbers as floats.
_PANDAS = {pa.int64(): ("int64", "Int64"), pa.bool_(): ("bool", "boolean")}


def described(name: str, kind: pa.DataType) -> pa.Field:
    """A field with its description, where its name has one."""
    about = DESCRIPTIONS.get(name)
    return pa.field(name, kind, metadata={"description": about} if about else None)


def schema_of(fields: Iterable[pa.Field], metadata: Mapping[str, str] | None = None) -> pa.Schema:
    """With the version of the shape, and with what makes pandas keep whole numbers whole where some are missing."""
    fields = list(fields)
    return pa.schema(
        fields,
        metadata={"earshot_schema_version": SCHEMA_VERSION, "pandas": _pandas_metadata(fields), **(metadata or {})},
    )


def _pandas_metadata(fields: list[pa.Field]) -> str:
    columns = [
        {"name": it.name, "field_name": it.name, "pandas_type": named, "numpy_type": nullable, "metadata": None}
        for it in fields
        if it.type in _PANDAS
        for named, nullable in [_PANDAS[it.type]]
    ]
    return json.dumps({"index_columns": [], "column_indexes": [], "columns": columns})
