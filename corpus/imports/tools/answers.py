"""What a tool's file says of items and systems, as rows of a table of answers."""

import re
from collections.abc import Iterable, Iterator

from corpus.imports.files.rows import Row
from corpus.imports.mapping.known import Known
from corpus.imports.tools.recognised import Said
from corpus.tidy.cells import as_json
from corpus.tidy.keys import unit_key
from infrastructure.files.csv_files import harmless

TURNED = {"a": "b", "b": "a"}


def rows_of_answers(said: Iterable[tuple[int, Said]], known: Known) -> Iterator[tuple[int, Row]]:
    """Each answer with the unit that it is about: that of the dataset, which may have the two systems the other way
    round, or a new one.
    """
    for number, answer in said:
        yield number, _row(answer, known)


def _row(said: Said, known: Known) -> Row:
    takes = said.takes or tuple(_only_take(known, said.item, system) for system in said.systems)
    key, is_turned = _unit(said, takes, known)
    order = slice(None, None, -1 if is_turned else 1)
    slots = "ab"[: len(said.systems)]
    systems, responses = (dict(zip(slots, it[order], strict=True)) for it in (said.systems, takes))
    value, more = said.value, dict(said.more)
    if is_turned:
        value = _turned(value)
        more |= {"order": more["order"][::-1]} if "order" in more else {}
    return {
        "unit": harmless(key),
        "kind": "single" if len(said.systems) == 1 else "pair",
        "item": harmless(said.item),
        "systems": as_json(systems) or "",
        "responses": (as_json(responses) or "") if all(takes) else "",
        "annotator": harmless(said.annotator),
        "aspect": said.aspect,
        "slot": "a" if len(said.systems) == 1 else "",
        "value": harmless(value),
    } | {name: harmless(cell) for name, cell in more.items()}


def _turned(value: str) -> str:
    """The answer of the pair the other way round; a number is how much better the second is.

    >>> _turned("a"), _turned("tie"), _turned("-2"), _turned("3"), _turned("0")
    ('b', 'tie', '2', '-3', '0')
    """
    return str(-int(value)) if re.fullmatch(r"[+-]?\d+", value) else TURNED.get(value, value)


def _only_take(known: Known, item: str, system: str) -> str:
    takes = known.takes.get((item, system), [])
    return takes[0] if len(takes) == 1 else ""


def _unit(said: Said, takes: tuple[str, ...], known: Known) -> tuple[str, bool]:
    """The key of the unit, which is noted where it is new, and whether it has the two the other way round."""
    responses = [(said.item, system, take) for system, take in zip(said.systems, takes, strict=True)]
    if key := known.unit_of(responses) or known.unit_of_systems(said.item, list(said.systems)):
        there = known.units[key]
        return key, there != responses and [system for _, system, _ in there] == list(said.systems)[::-1]
    take = takes if len(said.systems) == 1 or len(set(said.systems)) == 1 else ()
    key = unit_key(said.item, *said.systems, *(it or "1" for it in take))
    known.add_unit(key, responses)  # so that the next answer finds it, whichever way round
    return key, False
