"""Sections of the administration: each app registers its own in its `apps.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise


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
    """A section: the name of its URL, what it is for, where it stands among the others, and its state when asked."""

    url_name: str
    place: int
    title: Promise
    about: Promise
    state: Callable[[], State]


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
    found = []
    for section in sorted(_sections.values(), key=lambda it: it.place):
        try:
            address = reverse(section.url_name)
        except NoReverseMatch:
            continue
        found.append(Card(section.title, section.about, address, section.state()))
    return found
