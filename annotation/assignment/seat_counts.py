"""How many seats of each unit are taken, counted at the unit when a seat is taken or freed.

Code that writes an assignment which starts or stops holding a seat calls `add_to_counts` in the same
transaction. Assignments that hold a seat are those of `annotation.assignment.seats.live`. What is there already is
locked in one order, or two people would wait for each other: assignments first, then units, each by their ids.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, F, Q

from annotation.models import SEATLESS, Assignment
from campaigns.models import Campaign, CampaignUnit

#: Statuses of assignments that hold a seat.
SEATED = [status for status in Assignment.Status if status not in SEATLESS]


@dataclass(frozen=True)
class WrongCount:
    """A unit whose count is not what its assignments say."""

    unit: int
    kept: int
    counted: int


def add_to_counts(changes: Mapping[int, int]) -> None:
    """Add to the numbers of taken seats of units, by id. It waits for transactions that locked one of these units."""
    for unit, change in sorted(changes.items()):
        CampaignUnit.objects.filter(pk=unit).update(seats_taken=F("seats_taken") + change)


def wrong_counts(campaign: Campaign | None = None) -> list[WrongCount]:
    """The units, of the campaign or of all, whose count is not what their assignments say."""
    units = CampaignUnit.objects.filter(campaign=campaign) if campaign else CampaignUnit.objects.all()
    seated = Q(assignments__status__in=SEATED, assignments__excluded=False)
    counted = units.order_by().annotate(counted=Count("assignments", filter=seated))
    wrong = counted.exclude(seats_taken=F("counted")).order_by("pk")
    return [WrongCount(*row) for row in wrong.values_list("pk", "seats_taken", "counted")]


def repair_counts(campaign: Campaign | None = None) -> list[WrongCount]:
    """Count again where the count is wrong; return what was."""
    wrong = wrong_counts(campaign)
    for one in wrong:
        _count_again(one.unit)
    return wrong


@transaction.atomic
def _count_again(unit: int) -> None:
    """With the unit locked: a transaction that is changing its seats will add to the count, or has done so."""
    CampaignUnit.objects.select_for_update().values_list("pk").get(pk=unit)
    there = Assignment.objects.filter(campaign_unit=unit, status__in=SEATED, excluded=False).count()
    CampaignUnit.objects.filter(pk=unit).update(seats_taken=there)
