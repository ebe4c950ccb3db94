"""Reading what a model wrote, where it should have been one JSON object: one answer, or none."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from infrastructure.wording.reasons import Reason, Reasoned
from judges import reasons
from judges.backends import contract
from judges.backends.contract import ParseStatus
from judges.backends.thinking import without_thinking

#: Objects begin at a brace; a reply is not searched any further than this.
MOST_BRACES = 1000
#: What begins like an object and is none may be read again from its next brace on: so often the whole reply at most.
MOST_READINGS = 4
#: No schema of ours nests values deeper than a few levels; what takes the data apart does so by recursion.
MOST_DEPTH = 50


@dataclass(frozen=True)
class Reading:
    """What was read from a reply; `problem` says why nothing was, for a researcher."""

    status: ParseStatus
    data: Mapping[str, Any] = field(default_factory=dict)
    problem: Reason | None = None


class _Unreadable(Reasoned):
    """No answer is taken from the reply."""


class _Contradiction(_Unreadable):
    """One object names the same property twice, with different values."""

    def __init__(self) -> None:
        super().__init__(reasons.REPLY_CONTRADICTING())


def read_reply(text: str, schema: Mapping[str, Any], *, finish_reason: str = "") -> Reading:
    """The one object in the text that has every property the schema requires.

    `ok` where there is nothing else; `repaired` where there is something around it. What the model thought aloud is
    cut first. Several objects that differ, or a second one that is not whole, make the reply unparsed: which of them
    was meant would be a guess.

    >>> read_reply('Sure! {"n": 1} Bye.', {"required": ["n"]})
    Reading(status='repaired', data={'n': 1}, problem=None)
    >>> read_reply('{"n": 1} No: {"n": 2}', {"required": ["n"]}).status
    'unparsed'
    """
    required = tuple(schema.get("required", ()))
    try:
        whole = _decoded(text)
        if _fits(whole, required):
            return Reading("ok", whole)
        return _read_around(text, required, finish_reason)
    except _Unreadable as unreadable:
        return Reading("unparsed", problem=unreadable.reason)


def storable(text: str) -> str:
    """The text without what a database cannot hold: NUL, and halves of characters that JSON can name alone.

    >>> storable("a\\x00b\\ud800")
    'ab?'
    """
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _read_around(text: str, required: Sequence[str], finish_reason: str) -> Reading:
    """The answer where it does not stand alone. Raises _Unreadable."""
    answer = without_thinking(text)
    if not answer.strip():
        return Reading("unparsed", problem=_why_nothing(text, finish_reason))
    if finish_reason == contract.CUT_OFF:
        return Reading("unparsed", problem=reasons.REPLY_CUT_OFF())
    return _read_among_words(answer, required)


def _why_nothing(text: str, finish_reason: str) -> Reason:
    if finish_reason == contract.CUT_OFF:
        return reasons.REPLY_CUT_OFF()
    return reasons.REPLY_ONLY_THINKING() if text.strip() else reasons.REPLY_EMPTY()


def _read_among_words(answer: str, required: Sequence[str]) -> Reading:
    """Raises _Unreadable."""
    found, rest = _objects_in(answer)
    named = [one for one in found if any(name in one for name in required) or not required]
    whole = [one for one in named if _fits(one, required)]
    if not whole:
        return Reading("unparsed", problem=reasons.REPLY_UNREADABLE())
    if len({json.dumps(one, sort_keys=True) for one in named}) > 1:
        return Reading("unparsed", problem=reasons.REPLY_CONTRADICTING())
    if _names_in(rest, required):
        return Reading("unparsed", problem=reasons.REPLY_UNFINISHED())
    return Reading("repaired", whole[0])


def _fits(found: Any, required: Iterable[str]) -> bool:
    return isinstance(found, dict) and all(name in found for name in required)


def _names_in(rest: str, required: Sequence[str]) -> bool:
    """Whether a required property is named as in an object, outside of every whole one."""
    names = "|".join(re.escape(json.dumps(name)[1:-1]) for name in required)
    return bool(required) and re.search(rf"[\"'](?:{names})[\"']\s*:", rest) is not None


def _decoded(text: str) -> Any:
    """The text as JSON; None where it is not. Raises _Unreadable."""
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except RecursionError as error:
        raise _Unreadable(reasons.REPLY_TOO_DEEP()) from error
    except ValueError:
        return None
    _require_flat(value)
    return value


def _objects_in(text: str) -> tuple[list[dict[str, Any]], str]:
    """Every whole JSON object that begins somewhere in the text, the outermost ones only, and the text around them.

    Raises _Unreadable.
    """
    found: list[dict[str, Any]] = []
    rest: list[str] = []
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    since, at, braces, left = 0, text.find("{"), 0, MOST_READINGS * len(text)
    while at != -1 and left > 0 and (braces := braces + 1) <= MOST_BRACES:
        try:
            value, end = decoder.raw_decode(text, at)
        except RecursionError as error:
            raise _Unreadable(reasons.REPLY_TOO_DEEP()) from error
        except ValueError as error:
            left -= _n_read(error, text, at)
            end = at + 1
        else:
            _require_flat(value)
            found.append(value)
            rest.append(text[since:at])
            since = end
        at = text.find("{", end)
    return found, "\n".join([*rest, text[since:]])


def _n_read(error: ValueError, text: str, at: int) -> int:
    """How many characters were read from `at` on before it turned out that this is no object; never too few."""
    if isinstance(error, json.JSONDecodeError) and not error.msg.startswith("Unterminated string"):
        return error.pos - at + 1
    return len(text) - at


def _require_flat(value: Any) -> None:
    """Raises _Unreadable where values are nested deeper than MOST_DEPTH."""
    level = [value]
    for _depth in range(MOST_DEPTH):
        parts = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, dict | list)]
        if not parts:
            return
        level = [value for values in parts for value in values]
    if any(isinstance(one, dict | list) for one in level):
        raise _Unreadable(reasons.REPLY_TOO_DEEP())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises _Contradiction where a name has two values."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made and json.dumps(made[name]) != json.dumps(value):
            raise _Contradiction
        made[name] = value
    return made
