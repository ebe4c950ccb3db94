"""Reading what a model wrote, where it should have been one JSON object: one answer, or none."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from campaigns.phrases import Phrase
from judges.backends import contract
from judges.backends.contract import ParseStatus
from judges.backends.thinking import without_thinking

EMPTY = Phrase("The reply is empty.")
ONLY_THINKING = Phrase("The reply is nothing but thinking.")
CUT_OFF = Phrase("The reply was cut off at the token limit before its answer was whole.")
NO_OBJECT = Phrase("The reply holds no answer that can be read.")
CONTRADICTING = Phrase("The reply holds several answers that differ, so none of them counts.")
UNFINISHED = Phrase("The reply holds part of an answer beside a whole one, so neither counts.")
#: Objects begin at a brace; a reply is not searched any further than this.
MOST_BRACES = 1000


@dataclass(frozen=True)
class Reading:
    """What was read from a reply; `problem` says why nothing was, for a researcher."""

    status: ParseStatus
    data: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


class _Contradiction(Exception):
    """One object names the same property twice, with different values."""


def read_reply(text: str, schema: Mapping[str, Any], *, finish_reason: str = "") -> Reading:
    """The one object in the text that has every property the schema requires.

    `ok` where it stands alone; `repaired` where there is something around it. What the model thought aloud is cut
    first. Several objects that differ, or a second one that is not whole, make the reply unparsed: which of them was
    meant would be a guess.

    >>> read_reply('Sure! {"n": 1} Bye.', {"required": ["n"]})
    Reading(status='repaired', data={'n': 1}, problem='')
    >>> read_reply('{"n": 1} No: {"n": 2}', {"required": ["n"]}).status
    'unparsed'
    """
    required = tuple(schema.get("required", ()))
    try:
        whole = _decoded(text)
    except _Contradiction:
        return Reading("unparsed", problem=CONTRADICTING)
    if _fits(whole, required):
        return Reading("ok", whole)
    answer = without_thinking(text)
    if not answer.strip():
        return Reading("unparsed", problem=_why_nothing(text, finish_reason))
    if finish_reason == contract.CUT_OFF:
        return Reading("unparsed", problem=CUT_OFF)
    return _read_among_words(answer, required)


def storable(text: str) -> str:
    """The text without what a database cannot hold: NUL, and halves of characters that JSON can name alone.

    >>> storable("a\\x00b\\ud800")
    'ab?'
    """
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


def _why_nothing(text: str, finish_reason: str) -> str:
    if finish_reason == contract.CUT_OFF:
        return CUT_OFF
    return ONLY_THINKING if text.strip() else EMPTY


def _read_among_words(answer: str, required: Sequence[str]) -> Reading:
    try:
        found, rest = _objects_in(answer)
    except _Contradiction:
        return Reading("unparsed", problem=CONTRADICTING)
    named = [one for one in found if any(name in one for name in required) or not required]
    whole = [one for one in named if _fits(one, required)]
    if not whole:
        return Reading("unparsed", problem=NO_OBJECT)
    if len({json.dumps(one, sort_keys=True) for one in named}) > 1:
        return Reading("unparsed", problem=CONTRADICTING)
    if _names_in(rest, required):
        return Reading("unparsed", problem=UNFINISHED)
    return Reading("repaired", whole[0])


def _fits(found: Any, required: Iterable[str]) -> bool:
    return isinstance(found, dict) and all(name in found for name in required)


def _names_in(rest: str, required: Sequence[str]) -> bool:
    """Whether a required property is named as in an object, outside of every whole one."""
    names = "|".join(re.escape(json.dumps(name)[1:-1]) for name in required)
    return bool(required) and re.search(rf"[\"'](?:{names})[\"']\s*:", rest) is not None


def _decoded(text: str) -> Any:
    """The text as JSON; None where it is not. Raises _Contradiction."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _objects_in(text: str) -> tuple[list[dict[str, Any]], str]:
    """Every whole JSON object that begins somewhere in the text, the outermost ones only, and the text around them.

    Raises _Contradiction.
    """
    found: list[dict[str, Any]] = []
    rest: list[str] = []
    decoder = json.JSONDecoder(object_pairs_hook=_object)
    since, at, braces = 0, text.find("{"), 0
    while at != -1 and (braces := braces + 1) <= MOST_BRACES:
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            found.append(value)
            rest.append(text[since:at])
            since = end
        at = text.find("{", end)
    return found, "\n".join([*rest, text[since:]])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises _Contradiction where a name has two values."""
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made and json.dumps(made[name]) != json.dumps(value):
            raise _Contradiction
        made[name] = value
    return made
