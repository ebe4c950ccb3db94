"""What a board may be set to, and the settings it is at: the same words in its address, its rows and its files."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from analytics.data.rater_groups import evaluators_of, groups_of, is_run
from analytics.data.votes.ordering import columns_of_pairs
from analytics.data.votes.table import Selection, Subject, categories_of, questions
from analytics.judged.offered_runs import OfferedRun, offered_runs
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from stats.ratings.votes import BOTH_BAD, BOTH_GOOD

Method = Literal["bradley_terry", "contextual", "elo"]
#: Ties as half wins; only votes that name a winner; or a model with a parameter for ties.
TiesAs = Literal["half", "decisive", "davidson"]
Errors = Literal["clusters", "votes", "bootstrap", "cluster_bootstrap", "none"]

METHODS = ("bradley_terry", "contextual", "elo")
#: Votes of this kind do not count at all, the other kind is half a win each.
WITHOUT = {"without_both_good": BOTH_GOOD, "without_both_bad": BOTH_BAD}
TIES = ("half", "decisive", "davidson", *WITHOUT)
#: Elo's orders of votes: as recorded; the mean over permutations; or by a column that came with the pairs.
SHUFFLED, BY_COLUMN = "shuffled", "by:"
#: Votes drawn each for itself, or voters with all their votes.
BOOTSTRAPS = ("bootstrap", "cluster_bootstrap")
ERRORS = ("clusters", "votes", *BOOTSTRAPS)
#: So many choices are named where there is none of that name; who rates is not told.
MOST_TOLD = 40
STEPS = ("4", "8", "16", "32")


@dataclass(frozen=True)
class Settings:
    """Which answers are rated, and how. `k` is the step of Elo, `order` in which it takes the votes."""

    aspect: str
    category: str = ""
    by: str = ""
    excluded: bool = False
    method: str = "bradley_terry"
    ties: str = "half"
    errors: str = "clusters"
    k: float = 4.0
    order: str = ""

    def __post_init__(self) -> None:
        """What has no meaning beside the rest is put to its default, so that one board has one name."""
        if self.of_judge:
            self._put(excluded=False)
        if self.method == "elo":
            self._put(errors="none", ties="half" if self.ties == "davidson" else self.ties)
        else:
            self._put(k=4.0, order="", errors="clusters" if self.errors == "none" else self.errors)
        if self.method == "contextual" and self.ties == "davidson":
            self._put(ties="half")
        if self.errors in BOOTSTRAPS and not self.may_resample:
            self._put(errors="clusters")

    def _put(self, **values: Any) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    @property
    def may_resample(self) -> bool:
        """Whether intervals can be of resamples: those of Bradley–Terry, ties as half wins or left out."""
        return self.method == "bradley_terry" and self.ties != "davidson"

    @property
    def of_judge(self) -> bool:
        """Whether the votes are the verdicts of a judge's run."""
        return is_run(self.by)

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


def not_resampled(asked: Mapping[str, str], settings: Settings) -> bool:
    """Whether resamples were asked for where the ratings have intervals of sandwich errors alone."""
    return asked.get("errors") in BOOTSTRAPS and settings.method != "elo" and not settings.may_resample


class NoSuchBoard(ValueError):
    """The settings name something that is not there."""


class NoBoardOfRun(NoSuchBoard):
    """A judge's run that has no board here, or none at this moment. The reason is for a researcher."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True)
class Offer:
    """What the subject has to choose from. Empty where nothing can be rated."""

    aspects: Mapping[str, str]
    categories: tuple[str, ...]
    by: tuple[str, ...]
    has_exclusions: bool
    groups: Mapping[str, str]
    runs: Mapping[str, OfferedRun] = field(default_factory=dict)
    typed: Collection[str] = ()
    columns: tuple[str, ...] = ()

    @property
    def orders(self) -> tuple[str, ...]:
        """In which Elo can take the votes."""
        return ("", SHUFFLED, *(f"{BY_COLUMN}{column}" for column in self.columns))

    @property
    def boards_of_runs(self) -> dict[str, OfferedRun]:
        """Those that can be chosen."""
        return {by: run for by, run in self.runs.items() if not run.why_not}

    def settings(self, asked: Mapping[str, str]) -> Settings:
        """What was asked for by name; everything else at its default. Raises NoSuchBoard, NoBoardOfRun."""
        if is_run(by := asked.get("by", "")) and (why := self._why_not(by)):
            raise NoBoardOfRun(why)
        ties = _one_of(asked, "ties", TIES)
        if ties in WITHOUT and _one_of(asked, "aspect", tuple(self.aspects)) not in self.typed:
            raise NoSuchBoard(f"ties cannot be {ties!r}: they have no type here")
        return Settings(
            aspect=_one_of(asked, "aspect", tuple(self.aspects)),
            category=_one_of(asked, "category", ("", *self.categories)),
            by=_one_of(asked, "by", ("", *self.groups, *self.boards_of_runs, *self.by)),
            excluded=self.has_exclusions and _one_of(asked, "excluded", ("", "1")) == "1",
            method=_one_of(asked, "method", METHODS),
            ties=ties,
            errors=_one_of(asked, "errors", ERRORS),
            k=float(_one_of(asked, "k", STEPS)),
            order=_one_of(asked, "order", self.orders),
        )

    def _why_not(self, by: str) -> str:
        run = self.runs.get(by)
        return run.why_not if run else Phrase("No run of this number judged pairs of this campaign.")


def offer_of(subject: Subject) -> Offer:
    """In a number of queries that does not depend on how much there is."""
    asked = questions(subject)
    aspects = {name: it.title for name, it in asked.items()}
    return Offer(
        aspects,
        tuple(categories_of(subject)),
        tuple(evaluators_of(subject)),
        isinstance(subject, Campaign),
        groups_of(subject) if isinstance(subject, Campaign) else {},
        offered_runs(subject, aspects) if isinstance(subject, Campaign) else {},
        frozenset(name for name, it in asked.items() if it.preferences.ties == "typed"),
        columns_of_pairs(subject),
    )


def _one_of(asked: Mapping[str, str], name: str, offered: tuple[str, ...]) -> str:
    if not offered:
        raise NoSuchBoard("nothing here says who is better")
    value = asked.get(name) or offered[0]
    if value not in offered:
        there = "" if name == "by" else f"; there is {', '.join(it or repr(it) for it in offered[:MOST_TOLD])}"
        raise NoSuchBoard(f"{name} cannot be {value[:40]!r}{there}")
    return value


def _written(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return "1" if value is True else str(value)
