"""Reading what a model wrote, where it should have been one JSON object."""

import json
from collections.abc import Mapping
from typing import Any

from judges.backends.contract import ParseStatus


def read_reply(text: str, schema: Mapping[str, Any]) -> tuple[ParseStatus, dict[str, Any]]:
    """The object in the text that has every property the schema requires, and whether it stood alone.

    >>> read_reply('Sure! {"n": 1} Bye.', {"required": ["n"]})
    ('repaired', {'n': 1})
    >>> read_reply('{"n": 1', {"required": ["n"]})
    ('unparsed', {})
    """
    required = schema.get("required", ())
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        whole = None
    if _fits(whole, required):
        return "ok", whole
    for found in _objects_in(text):
        if _fits(found, required):
            return "repaired", found
    return "unparsed", {}


def storable(text: str) -> str:
    """The text without what a database cannot hold: NUL, and halves of characters that JSON can name alone.

    >>> storable("a\\x00b\\ud800")
    'ab?'
    """
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _fits(found: Any, required: Any) -> bool:
    return isinstance(found, dict) and all(name in found for name in required)


def _objects_in(text: str) -> list[Any]:
    """Every JSON object that begins somewhere in the text and is complete, the outermost ones only."""
    found: list[Any] = []
    decoder, at = json.JSONDecoder(), text.find("{")
    while at != -1 and len(found) < 20:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
        at = text.find("{", end)
    return found
