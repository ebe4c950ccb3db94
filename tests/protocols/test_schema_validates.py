"""That shipped documents fit the published schema, and broken ones do not."""

import copy
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from protocols import SHIPPED, InvalidDocument, Protocol, from_document, to_document
from protocols.documents.schema import json_schema
from tests.cases import each

VALIDATOR = Draft202012Validator(json_schema())
HCOT = to_document(SHIPPED["hcot"])


def broken(*path: str | int, value: Any = None, remove: bool = False) -> dict[str, Any]:
    document: Any = copy.deepcopy(HCOT)
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    if remove:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return document


def test_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(json_schema())


@each("protocol", SHIPPED.values())
def test_shipped_documents_fit_the_schema(protocol: Protocol) -> None:
    assert list(VALIDATOR.iter_errors(to_document(protocol))) == []


@each(
    "document",
    [
        broken("name", remove=True),
        broken("name", value=""),
        broken("name", value=1),
        broken("unit", value="triple"),
        broken("titel", value="HCoT"),
        broken("aspects", value=[]),
        broken("aspects", 0, "name", value="two words"),
        broken("aspects", 0, "name", value="reasoning"),
        broken("aspects", 0, "name", value="n" * 61),
        broken("aspects", 0, "title", value=" "),
        broken("aspects", 0, "required", value="yes"),
        broken("aspects", 0, "after", value="content"),
        broken("aspects", 0, "only_if", value={"content": 1}),
        broken("aspects", 0, "scale", value="typed_tie"),
        broken("aspects", 0, "scale", "frame", value="screen"),
        broken("aspects", 0, "scale", "options", 0, "label", remove=True),
        broken("aspects", 0, "scale", "options", 0, "value", value=" 1"),
        broken("aspects", 0, "scale", "options", 0, "values", value="1"),
        broken("listening", "seconds", value="3"),
        broken("listening", "rule", value="often"),
        broken("examples", 0, "why", remove=True),
        [],
    ],
)
def test_broken_documents_fit_neither_the_schema_nor_the_reader(document: Any) -> None:
    assert not VALIDATOR.is_valid(document)
    with pytest.raises(InvalidDocument):
        from_document(document)
