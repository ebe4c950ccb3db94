"""A protocol as a plain document, for rows, files and hashes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from campaigns.protocols.consistency import InvalidProtocol
from campaigns.protocols.protocol import Protocol
from campaigns.protocols.reading import read


class InvalidDocument(ValueError):
    """A document that does not describe a protocol. `path` leads to the fault, and `reason` says what it is."""

    def __init__(self, reason: str, path: tuple[str | int, ...]) -> None:
        super().__init__(f"this is not a protocol: {reason}")
        self.reason = reason
        self.path = path


def to_document(protocol: Protocol) -> dict[str, Any]:
    """Plain dicts, lists and strings, equal to what JSON gives back."""
    document: dict[str, Any] = json.loads(json.dumps(asdict(protocol)))
    return document


def from_document(document: Mapping[str, Any]) -> Protocol:
    """The protocol that `document` describes; fields with a default may be absent. Raises InvalidDocument."""
    try:
        protocol: Protocol = read(Protocol, document)
    except InvalidProtocol as fault:
        raise InvalidDocument(str(fault), fault.path) from fault
    return protocol


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over the document with sorted keys: two campaigns ask the same if and only if this is equal."""
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
