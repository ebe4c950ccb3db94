"""Which units of a study have a free seat, and for whom."""

from typing import Any

from django.db import IntegrityError
from django.db.models import Count, DateTimeField, Q, QuerySet
from django.utils import timezone

from accounts.models import User
from annotation.models import SEATLESS, Assignment
from campaigns.models import Campaign, CampaignUnit
from campaigns.prepared import Given, Prepared

#: Statuses of assignments that hold a seat.
SEATED = [status for status in Assignment.Status if status not in SEATLESS]
#: So many are tried one after the other, where others who ask at the same moment have them locked.
CANDIDATES = 20


def live(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments that hold a seat: answered and used, or reserved by somebody."""
    return assignments.exclude(status__in=SEATLESS).filter(excluded=False)


def candidates(campaign: Campaign, annotator: User) -> list[int]:
    """The ids of the next few units with a free seat that this annotator has not had, fewest answers first.

    Among equals, those come first that are not planned for somebody else.
    """
    found = _fewest_first.rows(
        campaign=campaign.pk, annotator=annotator.pk, last=campaign.answers_per_unit, now=timezone.now()
    )
    return [pk for (pk,) in found]


def is_free(campaign: Campaign, annotator: User, unit: CampaignUnit) -> bool:
    """Whether the unit has a free seat, and this annotator has not had it."""
    return _free_here(campaign, annotator).filter(pk=unit.pk).exists()


def locked_unit(campaign: Campaign, annotator: User, *, planned: QuerySet[Assignment]) -> CampaignUnit | None:
    """The planned unit if it still has a free seat, else the first of `candidates`, locked; None if nothing is left.

    Call it within a transaction. Raises IntegrityError where a unit that was waited for went meanwhile.
    """
    free = _free_here(campaign, annotator).select_related("unit")
    unlocked = free.select_for_update(skip_locked=True, of=("self",))
    if unit := unlocked.filter(pk__in=planned.values("campaign_unit")).first():
        return unit
    ids = candidates(campaign, annotator)
    for pk in ids:
        if unit := unlocked.filter(pk=pk).first():
            return unit
    if not ids:
        return None
    # A unit that is locked may still have a seat for this person too: wait for it before saying that nothing is left.
    if unit := free.select_for_update(of=("self",)).filter(pk=ids[0]).first():
        return unit
    raise IntegrityError("the unit went while its row was being locked")


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


def _free_here(campaign: Campaign, annotator: User) -> QuerySet[CampaignUnit]:
    return _free_units(campaign.pk, annotator.pk, campaign.answers_per_unit)


# One pass over the campaign's assignments: counted unit by unit, what is planned for anybody is read for each.
_fewest_first = Prepared(
    lambda: (
        _free_units(Given("campaign"), Given("annotator"), Given("last"))
        .annotate(
            taken=Count("assignments", filter=Q(assignments__status__in=SEATED, assignments__excluded=False)),
            planned=Count(
                "assignments",
                filter=Q(
                    ~Q(assignments__annotator=Given("annotator")),
                    assignments__status=Assignment.Status.PLANNED,
                    assignments__expires_at__gt=Given("now", DateTimeField()),
                ),
            ),
        )
        .order_by("taken", "planned", "position")
        .values_list("pk")[:CANDIDATES]
    )
)

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
