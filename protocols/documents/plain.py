"""A protocol as a plain document, for rows, files and hashes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields, is_dataclass
from functools import lru_cache
from typing import Any

from protocols.consistency import InvalidProtocol, faults
from protocols.documents.reading import read, read_fields
from protocols.protocol import Protocol


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
    """The same from JSON; cached, since protocols never change."""
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
        object.__setattr__(protocol, f.name, given.get(f.name, _default(f)))
    return protocol


def canonical(value: object) -> Any:
    """A protocol, or a part of one, as plain values without the fields that have their default.

    A field that is added later with a default changes no document that exists. A default itself never changes:
    every document that leaves it out would then mean something else.

    >>> from protocols.declared import Listening, Scale
    >>> canonical(Scale("yes_no")), canonical(Listening("seconds", 3))
    ({'name': 'yes_no'}, {'rule': 'seconds', 'seconds': 3.0})
    """
    if is_dataclass(value) and not isinstance(value, type):
        given = {f.name: getattr(value, f.name) for f in fields(value)}
        return {f.name: canonical(given[f.name]) for f in fields(value) if given[f.name] != _default(f)}
    if isinstance(value, Mapping):
        return {key: canonical(it) for key, it in value.items()}
    if isinstance(value, tuple | list):
        return [canonical(it) for it in value]
    return value


def digest(document: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical document as JSON with sorted keys and without spaces: two campaigns ask the same if
    and only if this is equal. Raises InvalidDocument.
    """
    return _sha256(canonical(from_document(document)))


def is_digest_of(wanted: str, document: Mapping[str, Any]) -> bool:
    """Whether `wanted` is the document's digest, or the one of earlier files, which was taken with all defaults."""
    return wanted in (digest(document), _sha256(to_document(from_document(document))))


def _default(f: Field[Any]) -> object:
    """MISSING where the field has none."""
    return f.default if f.default_factory is MISSING else f.default_factory()


def _sha256(document: Mapping[str, Any]) -> str:
    written = json.dumps(document, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()
