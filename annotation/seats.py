"""Which units of a study have a free seat, and for whom."""

from typing import Any

from django.db import IntegrityError
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import User
from annotation.models import SEATLESS, Assignment
from campaigns.models import Campaign, CampaignUnit
from campaigns.prepared import Given, Prepared

#: Statuses of assignments that hold a seat.
SEATED = [status for status in Assignment.Status if status not in SEATLESS]


def live(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments that hold a seat: answered and used, or reserved by somebody."""
    return assignments.exclude(status__in=SEATLESS).filter(excluded=False)


def candidates(campaign: Campaign, annotator: User) -> QuerySet[CampaignUnit]:
    """Units with a free seat that this annotator has not had, those with the fewest answers first.

    Among equals, those come first that are not planned for somebody else.
    """
    of_unit = Assignment.objects.filter(campaign_unit=OuterRef("pk"))
    others_plans = of_unit.filter(status=Assignment.Status.PLANNED, expires_at__gt=timezone.now())
    counted = _free_units(campaign.pk, annotator.pk, campaign.answers_per_unit).annotate(
        taken=_count(live(of_unit)), planned=_count(others_plans.exclude(annotator=annotator))
    )
    return counted.order_by("taken", "planned", "position")


def n_free(campaign: Campaign, annotator: User) -> int:
    """How many units have a free seat that this annotator has not had."""
    return _n_free.number(campaign=campaign.pk, annotator=annotator.pk, last=campaign.answers_per_unit)


_Key = Any
"""Of a row, or `Given`."""


def _free_units(campaign: _Key, annotator: _Key, last: _Key) -> QuerySet[CampaignUnit]:
    """In no order. `last` is the number of a unit's last seat."""
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator)
    had = mine.exclude(status__in=[Assignment.Status.EXPIRED, Assignment.Status.PLANNED])
    units = CampaignUnit.objects.filter(campaign=campaign, purpose=CampaignUnit.Purpose.STUDY).order_by()
    return units.exclude(pk__in=had.values("campaign_unit")).exclude(pk__in=_full(campaign, last))


_n_free = Prepared(
    lambda: (
        _free_units(Given("campaign"), Given("annotator"), Given("last"))
        .values_list("campaign")
        .annotate(n=Count("pk"))
        .values_list("n")
    )
)


def _full(campaign: _Key, last: _Key) -> QuerySet[Assignment, dict[str, Any]]:
    """The ids of units whose every seat is taken.

    No two live assignments of a unit share a seat, so a full unit has one at the last seat or beyond; answers are
    counted only where there is one.
    """
    at_the_end = Assignment.objects.filter(campaign=campaign, status__in=SEATED, excluded=False, seat__gte=last)
    there = live(Assignment.objects.filter(campaign_unit__in=at_the_end.values("campaign_unit")))
    return there.values("campaign_unit").annotate(n=Count("pk")).filter(n__gte=last).values("campaign_unit")


def _count(of_unit: QuerySet[Assignment]) -> Coalesce:
    counts = of_unit.values("campaign_unit").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(counts), 0)


_seats_taken = Prepared(
    lambda: live(Assignment.objects.filter(campaign_unit=Given("unit"))).order_by().values_list("seat"),
)


def free_seat(unit: CampaignUnit, campaign: Campaign) -> int:
    """The lowest seat of the unit that nobody holds. Raises IntegrityError where there is none."""
    taken = {seat for (seat,) in _seats_taken.rows(unit=unit.pk)}
    free = [seat for seat in range(1, campaign.answers_per_unit + 1) if seat not in taken]
    if not free:
        raise IntegrityError("the last seat went while the row was being locked")
    return free[0]
