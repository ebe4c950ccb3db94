"""Examples in the API's description: made from the shape of each body, with values as they look in use."""

from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]
#: Values by the name of a field or parameter, where its type fits.
VALUES: dict[str, object] = {
    "answers": {"overall": "1"},
    "annotator": "A1",
    "aspect": "overall",
    "base_url": "https://models.example.org/v1",
    "campaign": "which-voice",
    "close_at": "2026-06-01T12:00:00Z",
    "code": "invalid",
    "comment": "Both clips are cut off.",
    "content_type": "text/csv",
    "dataset": "voices",
    "dataset_name": "Voices",
    "description": "Answers of two systems to ten prompts.",
    "detail": "What was sent is not valid.",
    "email": "ada@lab.example",
    "events": ["answer.recorded"],
    "facts": {"dimension": "paralinguistic"},
    "field": "title",
    "form": "csv",
    "hint": "earshot_Xy12",
    "item": "one",
    "key": "counts-overall",
    "kind": "labels",
    "language": "en",
    "link": "https://earshot.example.org/join/Vv8xVd1sG0hY/",
    "listening": "seconds",
    "message": "This field is required.",
    "model": "gpt-4o-audio-preview",
    "name": "Voices",
    "next": "https://earshot.example.org/api/v1/campaigns/?cursor=cD00NTI",
    "note": "pilot",
    "number": 1764100000000,
    "order": "ab",
    "page": "https://earshot.example.org/reports/3f2504e0-4f89-41d3-9a0c-0305e82c3301/",
    "password_link": "https://earshot.example.org/accounts/new-password/Mg/c8x1-5d0e/",
    "previous": None,
    "protocol": "hcot/1",
    "pseudonym": "A1",
    "rater": "listener 1",
    "reference": "hcot/1",
    "reason": "technical",
    "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "slug": "which-voice",
    "subject": "which-voice",
    "system": "Alpha",
    "system_a": "Alpha",
    "system_b": "Beta",
    "systems": ["Alpha", "Beta"],
    "target_lufs": -23.0,
    "text": "Say it again, please.",
    "title": "Which voice is better?",
    "unit": "one | Alpha | Beta",
    "url": "https://earshot.example.org/api/v1/clips/eyJhIjoxfQ/",
    "username": "ada",
    "value": "a",
    "version": "1",
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
