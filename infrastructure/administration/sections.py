"""Sections of the administration: each app registers its own in its `apps.py`."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum

from django.core.cache import cache
from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise
from django.utils.translation import get_language

#: How long the line about health may be behind (s).
KEPT_S = 30


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

    One that `informs_only` is always well, so that the line about health, on every page, need not ask it.

    """

    url_name: str
    place: int
    title: Promise
    about: Promise
    state: Callable[[], State]
    informs_only: bool = False


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
    """Every section whose page exists, in order; the line about health goes by the same."""
    found = _cards(_sections.values())
    cache.set(_kept_under(), needing_action(found), KEPT_S)
    return found


def needing_action(found: Iterable[Card]) -> list[Card]:
    """Those with something to do."""
    return [card for card in found if card.state.level != Level.WELL]


def sections_needing_action() -> list[Card]:
    """The same of all sections, for the line about health; for a while as they were."""
    found = kept_needing_action()
    if found is None:
        found = needing_action(_cards(section for section in _sections.values() if not section.informs_only))
        cache.set(_kept_under(), found, KEPT_S)
    return found


def kept_needing_action() -> list[Card] | None:
    """The same without asking a section; None where none was asked for a while."""
    found: list[Card] | None = cache.get(_kept_under())
    return found


def _kept_under() -> str:
    return f"sections-needing-action-{get_language()}"


def _cards(sections: Iterable[Section]) -> list[Card]:
    found = []
    for section in sorted(sections, key=lambda it: it.place):
        try:
            address = reverse(section.url_name)
        except NoReverseMatch:
            continue
        state = section.state()
        if section.informs_only and state.level != Level.WELL:
            raise ValueError(f"The section {section.url_name} is not well, but was said to inform only.")
        found.append(Card(section.title, section.about, address, state))
    return found
