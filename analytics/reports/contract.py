"""What a kind of report declares. A new one is a module in `kinds/` and its line in the registry there."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from analytics.reports.output.figures import Figure
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.reasons import Reason


@dataclass(frozen=True)
class Option:
    """A choice of this kind's own, beside the filters that all have. The first of `values` is meant without a word.

    `values` are pairs of what addresses say and what people read.
    """

    name: str
    title: str
    values: tuple[tuple[str, str], ...]


def nothing_missing(_campaign: Campaign) -> None:
    return None


def no_options(_campaign: Campaign) -> tuple[Option, ...]:
    return ()


def nothing_more(_source: Source) -> tuple[object, ...]:
    return ()


@dataclass(frozen=True)
class ReportKind:
    """`figures` computes; all else is quick. `claims` says in a sentence what may be claimed from them, and what not.

    A new `version` makes kept reports of this kind be computed anew.

    `why_not` says, from few rows, why there can be no such report of a campaign, if there can be none. `more_stamps`
    is for what figures depend on beyond answers, labels and verdicts of the campaign.
    """

    name: str
    title: str
    lead: str
    claims: str
    version: str
    figures: Callable[[Source], Iterable[Figure]]
    why_not: Callable[[Campaign], Reason | None] = nothing_missing
    options: Callable[[Campaign], tuple[Option, ...]] = no_options
    more_stamps: Callable[[Source], tuple[object, ...]] = nothing_more
    #: Whether figures show what each annotator did, by pseudonym: those are for staff that may review.
    about_people: bool = False
