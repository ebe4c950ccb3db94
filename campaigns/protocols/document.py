"""A protocol as a plain document, for rows, files and hashes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from campaigns.protocols.protocol import Aspect, Example, Listening, Option, Protocol, Scale


class InvalidDocument(ValueError):
    """A document that does not describe a protocol."""


def to_document(protocol: Protocol) -> dict[str, Any]:
    """Plain dicts, lists and strings, equal to what JSON gives back."""
    document: dict[str, Any] = json.loads(json.dumps(asdict(protocol)))
    return document


def from_document(document: Mapping[str, Any]) -> Protocol:
    """The protocol that `document` describes. Raises InvalidDocument."""
    try:
        return Protocol(
            **{
                **document,
                "aspects": tuple(_aspect(aspect) for aspect in document["aspects"]),
                "listening": Listening(**document.get("listening", {})),
                "shows": tuple(document.get("shows", ())),
                "examples": tuple(Example(**example) for example in document.get("examples", ())),
            }
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InvalidDocument(f"this is not a protocol: {error}") from error


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over the document with sorted keys: two campaigns ask the same if and only if this is equal."""
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _aspect(document: Mapping[str, Any]) -> Aspect:
    scale = dict(document["scale"])
    scale["options"] = tuple(Option(**option) for option in scale.get("options", ()))
    return Aspect(**{**document, "scale": Scale(**scale), "after": tuple(document.get("after", ()))})
