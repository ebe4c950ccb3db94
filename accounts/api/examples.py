"""Examples in the API's description: made from the shape of each body, with values as they look in use."""

from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]
#: Values by the name of a field or parameter, where its type fits.
VALUES: dict[str, object] = {
    "about": "JSON Lines with one object for each answer.",
    "address": "https://lab.example.org/earshot/",
    "annotator": "A1",
    "answers": {"overall": "1"},
    "aspect": "overall",
    "aspect_apart": "content",
    "axis": "Audio naturalness",
    "base_url": "https://models.example.org/v1",
    "body": "We record what you answer, and nothing else.",
    "campaign": "which-voice",
    "category": "singing",
    "close_at": "2026-06-01T12:00:00Z",
    "code": "invalid",
    "code_completed": "C1A2B3",
    "code_failed_check": "F1A2B3",
    "code_no_consent": "N1A2B3",
    "code_screened_out": "S1A2B3",
    "comment": "Both clips are cut off.",
    "container": "WAV",
    "content_type": "text/csv",
    "counts_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "data_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "dataset": "voices",
    "dataset_name": "Voices",
    "description": "Answers of two systems to ten prompts.",
    "detail": "What was sent is not valid.",
    "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "direction": "higher",
    "drafted_text": "It answers the question.",
    "email": "ada@lab.example",
    "event": "answer.recorded",
    "events": ["answer.recorded"],
    "facts": {"dimension": "paralinguistic"},
    "feature": "loudness",
    "field": "title",
    "finish_reason": "stop",
    "form": "csv",
    "format": "csv",
    "frozen_digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "hint": "earshot_Xy12",
    "instructions": "Listen to both, then say which one is better.",
    "item": "one",
    "item_column": "index",
    "judge": "The longer one",
    "key": "counts-overall",
    "kind": "labels",
    "kind_version": "1",
    "label": "The first one",
    "label_column": "ground_truth",
    "label_set_name": "Labels of people",
    "language": "en",
    "licence": "cc-by-4.0",
    "limit_name": "hour",
    "link": "https://earshot.example.org/join/Vv8xVd1sG0hY/",
    "listening": "seconds",
    "manifest_name": "manifest.csv",
    "mapping": '{"shape": "answers", "columns": {"index": {"becomes": "item"}, "vote": {"becomes": "answer"}}}',
    "matched": "my name is Alpha",
    "message": "This field is required.",
    "method": "bradley_terry",
    "metric": "utmos",
    "missing_program": "ffmpeg",
    "model": "gpt-4o-audio-preview",
    "name": "Voices",
    "names_systems": "yes",
    "next": "https://earshot.example.org/api/v1/campaigns/?cursor=cD00NTI",
    "note": "pilot",
    "number": 1764100000000,
    "of_dataset": "voices",
    "order": "ab",
    "owner": "ada",
    "page": "https://earshot.example.org/reports/3f2504e0-4f89-41d3-9a0c-0305e82c3301/",
    "password_link": "https://earshot.example.org/accounts/new-password/Mg/c8x1-5d0e/",
    "path": "alpha/one.wav",
    "previous": None,
    "protocol": "hcot/1",
    "protocol_digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "pseudonym": "A1",
    "purpose": "study",
    "rater": "listener 1",
    "reason": "technical",
    "reasoning": "The second one answers what was asked.",
    "reasoning_effort": "low",
    "recipe": "Votes of the lab",
    "reference": "hcot/1",
    "return_url": "https://app.prolific.com/submissions/complete?cc=C1A2B3",
    "same_as": "0",
    "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "slot": "a",
    "slug": "which-voice",
    "source": "https://example.org/voices",
    "status": "ok",
    "subject": "which-voice",
    "subject_name": "Voices",
    "suggestion": "Leave the clip out.",
    "system": "Alpha",
    "system_a": "Alpha",
    "system_b": "Beta",
    "systems": ["Alpha", "Beta"],
    "table_name": "votes.csv",
    "target_lufs": -23.0,
    "text": "Say it again, please.",
    "title": "Which voice is better?",
    "unit": "one | Alpha | Beta",
    "url": "https://earshot.example.org/api/v1/clips/eyJhIjoxfQ/",
    "username": "ada",
    "value": "a",
    "version": "1",
    "votes_sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "yaml": "name: which-voice\nversion: '1'\n",
}
BY_FORMAT: dict[str, object] = {
    "uuid": "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    "date-time": "2026-05-01T10:00:00Z",
    "date": "2026-05-01",
    "email": "ada@lab.example",
    "uri": "https://earshot.example.org/",
    "decimal": "1.50",
    "binary": "(bytes)",
    "byte": "(bytes)",
}
TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,), "array": (list,),
    "object": (dict,),
}  # fmt: skip
JSON = "application/json"
TEXTS = {"text/csv": "unit,aspect,value\r\none,overall,a\r\n", "application/jsonl": '{"unit": "one"}\n'}
DEEPEST = 12


def add_examples(result: Any, **_kwargs: Any) -> Any:
    """An example beside every body, and beside every parameter of an address."""
    shapes = result["components"]["schemas"]
    for operations in result["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path":
                    parameter["example"] = example_of(parameter["schema"], shapes, parameter["name"])
            for content in _bodies(operation):
                for kind, media in content.items():
                    if kind == JSON or kind.startswith(("multipart/", "application/x-www-form")):
                        media["example"] = example_of(media["schema"], shapes)
                    elif kind in TEXTS:
                        media["example"] = TEXTS[kind]
    return result


def example_of(shape: Mapping[str, Any], shapes: Mapping[str, Any], name: str = "", depth: int = 0) -> Any:
    """A value of this shape (an OpenAPI schema), by its name where it has one that fits."""
    if "$ref" in shape:
        return example_of(shapes[shape["$ref"].rpartition("/")[2]], shapes, name, depth)
    for several in ("allOf", "oneOf", "anyOf"):
        if parts := [it for it in shape.get(several, []) if it.get("enum") != [""]]:
            return example_of(parts[0], shapes, name, depth)
    if "enum" in shape:
        known = VALUES.get(name)
        return known if known in shape["enum"] else shape["enum"][0]
    if (known := VALUES.get(name)) is not None and _fits(known, shape):
        return known
    if shape.get("default") is not None:
        return shape["default"]
    return _by_type(shape, shapes, name, depth)


def _by_type(shape: Mapping[str, Any], shapes: Mapping[str, Any], name: str, depth: int) -> Any:
    kind = shape.get("type", "object")
    if kind == "object":
        return _object(shape, shapes, depth) if depth < DEEPEST else {}
    if kind == "array":
        least = int(shape.get("minItems", 0))
        return [example_of(shape["items"], shapes, name.removesuffix("s"), depth + 1)] * max(1, least)
    if kind == "boolean":
        return False
    if kind in {"integer", "number"}:
        least, most = shape.get("minimum", 1), shape.get("maximum", 1)
        return min(max(1, least), max(most, least))
    text = str(BY_FORMAT.get(shape.get("format", ""), name.replace("_", " ") or "text"))
    return text[: shape.get("maxLength", len(text))]


def _object(shape: Mapping[str, Any], shapes: Mapping[str, Any], depth: int) -> Json:
    found = {name: example_of(it, shapes, name, depth + 1) for name, it in shape.get("properties", {}).items()}
    if not found and isinstance(more := shape.get("additionalProperties"), Mapping) and more:
        found = {"overall": example_of(more, shapes, "", depth + 1)}
    return found


def _fits(value: object, shape: Mapping[str, Any]) -> bool:
    kind = shape.get("type", "object")
    if not isinstance(value, TYPES.get(kind, ())) or (isinstance(value, bool) and kind != "boolean"):
        return False
    if isinstance(value, str):
        return len(value) <= shape.get("maxLength", len(value)) and shape.get("format", "uri") in {"uri", "email"}
    if isinstance(value, list):
        items = shape.get("items", {})
        return all(_fits(it, items) for it in value) and "$ref" not in items
    if isinstance(value, dict):
        more = shape.get("additionalProperties")
        return isinstance(more, Mapping) and all(_fits(it, more) for it in value.values())
    if isinstance(value, int | float):
        return bool(shape.get("minimum", value) <= value <= shape.get("maximum", value))
    return True


def _bodies(operation: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The content of the request, and of each response that is not a refusal."""
    if body := operation.get("requestBody"):
        yield body["content"]
    for status, response in operation["responses"].items():
        if status.startswith("2") and response.get("content"):
            yield response["content"]
