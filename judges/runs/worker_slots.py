"""Workers' places at a run, and which verdicts they take: by updates with a lease, so that nobody does another's."""

import logging
import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta

from celery import current_app
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from infrastructure.leases import lapsed
from judges import sayings
from judges.language_models.budgets import drop_reservations, keep_reservations
from judges.language_models.limits import drop_permits, keep_permits
from judges.models import ACTIVE, Cause, Lane, Run, Verdict

logger = logging.getLogger(__name__)
TASK = "judges.tasks.judge_lane_task"
#: What a worker took and did not say for so long is free again.
LEASE = timedelta(seconds=60)
#: A message to workers that is older than this is taken for lost.
PATIENCE = timedelta(seconds=15)
#: A verdict that was taken so often and never came is given up: it takes its workers with it.
MOST_TRIES = 8
#: More verdicts a unit hardly has: both orders, some samples.
PER_UNIT = 50
#: Until the first replies of a run are known to be of use, one worker asks.
OPEN = Q(number=0) | Q(run__is_tried=True)
GIVEN_UP = sayings.GIVEN_UP % {"n": MOST_TRIES}


def take_lane(pk: int) -> Lane | None:
    """Hold a lane that is free and whose run is on; None where there is nothing to take."""
    before = Lane.objects.filter(pk=pk).values_list("holder", flat=True).first()
    if before is None:
        return None
    holder, now = uuid.uuid4().hex, timezone.now()
    free = Lane.objects.filter(lapsed("busy_until", now=now, lease=LEASE), pk=pk, holder=before)
    active = Run.objects.filter(pk=OuterRef("run"), status__in=ACTIVE)
    if not free.filter(OPEN, Exists(active)).update(holder=holder, busy_until=now + LEASE):
        return None
    drop_permits(before)
    if before:
        drop_reservations(before)
    return Lane.objects.select_related("run__campaign__dataset", "run__judge__language_model", "run__label_set").get(
        pk=pk
    )


def keep_lane(lane: Lane, verdicts: Iterable[int]) -> bool:
    """The heartbeat: the lane, the verdicts under way and their calls stay this worker's. False where they do not."""
    until = timezone.now() + LEASE
    mine = Lane.objects.filter(pk=lane.pk, holder=lane.holder)
    if not mine.update(busy_until=until):
        return False
    Verdict.objects.filter(pk__in=list(verdicts), status=Verdict.Status.WAITING).update(claimed_until=until)
    keep_permits(lane.holder)
    keep_reservations(lane.holder)
    return True


def leave_lane(lane: Lane) -> None:
    mine = Lane.objects.filter(pk=lane.pk, holder=lane.holder)
    mine.update(busy_until=None, idle_since=timezone.now())


def claim_verdicts(run: Run, n: int, *, apart: bool = False) -> list[int]:
    """Up to `n` verdicts that are to do and nobody is at, in the order of the units, for this worker alone.

    With `apart` of units that have none yet, as far as there are any, after those that were put back.
    """
    if n < 1:
        return []
    now = timezone.now()
    with transaction.atomic():
        rows = claimable(now).filter(run=run).order_by("pk")
        if connection.features.has_select_for_update_skip_locked:
            rows = rows.select_for_update(skip_locked=True)
        pks = _apart(run, rows, n) if apart else list(rows.values_list("pk", flat=True)[:n])
        Verdict.objects.filter(pk__in=pks).update(claimed_until=now + LEASE, tries=F("tries") + 1)
    return pks


def _apart(run: Run, rows: QuerySet[Verdict], n: int) -> list[int]:
    if again := list(rows.filter(tries__gt=0).values_list("pk", flat=True)[:n]):
        return again
    begun = Verdict.objects.filter(run=run).exclude(tries=0, status=Verdict.Status.WAITING).values("unit")
    first: dict[int, int] = {}
    for pk, unit in rows.exclude(unit__in=begun).values_list("pk", "unit_id")[: n * PER_UNIT]:
        first.setdefault(unit, pk)
    return list(first.values())[:n] or list(rows.values_list("pk", flat=True)[:n])


def claimable(now: datetime | None = None) -> QuerySet[Verdict]:
    """To do, and nobody is at it."""
    free = lapsed("claimed_until", now=now or timezone.now(), lease=LEASE)
    return Verdict.objects.filter(free, status=Verdict.Status.WAITING, tries__lt=MOST_TRIES)


def give_up_hopeless(run: Run) -> int:
    """Verdicts that ended their worker again and again are errors."""
    free = lapsed("claimed_until", now=timezone.now(), lease=LEASE)
    to_do = Verdict.objects.filter(free, run=run, status=Verdict.Status.WAITING)
    return to_do.filter(tries__gte=MOST_TRIES).update(
        status=Verdict.Status.ERROR,
        message=GIVEN_UP,
        cause=Cause.NOT_ASKED,
        judged_at=timezone.now(),
        claimed_until=None,
    )


def lanes_to_work() -> QuerySet[Lane]:
    """Lanes that nobody holds though their run has verdicts to take; the one that waits longest first."""
    free = lapsed("busy_until", now=timezone.now(), lease=LEASE)
    some = Exists(claimable().filter(run=OuterRef("run")))
    return Lane.objects.filter(free, OPEN, some, run__status__in=ACTIVE).order_by("idle_since", "pk")


def ring(lane_pk: int) -> None:
    """Tell the workers that a lane is free. If the broker is down the beat tells them again."""
    Lane.objects.filter(pk=lane_pk).update(sent_at=timezone.now())
    try:
        current_app.send_task(TASK, args=[lane_pk], retry=False, expires=60)
    except OperationalError:
        logger.warning("The broker could not be reached; lane %s waits for the clock.", lane_pk)


def ring_next() -> None:
    """One message for one that was worked off, for whoever waits longest: runs take turns."""
    if pk := lanes_to_work().values_list("pk", flat=True).first():
        ring(pk)


def ring_lost_lanes() -> int:
    """Tell the workers again of lanes whose message was lost or whose worker died; say how many."""
    lost = lapsed("sent_at", now=timezone.now() - PATIENCE, lease=PATIENCE)
    pks = list(lanes_to_work().filter(lost).values_list("pk", flat=True))
    # In the embedded mode one lane is worked at a time, and whoever leaves it rings for the next.
    for pk in pks[:1] if settings.EMBEDDED else pks:
        ring(pk)
    return len(pks)
