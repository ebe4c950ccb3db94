"""That the schema says what the reader takes."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from typing import Any, Literal, get_args

import pytest

from protocols import Aspect, Example, Listening, Option, Protocol, Scale
from protocols.declared import Elicitation, Playback
from protocols.documents.schema import DIALECT, json_schema
from protocols.kinds import KINDS
from protocols.kinds.frames import Frame
from protocols.kinds.kind import UnitKind
from tests.cases import each

SCHEMA = json_schema()
RECORDS = {
    Aspect: SCHEMA["$defs"]["aspect"],
    Scale: SCHEMA["$defs"]["scale"],
    Option: SCHEMA["$defs"]["option"],
    Listening: SCHEMA["$defs"]["listening"],
    Example: SCHEMA["$defs"]["example"],
    Protocol: SCHEMA,
}
every_record = pytest.mark.parametrize(
    ("record", "schema"), RECORDS.items(), ids=lambda one: getattr(one, "__name__", "")
)


def nodes(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        schema = list(schema.values())
    if isinstance(schema, list):
        for one in schema:
            yield from nodes(one)


@every_record
def test_schema_knows_every_field_and_no_other(record: Any, schema: dict[str, Any]) -> None:
    assert list(schema["properties"]) == [f.name for f in fields(record)]
    assert schema["additionalProperties"] is False


@every_record
def test_schema_requires_what_has_no_default(record: Any, schema: dict[str, Any]) -> None:
    without = [f.name for f in fields(record) if f.default is MISSING and f.default_factory is MISSING]

    assert schema["required"] == without


@every_record
def test_schema_describes_every_field(record: Any, schema: dict[str, Any]) -> None:
    assert all(one["description"] for one in schema["properties"].values())


@each(
    "record, field, choices",
    [
        (Protocol, "unit", UnitKind),
        (Protocol, "elicitation", Elicitation),
        (Protocol, "playback", Playback),
        (Scale, "frame", Frame),
        (Scale, "measure", Literal[tuple(KINDS)]),
    ],
)
def test_schema_offers_the_choices_of_the_types(record: type, field: str, choices: Any) -> None:
    assert RECORDS[record]["properties"][field]["enum"] == list(get_args(choices))


def test_schema_names_its_dialect_and_resolves_its_references() -> None:
    references = {node["$ref"] for node in nodes(SCHEMA) if "$ref" in node}

    assert SCHEMA["$schema"] == DIALECT
    assert references == {f"#/$defs/{name}" for name in SCHEMA["$defs"]}
