"""Which units of a study have a free seat, and for whom."""

import math
from collections import Counter
from functools import cache
from typing import Any

from django.db import IntegrityError
from django.db.models import Count, DateTimeField, QuerySet
from django.utils import timezone

from accounts.models import User
from annotation.models import SEATLESS, Assignment
from campaigns.models import Campaign, CampaignUnit
from infrastructure.compiled_queries import Given, Prepared

#: So many are tried one after the other, where others who ask at the same moment have them locked.
CANDIDATES = 20


def live(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments that hold a seat: answered and used, or reserved."""
    return assignments.exclude(status__in=SEATLESS).filter(excluded=False)


def candidates(campaign: Campaign, annotator: User) -> list[int]:
    """The ids of the next few units with a free seat that this annotator has not had, fewest answers first.

    Among equals, units that are not planned for another annotator come first.
    """
    of_others = {"campaign": campaign.pk, "annotator": annotator.pk, "now": timezone.now()}
    planned = Counter(unit for (unit,) in _planned_for_others.rows(**of_others))
    # Enough of them, even if every planned unit were among the first.
    wanted = CANDIDATES * (1 + math.ceil(len(planned) / CANDIDATES))
    key = {"campaign": campaign.pk, "annotator": annotator.pk, "last": campaign.answers_per_unit}
    found = sorted((taken, planned[pk], position, pk) for pk, taken, position in _fewest_first(wanted).rows(**key))
    return [pk for _taken, _planned, _position, pk in found[:CANDIDATES]]


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
    study = {"campaign": campaign, "purpose": CampaignUnit.Purpose.STUDY}
    units = CampaignUnit.objects.filter(**study, seats_taken__lt=last).order_by()
    return units.exclude(pk__in=had.values("campaign_unit"))


def _free_here(campaign: Campaign, annotator: User) -> QuerySet[CampaignUnit]:
    return _free_units(campaign.pk, annotator.pk, campaign.answers_per_unit)


@cache
def _fewest_first(n: int) -> Prepared[tuple[int, int, int]]:
    """The first `n` free units: id, seats taken, position. An index has them in this order."""
    return Prepared(
        lambda: (
            _free_units(Given("campaign"), Given("annotator"), Given("last"))
            .order_by("seats_taken", "position")
            .values_list("pk", "seats_taken", "position")[:n]
        )
    )


_planned_for_others = Prepared(
    lambda: (
        Assignment.objects.filter(campaign=Given("campaign"), status=Assignment.Status.PLANNED)
        .filter(expires_at__gt=Given("now", DateTimeField()))
        .exclude(annotator=Given("annotator"))
        .order_by()
        .values_list("campaign_unit")
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


_seats_taken = Prepared(
    lambda: live(Assignment.objects.filter(campaign_unit=Given("unit"))).order_by().values_list("seat"),
)


def free_seat(unit: CampaignUnit, campaign: Campaign) -> int:
    """The lowest free seat of the unit. Raises IntegrityError where there is none."""
    taken = {seat for (seat,) in _seats_taken.rows(unit=unit.pk)}
    free = [seat for seat in range(1, campaign.answers_per_unit + 1) if seat not in taken]
    if not free:
        raise IntegrityError("the last seat went while the row was being locked")
    return free[0]
