"""Worker slots of a run, and which verdicts workers take, so that no two do the same one."""

from collections.abc import Collection
from datetime import timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from infrastructure.background.queues import Queue
from judges import reasons
from judges.language_models.calls.budgets import drop_reservations, keep_reservations
from judges.language_models.calls.limits import drop_permits, keep_permits
from judges.models import ACTIVE, Cause, Run, Verdict, WorkerSlot

WORKER_SLOTS = Queue(
    WorkerSlot.objects, to_do=Q(), task="judges.tasks.judge_slot_task", resend_after=timedelta(seconds=15)
)
VERDICTS = Queue(Verdict.objects, to_do=Q(status=Verdict.Status.WAITING))
#: A verdict that was claimed so often without a result fails: it seems to kill its workers.
MOST_TRIES = 8
#: More verdicts a unit hardly has: both orders, some samples.
PER_UNIT = 50
#: Until the first replies of a run are known to be of use, one worker asks.
OPEN = Q(number=0) | Q(run__is_tried=True)
GIVEN_UP = reasons.GIVEN_UP(n=MOST_TRIES)


def take_slot(pk: int) -> WorkerSlot | None:
    """Hold a slot that is free and whose run is in progress; None where there is none."""
    beside = ("run__campaign__dataset", "run__judge__language_model", "run__label_set")
    worker_slot = WorkerSlot.objects.filter(OPEN, pk=pk, run__status__in=ACTIVE).select_related(*beside).first()
    if worker_slot is None:
        return None
    before = worker_slot.holder
    if not WORKER_SLOTS.claim(worker_slot):
        return None
    drop_permits(before)
    drop_reservations(before)
    return worker_slot


def renew_slot(worker_slot: WorkerSlot, verdicts: Collection[int]) -> bool:
    """The heartbeat: the slot, its verdicts in progress and their calls stay this worker's. False if they do not."""
    if not WORKER_SLOTS.renew(worker_slot):
        return False
    VERDICTS.renew_some(verdicts)
    keep_permits(worker_slot.holder)
    keep_reservations(worker_slot.holder)
    return True


def release_slot(worker_slot: WorkerSlot) -> None:
    WORKER_SLOTS.settle(worker_slot, idle_since=timezone.now())


def claim_verdicts(run: Run, n: int, *, apart: bool = False) -> list[int]:
    """Up to `n` verdicts that are pending and unclaimed, in the order of the units, for this worker alone.

    With `apart` of units that have none yet, as far as there are any, after those that were put back.
    """
    if n < 1:
        return []
    rows = claimable().filter(run=run).order_by("pk")
    return VERDICTS.claim_some(_apart(run, rows, n) if apart else rows, n)


def _apart(run: Run, rows: QuerySet[Verdict], n: int) -> QuerySet[Verdict]:
    if (again := rows.filter(tries__gt=0)).exists():
        return again
    begun = Verdict.objects.filter(run=run).exclude(tries=0, status=Verdict.Status.WAITING).values("unit")
    first: dict[int, int] = {}
    for pk, unit in rows.exclude(unit__in=begun).values_list("pk", "unit_id")[: n * PER_UNIT]:
        first.setdefault(unit, pk)
    return rows.filter(pk__in=first.values()) if first else rows


def claimable() -> QuerySet[Verdict]:
    """Pending, and unclaimed."""
    return Verdict.objects.filter(VERDICTS.free(), tries__lt=MOST_TRIES)


def give_up_hopeless(run: Run) -> int:
    """Verdicts that ended their worker again and again are errors."""
    return Verdict.objects.filter(VERDICTS.free(), run=run, tries__gte=MOST_TRIES).update(
        status=Verdict.Status.ERROR,
        message=GIVEN_UP,
        cause=Cause.NOT_ASKED,
        judged_at=timezone.now(),
        heartbeat_at=None,
    )


def slots_to_work() -> QuerySet[WorkerSlot]:
    """Free slots whose run has verdicts to take; the one that waits longest first."""
    some = Exists(claimable().filter(run=OuterRef("run")))
    return WorkerSlot.objects.filter(WORKER_SLOTS.free(), OPEN, some, run__status__in=ACTIVE).order_by(
        "idle_since", "pk"
    )


def send_next() -> None:
    """Send one message after a turn, for the slot that waits longest: runs take turns."""
    if pk := slots_to_work().values_list("pk", flat=True).first():
        WORKER_SLOTS.send(pk)


def send_lost_slots() -> int:
    """Send messages again for slots whose message was lost or whose worker died; return how many."""
    pks = list(slots_to_work().filter(WORKER_SLOTS.lost()).values_list("pk", flat=True))
    # In the embedded mode one slot is worked at a time, and leaving it sends the message for the next.
    for pk in pks[:1] if settings.EMBEDDED else pks:
        WORKER_SLOTS.send(pk)
    return len(pks)
