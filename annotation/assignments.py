"""Which unit an annotator gets next. One at a time, so that nobody holds work that others could do."""

import random
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import IntegrityError, transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.models import GONE, Assignment
from campaigns.access import Right, rights_in
from campaigns.models import Campaign, CampaignUnit, Unit
from campaigns.units import slots_of

ATTEMPTS = 5
#: Why a unit may be given back, in the annotator's words.
RETURN_REASONS = {
    "does_not_play": _("A clip does not play"),
    "cannot_judge": _("I cannot judge this"),
    "knows_voice": _("I recognise a voice"),
    "other": _("Another reason"),
}


class TooMuchAtOnce(RuntimeError):
    """No seat could be had in several attempts, though there may be one."""


class CampaignNotOpen(ValueError):
    """Annotators are not let in at the moment."""


def next_assignment(campaign: Campaign, annotator: User) -> Assignment | None:
    """The unit this annotator is at, or a newly reserved one; None when there is nothing left for them.

    Raises CampaignNotOpen. Two people who ask at the same moment get different seats: the unit's row is locked,
    and a constraint on (unit, seat) has the last word.
    """
    if campaign.status != Campaign.Status.OPEN:
        raise CampaignNotOpen("This campaign is not open at the moment.")
    if held := _held(campaign, annotator):
        return held
    for _attempt in range(ATTEMPTS):
        try:
            with transaction.atomic():
                return _reserve(campaign, annotator)
        except IntegrityError:
            # Somebody was faster, perhaps this annotator in another tab.
            if held := _held(campaign, annotator):
                return held
    raise TooMuchAtOnce("Too many people asked at the same moment. Reload the page.")


def live(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Assignments that hold a seat: answered, or reserved by somebody."""
    return assignments.exclude(status__in=GONE)


def locked_assignment(assignment_id: UUID, annotator: User) -> Assignment:
    """The assignment, locked, for somebody who still may label in its campaign.

    Raises Assignment.DoesNotExist for somebody else's, PermissionDenied for somebody who was removed meanwhile.
    """
    assignment = (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("campaign", "campaign_unit__unit__item")
        .get(pk=assignment_id, annotator=annotator)
    )
    if Right.LABEL not in rights_in(assignment.campaign, annotator):
        raise PermissionDenied("You no longer label in this campaign.")
    return assignment


@transaction.atomic
def give_back(assignment_id: UUID, *, annotator: User, reason: str) -> Assignment:
    """Free the seat for somebody else; this annotator is not given the unit again.

    Raises Assignment.DoesNotExist for an assignment that is not this annotator's to give, ValueError for an unknown
    reason. An assignment that was answered or given back before stays as it is.
    """
    if reason not in RETURN_REASONS:
        raise ValueError(f"{reason!r} is no reason to give a unit back")
    assignment = locked_assignment(assignment_id, annotator)
    if assignment.status == Assignment.Status.RESERVED:
        assignment.status = Assignment.Status.RETURNED
        assignment.return_reason = reason
        assignment.save(update_fields=["status", "return_reason"])
    return assignment


def _held(campaign: Campaign, annotator: User) -> Assignment | None:
    """The reservation this annotator is at, renewed if its time ran out and nobody took it back meanwhile."""
    reserved = Assignment.objects.filter(
        campaign=campaign, annotator=annotator, status=Assignment.Status.RESERVED
    ).select_related("campaign_unit__unit__item", "listening")
    held = reserved.first()
    if held is None or held.expires_at > timezone.now():
        return held
    held.expires_at, held.shown_at = _expiry(), timezone.now()
    renewed = reserved.filter(pk=held.pk).update(expires_at=held.expires_at, shown_at=held.shown_at)
    return held if renewed else None


def _reserve(campaign: Campaign, annotator: User) -> Assignment | None:
    Assignment.objects.filter(
        campaign=campaign, status=Assignment.Status.RESERVED, expires_at__lt=timezone.now()
    ).update(status=Assignment.Status.EXPIRED)
    free_units = candidates(campaign, annotator).select_related("unit")
    # A unit that is locked may still have a seat for this person too: wait for it before saying that nothing is left.
    candidate = (
        free_units.select_for_update(skip_locked=True, of=("self",)).first()
        or free_units.select_for_update(of=("self",)).first()
    )
    if candidate is None:
        return None
    taken = set(live(candidate.assignments.all()).values_list("seat", flat=True))
    free = [seat for seat in range(1, campaign.answers_per_unit + 1) if seat not in taken]
    if not free:
        raise IntegrityError("the last seat went while the row was being locked")
    return Assignment.objects.create(
        campaign=campaign,
        campaign_unit=candidate,
        annotator=annotator,
        order=_drawn_order(candidate.unit),
        seat=free[0],
        reserved_at=timezone.now(),
        shown_at=timezone.now(),
        expires_at=_expiry(),
    )


def candidates(campaign: Campaign, annotator: User) -> QuerySet[CampaignUnit]:
    """Units with a free seat that this annotator has not had, those with the fewest answers first."""
    seats = (
        live(Assignment.objects.filter(campaign_unit=OuterRef("pk")))
        .values("campaign_unit")
        .annotate(n=Count("pk"))
        .values("n")
    )
    mine = Assignment.objects.filter(campaign=campaign, annotator=annotator).exclude(status=Assignment.Status.EXPIRED)
    return (
        campaign.campaign_units.exclude(pk__in=mine.values("campaign_unit"))
        .annotate(taken=Coalesce(Subquery(seats), 0))
        .filter(taken__lt=campaign.answers_per_unit)
        .order_by("taken", "position")
    )


def _drawn_order(unit: Unit) -> str:
    """Every slot of the unit, in an order drawn at random."""
    slots = sorted(slots_of(unit))
    return "".join(random.sample(slots, len(slots)))


def _expiry() -> datetime:
    return timezone.now() + timedelta(minutes=settings.RESERVATION_MINUTES)
