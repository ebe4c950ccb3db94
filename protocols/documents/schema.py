"""The JSON Schema of a protocol document, made from the dataclasses so that it cannot fall behind them."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Literal, get_args, get_origin

from protocols.consistency import MAX_NAME, REASONING
from protocols.declared import Aspect, Example, Listening, Scale
from protocols.documents.reading import hints, required
from protocols.kinds.kind import Option
from protocols.protocol import Protocol

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILLED: dict[str, Any] = {"type": "string", "pattern": r"\S"}
#: What the types do not say, by class and field.
NARROWER: dict[tuple[type, str], dict[str, Any]] = {
    (Protocol, "name"): FILLED,
    (Protocol, "version"): FILLED,
    (Protocol, "title"): FILLED,
    (Protocol, "instructions"): FILLED,
    (Protocol, "aspects"): {"minItems": 1},
    (Aspect, "name"): {
        "pattern": r"^[A-Za-z_][A-Za-z0-9_]*$",
        "maxLength": MAX_NAME,
        "not": {"const": REASONING},
    },
    (Aspect, "title"): FILLED,
    (Aspect, "question"): FILLED,
    (Option, "value"): {"pattern": r"^\S(.*\S)?$"},
    (Listening, "seconds"): {"minimum": 0},
}
DESCRIPTIONS: dict[tuple[type, str], str] = {
    (Protocol, "name"): "Under which it is chosen and exported.",
    (Protocol, "version"): "A changed protocol gets a new one.",
    (Protocol, "title"): "What people call it.",
    (Protocol, "instructions"): "What raters read before they begin.",
    (Protocol, "aspects"): "What is asked, in order.",
    (Protocol, "source"): "The paper or standard, with the section.",
    (Protocol, "unit"): "What is put before a rater: two responses, one, or all of an item.",
    (Protocol, "elicitation"): "One choice per aspect, or acceptability first and then the comparison.",
    (Protocol, "prompt_title"): "What the prompt is called on the screen.",
    (Protocol, "listening"): "How much of every clip must have been heard.",
    (Protocol, "playback"): "Playing the other response starts it anew, or goes on at the same place.",
    (Protocol, "ask_confidence"): "Whether raters say how sure they are.",
    (Protocol, "shows"): "The facts of an item that raters are told.",
    (Protocol, "item_criteria"): "Whether items bring yes/no criteria of their own.",
    (Protocol, "criteria_only_if"): "Answers without which the items' criteria are skipped.",
    (Protocol, "examples"): "Worked examples for the guidelines.",
    (Aspect, "name"): "Under which the answer is kept; unique in the protocol.",
    (Aspect, "title"): "A word or two; it stands on buttons.",
    (Aspect, "question"): "What is asked.",
    (Aspect, "scale"): "What may be answered.",
    (Aspect, "guidance"): "How to tell.",
    (Aspect, "group"): "A heading shared with the neighbouring aspects.",
    (Aspect, "per_response"): "Whether it is asked of every response of the unit.",
    (Aspect, "required"): "Whether it must be answered.",
    (Aspect, "after"): "Earlier aspects that must be answered before this one opens.",
    (Aspect, "only_if"): "Earlier aspects, each with the answer without which this one is skipped.",
    (Aspect, "only_for"): "Facts of the items of which this is asked.",
    (Aspect, "unlike"): "An earlier aspect whose answer may not be given again.",
    (Scale, "name"): "What the scale is called in exports.",
    (Scale, "options"): "The choices; for ranks, in their order.",
    (Scale, "frame"): "How a value depends on the order on the screen.",
    (Scale, "measure"): "What may be counted with the values.",
    (Option, "value"): "What is kept.",
    (Option, "label"): "What stands on the button.",
    (Option, "help"): "What one hears at this point of the scale.",
    (Listening, "rule"): "All of it, so many seconds (less if it is shorter), or nothing.",
    (Listening, "seconds"): "For the rule of seconds.",
    (Example, "heard"): "What one hears.",
    (Example, "answers"): "By the name of the question.",
    (Example, "why"): "The reason for these answers.",
}


def json_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of the document that `to_document` gives and `from_document` takes.

    It says what fits field by field. That aspects wait only for earlier ones, that scales suit the unit and the
    like is checked by `from_document`.
    """
    records = (Aspect, Scale, Option, Listening, Example)
    return {
        "$schema": DIALECT,
        "title": "Earshot protocol",
        **_record(Protocol),
        "$defs": {_ref(record): _record(record) for record in records},
    }


def _record(record: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {f.name: _field(record, f.name) for f in fields(record)},
        "required": required(record),
        "additionalProperties": False,
    }


def _field(record: type, name: str) -> dict[str, Any]:
    narrower = NARROWER.get((record, name), {})
    return {**_of(hints(record)[name]), **narrower, "description": DESCRIPTIONS[record, name]}


def _of(kind: Any) -> dict[str, Any]:
    if is_dataclass(kind):
        return {"$ref": f"#/$defs/{_ref(kind)}"}
    origin = get_origin(kind)
    if origin is Literal:
        return {"enum": list(get_args(kind))}
    if origin is tuple:
        return {"type": "array", "items": _of(get_args(kind)[0])}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": {"type": "string"}}
    return {"type": {str: "string", bool: "boolean", float: "number"}[kind]}


def _ref(record: Any) -> str:
    return str(record.__name__).lower()
