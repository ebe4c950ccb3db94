"""Sections of the administration: each app registers its own in its `apps.py`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.core.cache import cache
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import get_language

#: How long the line about health may be behind (s).
KEPT_S = 10


class Level(StrEnum):
    """How a section is. Pages say it in words as well as by colour."""

    WELL = "well"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True)
class State:
    """One line about a section, in the language of the page, and what to do where it is not well."""

    line: str
    level: Level = Level.WELL
    to_do: str = ""


@dataclass(frozen=True)
class Section:
    """A section: the name of its URL, what it is for, where it stands among the others, and its state when asked.

    With `in_health`, the line about health on every page says when it needs action; its state takes no query then.
    """

    url_name: str
    place: int
    title: Promise
    about: Promise
    state: Callable[[], State]
    in_health: bool = False


@dataclass(frozen=True)
class Card:
    """A section as the home page of the administration shows it."""

    title: Promise
    about: Promise
    address: str
    state: State


_sections: dict[str, Section] = {}


def register(*sections: Section) -> None:
    _sections.update({section.url_name: section for section in sections})


def cards() -> list[Card]:
    """Every section whose page exists, in order."""
    return _cards(_sections.values())


def needing_action() -> list[Card]:
    """Of those that the line about health speaks of, the ones that need action; for a while as they were."""
    key = f"sections-needing-action-{get_language()}"
    found: list[Card] | None = cache.get(key)
    if found is None:
        asked = [section for section in _sections.values() if section.in_health]
        found = [card for card in _cards(asked) if card.state.level == Level.BAD]
        cache.set(key, found, KEPT_S)
    return found


def _cards(sections: Iterable[Section]) -> list[Card]:
    found = []
    for section in sorted(sections, key=lambda it: it.place):
        try:
            address = reverse(section.url_name)
        except NoReverseMatch:
            continue
        found.append(Card(section.title, section.about, address, section.state()))
    return found
