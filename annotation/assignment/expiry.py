"""When a reservation expires and its seat is free for another annotator."""

from collections import Counter
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, Q, QuerySet
from django.utils import timezone

from annotation.assignment.seat_counts import add_to_counts
from annotation.models import Assignment
from campaigns.models import Campaign
from infrastructure.compiled_queries import Given, Prepared

RESERVED = Assignment.Status.RESERVED
# What was shown in the future was shown before the clock was set back, and is over, too.
_over = Q(expires_at__lt=Given("now", DateTimeField())) | Q(shown_at__gt=Given("latest", DateTimeField()))
_overdue = Prepared(
    lambda: (
        Assignment.objects.filter(_over, campaign=Given("campaign"), status=RESERVED).order_by().values_list("pk")[:1]
    )
)


def reservation_time() -> timedelta:
    """How long a unit is reserved for an annotator who does not answer."""
    return timedelta(minutes=settings.RESERVATION_MINUTES)


def new_expiry() -> datetime:
    """When a unit that is handed out now is over."""
    return timezone.now() + reservation_time()


def time_ran_out(now: datetime) -> Q:
    """Of reservations. What was shown in the future was shown before the clock was set back, and is over, too."""
    return Q(expires_at__lt=now) | Q(shown_at__gt=now + reservation_time())


def release_overdue(campaign: Campaign) -> int:
    """Free the seats of all reservations of the campaign whose time ran out; return how many.

    Call it outside a transaction that locks units: it locks several of them.
    """
    now = timezone.now()
    if not _overdue.rows(campaign=campaign.pk, now=now, latest=now + reservation_time()):
        return 0
    return expire(Assignment.objects.filter(time_ran_out(now), campaign=campaign), wait=False)


@transaction.atomic
def put_down(mine: QuerySet[Assignment]) -> None:
    """Whatever an annotator has in hand goes back, so that others get it at once; answers keep their seats."""
    mine.filter(status=Assignment.Status.PLANNED).delete()
    expire(mine)
    mine.filter(reopened_at__isnull=False).update(reopened_at=None)


@transaction.atomic
def expire(assignments: QuerySet[Assignment], *, wait: bool = True) -> int:
    """Free the seats of those of these assignments that are reserved; return how many.

    Without `wait`, assignments that are locked at the moment are skipped.
    """
    reserved = assignments.filter(status=RESERVED).order_by("pk")
    locked = reserved.select_for_update(of=("self",), skip_locked=not wait)
    units: dict[UUID, int] = dict(locked.values_list("pk", "campaign_unit"))
    Assignment.objects.filter(pk__in=units).update(status=Assignment.Status.EXPIRED)
    freed = Counter(units.values())
    add_to_counts({unit: -n for unit, n in freed.items()})
    return len(units)
