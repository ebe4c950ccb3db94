"""Plain data read into the dataclasses of a protocol, strictly by their types."""

import math
import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from protocols.consistency import InvalidProtocol
from protocols.declared import Scale
from protocols.kinds import KINDS

FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
#: No database keeps a NUL, and half of a surrogate pair is no character.
UNKEEPABLE = re.compile("[\x00\ud800-\udfff]")
Path = tuple[str | int, ...]


class Plain(str):
    """Unquoted text of a file written by hand: its field says whether it is text, a number or a flag."""

    __slots__ = ()


def read(kind: Any, value: object, path: Path = ()) -> Any:
    """`value` as an instance of `kind`. Raises InvalidProtocol with the path to what does not fit."""
    if is_dataclass(kind):
        return _read_record(kind, value, path)
    origin = get_origin(kind)
    if origin is Literal:
        return _read_choice(get_args(kind), value, path)
    if origin is tuple:
        return _read_list(get_args(kind)[0], value, path)
    if origin is Mapping:
        return {
            _read_text(key, path): _read_text(one, (*path, str(key))) for key, one in _mapping(value, path).items()
        }
    return {str: _read_text, bool: _read_flag, float: _read_number}[kind](value, path)


@cache
def hints(record: Any) -> dict[str, Any]:
    """The types of a dataclass's fields; a scale's measure is one of the registered kinds."""
    found = get_type_hints(record)
    return found | {"measure": Literal[tuple(KINDS)]} if record is Scale else found


def required(record: Any) -> list[str]:
    """The fields of a dataclass that have no default."""
    return [f.name for f in fields(record) if f.default is MISSING and f.default_factory is MISSING]


def read_fields(record: Any, value: object, path: Path = ()) -> dict[str, Any]:
    """The fields of a dataclass, each of its type. Raises InvalidProtocol with the path to what does not fit."""
    kinds = hints(record)
    given = _mapping(value, path)
    for name in given:
        if name not in kinds:
            close = get_close_matches(str(name), kinds, n=1)
            hint = f", did you mean {close[0]!r}?" if close else ""
            raise InvalidProtocol(f"{_noun(record)} has no field {str(name)!r}{hint}", *path, str(name))
    if missing := [name for name in required(record) if name not in given]:
        raise InvalidProtocol(f"{_noun(record)} needs {' and '.join(missing)}", *path)
    return {str(name): read(kinds[name], one, (*path, str(name))) for name, one in given.items()}


def _read_record(record: Any, value: object, path: Path) -> Any:
    return record(**read_fields(record, value, path))


def _noun(record: Any) -> str:
    name = record.__name__.lower()
    return f"an {name}" if name[0] in "aeo" else f"a {name}"


def _mapping(value: object, path: Path) -> Mapping[Any, object]:
    if not isinstance(value, Mapping):
        raise _misfit("fields with names", value, path)
    return value


def _read_list(kind: Any, value: object, path: Path) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _misfit("a list", value, path)
    return tuple(read(kind, one, (*path, place)) for place, one in enumerate(value))


def _read_choice(choices: tuple[str, ...], value: object, path: Path) -> str:
    if not isinstance(value, str) or value not in choices:
        raise _misfit(f"one of {', '.join(choices)}", value, path)
    return str(value)


def _read_text(value: object, path: Path) -> str:
    if not isinstance(value, str):
        raise _misfit("text", value, path)
    if UNKEEPABLE.search(value):
        raise InvalidProtocol("the text holds characters that cannot be kept", *path)
    return str(value)


def _read_flag(value: object, path: Path) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, Plain) and value.lower() in FLAGS:
        return FLAGS[value.lower()]
    raise _misfit("true or false", value, path)


def _read_number(value: object, path: Path) -> float:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, Plain):
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
    raise _misfit("a number", value, path)


def _misfit(expected: str, value: object, path: Path) -> InvalidProtocol:
    names = [str(step) for step in path if isinstance(step, str)]
    where = f"{names[-1]} is to be " if names else "this is to be "
    return InvalidProtocol(f"{where}{expected}, not {_shown(value)}", *path)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return repr(str(value[:40]))
    if isinstance(value, Mapping):
        return "fields with names"
    return "a list" if isinstance(value, list | tuple) else repr(value)[:40]
