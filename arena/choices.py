"""What a board may be set to, and the settings it is at: the same words in its address, its rows and its files."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from analytics.datasets import Selection, Subject, categories_of, questions
from analytics.evaluators import evaluators_of, groups_of
from campaigns.models import Campaign

Method = Literal["bradley_terry", "contextual", "elo"]
#: Ties as half wins; only votes that name a winner; or a model with a parameter for ties.
TiesAs = Literal["half", "decisive", "davidson"]
Errors = Literal["clusters", "votes", "bootstrap", "none"]

METHODS = ("bradley_terry", "contextual", "elo")
TIES = ("half", "decisive", "davidson")
ERRORS = ("clusters", "votes", "bootstrap")
STEPS = ("4", "8", "16", "32")


@dataclass(frozen=True)
class Settings:
    """Which answers are rated, and how. `k` is the step of Elo."""

    aspect: str
    category: str = ""
    by: str = ""
    excluded: bool = False
    method: str = "bradley_terry"
    ties: str = "half"
    errors: str = "clusters"
    k: float = 4.0

    def __post_init__(self) -> None:
        """What has no meaning beside the rest is put to its default, so that one board has one name."""
        if self.method == "elo":
            self._put(errors="none", ties="half" if self.ties == "davidson" else self.ties)
        else:
            self._put(k=4.0, errors="clusters" if self.errors == "none" else self.errors)
        if self.method == "contextual" and self.ties == "davidson":
            self._put(ties="half")
        if self.errors == "bootstrap" and (self.ties == "davidson" or self.method == "contextual"):
            self._put(errors="clusters")

    def _put(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def selection(self) -> Selection:
        return Selection(self.aspect, self.category, self.by, self.excluded)

    def document(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def digest(self) -> str:
        return hashlib.sha256(json.dumps(self.document(), sort_keys=True).encode()).hexdigest()

    @property
    def query(self) -> str:
        """As the rest of an address."""
        return urlencode(self.named)

    @property
    def named(self) -> dict[str, str]:
        """By the names of the address; what is at its default is not named."""
        named = {name: value for name, value in self.document().items() if value != _DEFAULTS.get(name)}
        if self.method == "elo":
            named.pop("errors", None)
        return {name: _written(value) for name, value in named.items()}


_DEFAULTS = {name: field.default for name, field in Settings.__dataclass_fields__.items() if name != "aspect"}


class NoSuchBoard(ValueError):
    """The settings name something that is not there."""


@dataclass(frozen=True)
class Offer:
    """What the subject has to choose from. Empty where nothing can be rated."""

    aspects: Mapping[str, str]
    categories: tuple[str, ...]
    by: tuple[str, ...]
    has_exclusions: bool
    groups: Mapping[str, str]

    def settings(self, asked: Mapping[str, str]) -> Settings:
        """What was asked for by name; everything else at its default. Raises NoSuchBoard."""
        return Settings(
            aspect=_one_of(asked, "aspect", tuple(self.aspects)),
            category=_one_of(asked, "category", ("", *self.categories)),
            by=_one_of(asked, "by", ("", *self.groups, *self.by)),
            excluded=self.has_exclusions and _one_of(asked, "excluded", ("", "1")) == "1",
            method=_one_of(asked, "method", METHODS),
            ties=_one_of(asked, "ties", TIES),
            errors=_one_of(asked, "errors", ERRORS),
            k=float(_one_of(asked, "k", STEPS)),
        )


def offer_of(subject: Subject) -> Offer:
    """In five queries."""
    return Offer(
        {name: it.title for name, it in questions(subject).items()},
        tuple(categories_of(subject)),
        tuple(evaluators_of(subject)),
        isinstance(subject, Campaign),
        groups_of(subject) if isinstance(subject, Campaign) else {},
    )


def _one_of(asked: Mapping[str, str], name: str, offered: tuple[str, ...]) -> str:
    if not offered:
        raise NoSuchBoard("nothing here says who is better")
    value = asked.get(name) or offered[0]
    if value not in offered:
        raise NoSuchBoard(f"{name} cannot be {value[:40]!r}")
    return value


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "1" if value is True else str(value)
