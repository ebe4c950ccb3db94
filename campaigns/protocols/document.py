"""A protocol as a plain document, for rows, files and hashes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from functools import lru_cache
from typing import Any

from campaigns.protocols.consistency import InvalidProtocol, faults
from campaigns.protocols.protocol import Protocol
from campaigns.protocols.reading import read, read_fields


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


@lru_cache(maxsize=256)
def from_text(text: str) -> Protocol:
    """The same from JSON; one that was read before is not read again, since nobody changes a protocol."""
    return from_document(json.loads(text))


def document_faults(document: Mapping[str, Any]) -> list[InvalidDocument]:
    """Every fault of the document in reading order, or the first thing that is not even of the right type."""
    try:
        found = list(faults(_unchecked(read_fields(Protocol, document))))
    except InvalidProtocol as fault:
        found = [fault]
    return [InvalidDocument(str(fault), fault.path) for fault in found]


def _unchecked(given: Mapping[str, Any]) -> Protocol:
    """A protocol that may be at fault, for `faults` alone to look at."""
    protocol = object.__new__(Protocol)
    for f in fields(Protocol):
        default = f.default_factory() if f.default_factory is not MISSING else f.default
        object.__setattr__(protocol, f.name, given.get(f.name, default))
    return protocol


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over the document with sorted keys: two campaigns ask the same if and only if this is equal."""
    canonical = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()
