"""A protocol as a plain document, for rows, files and hashes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from campaigns.protocols.protocol import Aspect, Option, Protocol, Scale


class InvalidDocument(ValueError):
    """A document that does not describe a protocol."""


def to_document(protocol: Protocol) -> dict[str, Any]:
    return asdict(protocol)


def from_document(document: Mapping[str, Any]) -> Protocol:
    """The protocol that `document` describes. Raises InvalidDocument."""
    try:
        fields = {**document, "aspects": tuple(_aspect(aspect) for aspect in document["aspects"])}
        return Protocol(**fields)
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidDocument(f"this is not a protocol: {error}") from error


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over the document with sorted keys: two campaigns ask the same if and only if this is equal."""
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _aspect(document: Mapping[str, Any]) -> Aspect:
    scale = document["scale"]
    options = tuple(Option(**option) for option in scale["options"])
    return Aspect(**{**document, "scale": Scale(scale["name"], options), "after": tuple(document.get("after", ()))})
