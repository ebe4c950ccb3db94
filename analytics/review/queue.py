"""Which units of a campaign somebody should look at, and in which order."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import Count, Max, Q, QuerySet

from analytics.data.inclusion import WITH_EXCLUDED, answers_in
from analytics.review.disagreement import FarApart, far_apart
from annotation.models import Annotation, Assignment, DefectMark, UnitReview
from campaigns.models import Campaign, CampaignUnit, Unit
from measurements.identity_leaks.units import telling_units

#: From here on answers are said to disagree: half as far apart as the scale of an aspect allows.
FAR = 0.5
#: Given back so often for such a reason, a unit is suspected, and not its annotators.
OFTEN = 2
SUSPICIOUS_RETURNS = ("does_not_play", "cannot_judge")


class Sign(StrEnum):
    """Why a unit is in the queue."""

    APART = "apart"
    FLAG = "flag"
    DEFECT = "defect"
    RETURNED = "returned"
    WAITING = "waiting"
    TELLS = "tells"


@dataclass(frozen=True)
class QueuedUnit:
    """A unit of the study with what speaks for looking at it. `number` counts the campaign's units from 1."""

    pk: int
    number: int
    item: str
    category: str
    n_used: int
    apart: FarApart | None
    flags: int
    defects: int
    returned: int
    waiting: bool
    tells: bool
    reviewed: bool

    @property
    def signs(self) -> tuple[Sign, ...]:
        there = {
            Sign.APART: self.apart is not None and self.apart.distance >= FAR,
            Sign.FLAG: self.flags > 0,
            Sign.DEFECT: self.defects > 0,
            Sign.RETURNED: self.returned >= OFTEN,
            Sign.WAITING: self.waiting,
            Sign.TELLS: self.tells,
        }
        return tuple(sign for sign, is_there in there.items() if is_there)

    @property
    def percent_apart(self) -> int | None:
        return None if self.apart is None else round(100 * self.apart.distance)


@dataclass(frozen=True)
class Wanted:
    """Which part of the queue: one sign or (without) any, and what is still to do, done, or both."""

    sign: Sign | None = None
    state: str = "open"

    def has(self, unit: QueuedUnit) -> bool:
        in_state = self.state == "all" or unit.reviewed == (self.state == "done")
        return in_state and (self.sign is None or self.sign in unit.signs)


STATES = ("open", "done", "all")


def read_wanted(sign: str, state: str) -> Wanted:
    """What an address asks for; words that mean nothing are passed over."""
    return Wanted(Sign(sign) if sign in list(Sign) else None, state if state in STATES else "open")


def review_queue(campaign: Campaign) -> list[QueuedUnit]:
    """Every unit that has a sign or was reviewed.

    Answers furthest apart come first, among equals most flags and marks, then as they come in the campaign.
    The number of queries does not depend on the number of units.
    """
    found = [unit for unit in _all_units(campaign) if unit.signs or unit.reviewed]
    return sorted(found, key=_rank)


def neighbours(queue: list[QueuedUnit], wanted: Wanted, unit: int) -> tuple[int | None, int | None]:
    """The units before and after this one in the wanted part of the queue, which goes round.

    The unit need not be in that part any more: what a reviewer decides may move it, and the next one is found still.
    """
    there = [row.pk for row in queue if row.pk == unit or wanted.has(row)]
    at = there.index(unit) if unit in there else -1
    others = there[at + 1 :] + there[: max(at, 0)]
    return (others[-1], others[0]) if others else (None, None)


def _rank(unit: QueuedUnit) -> tuple[float, int, int]:
    return -(unit.apart.distance if unit.apart else 0.0), -(unit.flags + unit.defects), unit.number


def _all_units(campaign: Campaign) -> Iterator[QueuedUnit]:
    there = answers_in(campaign, WITH_EXCLUDED)
    apart = far_apart(campaign)
    flags = _counts(there.exclude(flag=""), "assignment__campaign_unit")
    defects = _counts(DefectMark.objects.filter(annotation__in=there.order_by().values("pk")), DEFECT_UNIT)
    held = _held(campaign)
    reviewed, answered = _latest_reviews(campaign), _latest_answers(there)
    telling = telling_units(campaign.dataset, Unit.objects.filter(pk__in=_study(campaign).values("unit")))
    asked = 0 if campaign.status == Campaign.Status.CLOSED else campaign.answers_per_unit
    columns = ("pk", "unit", "unit__item__key", "unit__item__category")
    rows = _study(campaign).order_by("position").values_list(*columns)
    for number, (pk, unit, item, category) in enumerate(rows, start=1):
        of_unit = held.get(pk, _Held())
        yield QueuedUnit(
            pk=pk,
            number=number,
            item=item,
            category=category,
            n_used=of_unit.used,
            apart=apart.get(pk),
            flags=flags[pk],
            defects=defects[pk],
            returned=of_unit.returned,
            waiting=of_unit.excluded > 0 and of_unit.used < asked,
            tells=unit in telling,
            reviewed=pk in reviewed and reviewed[pk] >= answered.get(pk, reviewed[pk]),
        )


DEFECT_UNIT = "annotation__assignment__campaign_unit"


@dataclass(frozen=True)
class _Held:
    """How many assignments of a unit were answered and are used, left out, or were given back for such a reason."""

    used: int = 0
    excluded: int = 0
    returned: int = 0


def _held(campaign: Campaign) -> dict[int, _Held]:
    answered = Q(status=Assignment.Status.ANSWERED)
    rows = (
        Assignment.objects.filter(campaign=campaign)
        .order_by()
        .values("campaign_unit")
        .annotate(
            used=Count("pk", answered & Q(excluded=False)),
            left_out=Count("pk", answered & Q(excluded=True)),
            returned=Count("pk", Q(status=Assignment.Status.RETURNED, return_reason__in=SUSPICIOUS_RETURNS)),
        )
    )
    return {row["campaign_unit"]: _Held(row["used"], row["left_out"], row["returned"]) for row in rows}


def _study(campaign: Campaign) -> QuerySet[CampaignUnit]:
    return campaign.campaign_units.filter(purpose=CampaignUnit.Purpose.STUDY)


def _counts(rows: QuerySet[Any], column: str) -> Counter[int]:
    return Counter(dict(rows.order_by().values_list(column).annotate(n=Count("pk"))))


def _latest_reviews(campaign: Campaign) -> dict[int, datetime]:
    rows = UnitReview.objects.filter(campaign_unit__campaign=campaign).order_by()
    return dict(rows.values_list("campaign_unit").annotate(at=Max("made_at")))


def _latest_answers(there: QuerySet[Annotation]) -> dict[int, datetime]:
    return dict(there.order_by().values_list("assignment__campaign_unit").annotate(at=Max("recorded_at")))


def n_reviewed(queue: Iterable[QueuedUnit]) -> int:
    return sum(unit.reviewed for unit in queue)
