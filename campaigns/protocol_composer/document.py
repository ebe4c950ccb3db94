"""Between a protocol's document and the flat rows of its form; nothing is lost on the way there or back."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from protocols import Aspect, Protocol, Scale, to_document
from protocols.scales.named import BY_NAME

#: The scale of a row that brings its own choices; no scale of ours has this name.
OWN = "own"
Row = Mapping[str, Any]
SCALE_ROW = ("scale_name", "choices", "frame", "measure")


def document_of(head: Row, aspects: Iterable[Row], examples: Iterable[Row]) -> dict[str, Any]:
    """The document of a protocol from the form's rows: one for the whole, one per aspect, one per example."""
    document = {name: value for name, value in head.items() if name not in ("rule", "seconds")}
    document["listening"] = {"rule": head["rule"], "seconds": head["seconds"] or 0.0}
    document["aspects"] = [_aspect(row) for row in aspects]
    document["examples"] = [dict(row) for row in examples]
    return document


def _aspect(row: Row) -> dict[str, Any]:
    plain = {name: value for name, value in row.items() if name not in ("scale", *SCALE_ROW)}
    return {**plain, "scale": _scale(row)}


def _scale(row: Row) -> dict[str, Any]:
    if row["scale"] in BY_NAME:
        ours = asdict(BY_NAME[row["scale"]])
        return {**ours, "options": list(ours["options"])}
    own = {name: row[name] for name in ("frame", "measure")}
    return {"name": row["scale_name"] or row["name"], "options": row["choices"], **own}


def head_row(protocol: Protocol) -> dict[str, Any]:
    """The row of the whole."""
    document = to_document(protocol)
    del document["aspects"], document["examples"]
    listening = document.pop("listening")
    return {**document, "rule": listening["rule"], "seconds": listening["seconds"] or None}


def aspect_row(aspect: Aspect) -> dict[str, Any]:
    row = asdict(aspect)
    del row["scale"]
    return row | scale_row(aspect.scale)


def scale_row(scale: Scale) -> dict[str, Any]:
    """A scale of ours by its name alone, any other by its parts."""
    if BY_NAME.get(scale.name) == scale:
        return {"scale": scale.name, "scale_name": "", "choices": [], "frame": "none", "measure": "nominal"}
    parts = asdict(scale)
    return {
        "scale": OWN,
        "scale_name": parts["name"],
        "choices": parts["options"],
        "frame": parts["frame"],
        "measure": parts["measure"],
    }
