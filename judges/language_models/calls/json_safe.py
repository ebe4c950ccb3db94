"""Data as a database keeps it: what JSON knows, without what PostgreSQL refuses."""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from infrastructure.wording.reasons import Reason
from judges.backends.replies import storable
from judges.kinds.contract import Sound


def plain(value: Any) -> Any:
    """The value as JSON: numbers that are none become null, sounds and bytes their SHA-256.

    >>> plain({"a": float("nan"), "b": (1, "x\\x00")})
    {'a': None, 'b': [1, 'x']}
    """
    if isinstance(value, str):
        return plain(value.as_json()) if isinstance(value, Reason) else storable(value)
    if value is None or isinstance(value, bool | int | float):
        return value if not isinstance(value, float) or math.isfinite(value) else None
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {storable(str(name)): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return _identified(value)


def storable_reason(reason: Reason | None, most: int | None = None) -> Reason | None:
    """The reason as a database keeps it, each text among its parameters cut to `most` characters."""
    if reason is None:
        return None
    return Reason.from_json(_cut(plain(reason), most))


def _cut(held: Any, most: int | None) -> Any:
    if isinstance(held, dict):
        return {name: _cut(part, most) for name, part in held.items()}
    return held[:most] if isinstance(held, str) else held


def _identified(value: Any) -> Any:
    """A string that identifies an object that is not plain data."""
    if isinstance(value, bytes):
        return {"sha256": hashlib.sha256(value).hexdigest()}
    if isinstance(value, Sound):
        return {"sha256": value.sha256, "seconds": value.seconds}
    if is_dataclass(value) and not isinstance(value, type):
        return {part.name: plain(getattr(value, part.name)) for part in fields(value)}
    return storable(str(value))


def as_rendered(value: Any) -> Any:
    """The same for messages: sound that is sent in base64 is identified by its hash.

    >>> as_rendered({"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}})["input_audio"]["data"]
    'sha256:63c1dd951ffedf6f7fd968ad4efa39b8ed584f162f46e715114ee184f8de9201'
    """
    return _without_sound(plain(value))


def _without_sound(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_sound(part) for part in value]
    if not isinstance(value, dict):
        return _hashed(value) if isinstance(value, str) and value.startswith("data:") else value
    return {
        name: part | {"data": _hashed(part["data"])} if _is_sound(name, part) else _without_sound(part)
        for name, part in value.items()
    }


def _is_sound(name: str, part: Any) -> bool:
    return name == "input_audio" and isinstance(part, dict) and isinstance(part.get("data"), str)


def _hashed(text: str) -> str:
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
