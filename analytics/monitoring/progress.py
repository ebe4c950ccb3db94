"""How a campaign goes at this moment: each figure with the number of answers or units it is of."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

import numpy as np
from django.db.models import Count, Q, QuerySet, Value
from django.utils import timezone

from analytics.data.inclusion import left_out_by_reason
from analytics.monitoring.answer_times import answer_times
from analytics.monitoring.forecast import SLOTS, Finish, finish_of
from annotation.models import Assignment
from campaigns.models import Campaign, CampaignUnit
from campaigns.people.members import withdrawn_memberships
from stats.arrays import Floats

HOURS = 24
HOUR = timedelta(hours=1)
SLOT = timedelta(minutes=10)
AT_WORK = timedelta(minutes=10)
STUDY = CampaignUnit.Purpose.STUDY
ANSWERED, RESERVED = Assignment.Status.ANSWERED, Assignment.Status.RESERVED


@dataclass(frozen=True)
class HourOfAnswers:
    """The answers of one hour that began at `begins`."""

    begins: datetime
    n: int


@dataclass(frozen=True)
class Coverage:
    """How many units have 0, 1, … used answers; the last step holds those with the target or more."""

    steps: tuple[tuple[int, int], ...]
    target: int

    @property
    def units(self) -> int:
        return sum(n for _, n in self.steps)

    @property
    def complete(self) -> int:
        return dict(self.steps).get(self.target, 0)


@dataclass(frozen=True)
class Exclusions:
    """Of `answered` units of an annotator, those left out of the analysis, by reason."""

    answered: int
    excluded: int
    withdrawn: int
    by_reason: tuple[tuple[str, int], ...]

    @property
    def percent(self) -> float | None:
        return 100 * self.excluded / self.answered if self.answered else None


@dataclass(frozen=True)
class Pulse:
    """`used` answers of `wanted` are there."""

    at: datetime
    hours: tuple[HourOfAnswers, ...]
    coverage: Coverage
    at_work: int
    today: int
    exclusions: Exclusions
    used: int
    wanted: int
    finish: Finish

    @property
    def last_day(self) -> int:
        return sum(hour.n for hour in self.hours)


def pulse(campaign: Campaign) -> Pulse:
    """In seven queries at most, however much was answered."""
    now = timezone.now()
    withdrawn = set(withdrawn_memberships().filter(campaign=campaign).values_list("user_id", flat=True))
    at_work, today = _people(campaign, now)
    answered = _answered(campaign, withdrawn)
    coverage = _coverage(answered.per_unit, campaign.answers_per_unit)
    hours, slots = _hours_and_slots(campaign, now)
    missing = sum((campaign.answers_per_unit - n) * units for n, units in coverage.steps)
    return Pulse(
        at=now,
        hours=hours,
        coverage=coverage,
        at_work=at_work,
        today=today,
        exclusions=_exclusions(campaign, answered),
        used=answered.used,
        wanted=coverage.units * campaign.answers_per_unit,
        finish=finish_of(missing, slots=slots, slot=SLOT, now=now),
    )


def _people(campaign: Campaign, now: datetime) -> tuple[int, int]:
    """How many people were given or shown a unit in the last minutes, and today; checks are units too."""
    midnight = timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)
    earlier = min(midnight, now - AT_WORK)
    rows = Assignment.objects.filter(campaign=campaign).exclude(status=Assignment.Status.PLANNED)
    counts = rows.filter(_moved_since(earlier)).aggregate(
        at_work=Count("annotator", distinct=True, filter=_moved_since(now - AT_WORK)),
        today=Count("annotator", distinct=True, filter=_moved_since(midnight)),
    )
    return counts["at_work"], counts["today"]


def _moved_since(moment: datetime) -> Q:
    return Q(reserved_at__gte=moment) | Q(shown_at__gte=moment) | Q(reopened_at__gte=moment)


@dataclass(frozen=True)
class _Answered:
    """`per_unit` has the units of the study by how many used answers they have; `given` counts withdrawn ones too."""

    per_unit: Counter[int]
    given: int
    withdrawn: int

    @property
    def used(self) -> int:
        return sum(n * units for n, units in self.per_unit.items())


class _Kind(IntEnum):
    """Of the numbers that are read in one query, so that all of them are of the same moment."""

    UNITS, NOT_USED, GIVEN, TO_CHECKS, WITHDRAWN = range(5)


def _answered(campaign: Campaign, withdrawn: set[int]) -> _Answered:
    """Used answers are the seats that are taken, which each unit has counted, without units in hand and withdrawn
    answers. All answers, and those to checks, are counted apart: an index has them, and none has those of the study.
    """
    units, rows = campaign.campaign_units.order_by(), Assignment.objects.filter(campaign=campaign).order_by()
    checks, given = units.exclude(purpose=STUDY), rows.filter(status=ANSWERED)
    of_study, not_used = rows.filter(campaign_unit__purpose=STUDY), Q(status=RESERVED)
    if withdrawn:
        not_used |= Q(status=ANSWERED, annotator__in=withdrawn)
    seated = of_study.filter(not_used, excluded=False)
    counted = [
        _numbers_of(units.filter(purpose=STUDY), _Kind.UNITS, "seats_taken"),
        _numbers_of(seated, _Kind.NOT_USED, "campaign_unit__seats_taken", "campaign_unit"),
        _numbers_of(given, _Kind.GIVEN, "campaign"),
        _numbers_of(given.filter(campaign_unit__in=checks.values("pk")), _Kind.TO_CHECKS, "campaign"),
    ]
    if withdrawn:
        theirs = of_study.filter(status=ANSWERED, annotator__in=withdrawn)
        counted.append(_numbers_of(theirs, _Kind.WITHDRAWN, "campaign"))
    return _added_up(counted[0].union(*counted[1:], all=True))


def _numbers_of(rows: QuerySet[Any], kind: _Kind, by: str, *more: str) -> QuerySet[Any]:
    """`kind`, the value of `by`, and how many rows there are that are alike in that and in `more`."""
    numbered = rows.values(by, *more).annotate(kind=Value(kind.value), n=Count("*"))
    found: QuerySet[Any] = numbered.values_list("kind", by, "n")
    return found


def _added_up(numbers: Iterable[tuple[int, int, int]]) -> _Answered:
    per_unit, totals = Counter[int](), Counter[int]()
    for kind, by, n in numbers:
        totals[kind] += n
        if kind == _Kind.UNITS:
            per_unit[by] += n
        if kind == _Kind.NOT_USED:  # of one unit, with so many seats that are taken
            per_unit[by] -= 1
            per_unit[by - n] += 1
    return _Answered(per_unit, totals[_Kind.GIVEN] - totals[_Kind.TO_CHECKS], totals[_Kind.WITHDRAWN])


def _coverage(per_unit: Counter[int], target: int) -> Coverage:
    """More than the target counts as the target."""
    steps: Counter[int] = Counter()
    for n, units in per_unit.items():
        steps[min(n, target)] += units
    return Coverage(tuple((n, steps[n]) for n in range(target + 1)), target)


def _exclusions(campaign: Campaign, answered: _Answered) -> Exclusions:
    """What was answered, is not withdrawn and is not used is left out."""
    given = answered.given - answered.withdrawn
    excluded = given - answered.used
    return Exclusions(given, excluded, answered.withdrawn, left_out_by_reason(campaign) if excluded else ())


def _hours_and_slots(campaign: Campaign, now: datetime) -> tuple[tuple[HourOfAnswers, ...], list[int]]:
    """First answers of the last day by the hour, and of the last hours by ten minutes, the latest last.

    Slots reach as far back as the campaign goes.
    """
    this_hour = now.replace(minute=0, second=0, microsecond=0)
    hours = [this_hour - n * HOUR for n in reversed(range(HOURS))]
    slots = [now - (n + 1) * SLOT for n in reversed(range(SLOTS))]
    slots = [begins for begins in slots if begins >= (campaign.opened_at or begins)]
    times = answer_times(campaign, hours[0])
    by_hour = map(HourOfAnswers, hours, _numbers(times, hours, HOUR))
    return tuple(by_hour), _numbers(times, slots, SLOT)


def _numbers(times: Floats, begins: list[datetime], lasts: timedelta) -> list[int]:
    """How many of these times, which are in order, lie in each stretch."""
    found = np.searchsorted(times, [[at.timestamp(), (at + lasts).timestamp()] for at in begins])
    return [int(end - begin) for begin, end in found.reshape(-1, 2)]
