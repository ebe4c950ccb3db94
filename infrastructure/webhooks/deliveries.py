"""Events on their way: written with what they tell of, tried about eight times over a day, then given up."""

import json
import random
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from infrastructure.background.queues import Backoff, Queue
from infrastructure.models import Delivery, Endpoint
from infrastructure.webhooks.endpoints import disable
from infrastructure.webhooks.posting import GONE, GONE_FOR_GOOD, Outcome, post
from infrastructure.wording.reasons import ReasonCode

#: Bytes of a body; Standard Webhooks recommends no more than 20 kB.
MOST_BYTES = 16_000
MOST_TRIES = 8
QUEUE = Queue(
    Delivery.objects, to_do=Q(status=Delivery.Status.WAITING), due="due_at", task="infrastructure.tasks.deliver_task"
)
#: Between the tries of one delivery: together about a day.
RETRIES = Backoff(timedelta(seconds=8), 4.5, jitter=0.2)
#: Pauses of an address whose server does not answer, so that it blocks no workers.
ENDPOINT_PAUSES = Backoff(timedelta(seconds=5), 2.0, longest=timedelta(minutes=10))
#: An address is disabled after failing for so long.
DISABLE_AFTER = timedelta(days=3)
#: How long one scheduled task may send, and how many at most.
TURN_S, TURN_MOST = 20.0, 200
KEPT, KEPT_MOST = timedelta(days=30), 10_000
NOTHING_CAME_THROUGH = ReasonCode("nothing_came_through", "Nothing came through for three days.")


def queue(endpoint: Endpoint, kind: str, data: Mapping[str, object]) -> Delivery:
    """One event for one address, sent once the transaction commits. Raises ValueError for a body that is too long."""
    now = timezone.now()
    event = {"type": kind, "timestamp": now.isoformat(), "data": data}
    body = json.dumps(event, separators=(",", ":"), allow_nan=False)
    if len(body) > MOST_BYTES:
        raise ValueError(f"An event of {len(body)} bytes is too long to be sent.")
    row = Delivery.objects.create(endpoint=endpoint, kind=kind, body=body, due_at=now)
    transaction.on_commit(lambda: QUEUE.send(row.pk), robust=True)
    return row


@transaction.atomic
def queue_again(row: Delivery) -> None:
    """The same event once more, now, under the same id."""
    Endpoint.objects.filter(pk=row.endpoint_id).update(paused_until=None)
    Delivery.objects.filter(pk=row.pk).update(status=Delivery.Status.WAITING, due_at=timezone.now())
    transaction.on_commit(lambda: QUEUE.send(row.pk), robust=True)


def deliver(pk: UUID) -> bool:
    """Try the delivery now, if it is due and unclaimed; return whether it succeeded."""
    if (row := _claim(pk)) is None:
        return False
    began = time.monotonic()
    outcome = post(row)
    _note(row, outcome, took_ms=round((time.monotonic() - began) * 1000))
    return not outcome.message


def deliver_due() -> int:
    """Send what is due, for a while; return how many came through."""
    until, delivered = time.monotonic() + TURN_S, 0
    for pk in list(_due().order_by("due_at").values_list("pk", flat=True)[:TURN_MOST]):
        if time.monotonic() > until:
            break
        delivered += deliver(pk)
    return delivered


def thin_deliveries() -> int:
    """Delete what is over and older than a month, and beyond the newest ten thousand of an address."""
    over = Delivery.objects.exclude(status=Delivery.Status.WAITING)
    deleted = over.filter(created_at__lt=timezone.now() - KEPT).delete()[0]
    for endpoint in Endpoint.objects.all():
        rows = over.filter(endpoint=endpoint).order_by("-created_at")
        if limit := rows.values_list("created_at", flat=True)[KEPT_MOST : KEPT_MOST + 1].first():
            deleted += over.filter(endpoint=endpoint, created_at__lte=limit).delete()[0]
    return deleted


def _due() -> QuerySet[Delivery]:
    awake = Q(endpoint__paused_until=None) | Q(endpoint__paused_until__lte=timezone.now())
    return Delivery.objects.filter(QUEUE.free(), awake, endpoint__disabled_at=None)


def _claim(pk: UUID) -> Delivery | None:
    row = _due().filter(pk=pk).select_related("endpoint").first()
    return row if row and QUEUE.claim(row, tried_at=timezone.now()) else None


@transaction.atomic
def _note(row: Delivery, outcome: Outcome, *, took_ms: int) -> None:
    """Keep what came of this try, unless the row was lost to another one meanwhile."""
    now = timezone.now()
    status, due_at = _next(row, outcome, now)
    kept = QUEUE.settle(
        row,
        status=status,
        due_at=due_at,
        response_status=outcome.status,
        took_ms=took_ms,
        message=outcome.message,
    )
    if not kept:
        return
    endpoint = Endpoint.objects.select_for_update().get(pk=row.endpoint_id)
    if not outcome.message:
        _note_success(endpoint)
    else:
        _note_failure(endpoint, outcome, now)


def _next(row: Delivery, outcome: Outcome, now: datetime) -> tuple[str, datetime]:
    if not outcome.message:
        return Delivery.Status.DELIVERED, now
    if outcome.permanent or row.tries >= MOST_TRIES:
        return Delivery.Status.GIVEN_UP, now
    wait = RETRIES.after(row.tries, random.Random())  # noqa: S311 - jitter, not a secret
    return Delivery.Status.WAITING, now + max(wait, outcome.asked)


def _note_success(endpoint: Endpoint) -> None:
    if endpoint.failures:
        Endpoint.objects.filter(pk=endpoint.pk).update(failing_since=None, failures=0, paused_until=None)


def _note_failure(endpoint: Endpoint, outcome: Outcome, now: datetime) -> None:
    delay = max(outcome.asked, ENDPOINT_PAUSES.after(endpoint.failures + 1, random.Random()))  # noqa: S311
    since = endpoint.failing_since or now
    Endpoint.objects.filter(pk=endpoint.pk).update(
        failures=F("failures") + 1, failing_since=since, paused_until=now + delay
    )
    if endpoint.disabled_at is None and outcome.status == GONE:
        disable(endpoint.pk, because=GONE_FOR_GOOD())
    elif endpoint.disabled_at is None and now - since >= DISABLE_AFTER:
        disable(endpoint.pk, because=NOTHING_CAME_THROUGH())
