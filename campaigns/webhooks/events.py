"""The one door through which events go out: rows, written in the transaction of the deed that they tell of."""

import json
import logging
from collections.abc import Mapping
from uuid import UUID

from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from campaigns.models import Campaign, Delivery, EventKind, Webhook

logger = logging.getLogger(__name__)
#: Bytes of a body; Standard Webhooks recommends no more than 20 kB.
MOST_BYTES = 16_000
#: What may be told of something: numbers, ids, pseudonyms and names of rules.
Fact = str | int | float | bool | None


def is_awaited(campaign: Campaign, kind: EventKind) -> bool:
    """Whether somebody waits for such events, as the campaign's row said when it was read. Asks nothing."""
    return kind in campaign.webhook_events


def announce_event(campaign: Campaign, kind: EventKind, payload: Mapping[str, Fact]) -> list[Delivery]:
    """Put the event on its way to every address that waits for it; call it in the deed's transaction.

    The payload has ids and pseudonyms, never the name of a system or of a person.
    """
    hooks = [row for row in Webhook.objects.filter(campaign=campaign, disabled_at=None) if kind in row.events]
    return [queue(hook, kind, campaign, payload) for hook in hooks]


def queue(hook: Webhook, kind: EventKind, campaign: Campaign, payload: Mapping[str, Fact]) -> Delivery:
    """One event for one address. Raises ValueError for a body that is too long to be sent."""
    now = timezone.now()
    event = {"type": kind.value, "timestamp": now.isoformat(), "data": {"campaign": campaign.slug, **payload}}
    body = json.dumps(event, separators=(",", ":"), allow_nan=False)
    if len(body) > MOST_BYTES:
        raise ValueError(f"An event of {len(body)} bytes is too long to be sent.")
    row = Delivery.objects.create(webhook=hook, kind=kind, body=body, due_at=now)
    transaction.on_commit(lambda: ring(row.pk), robust=True)
    return row


def ring(delivery: UUID) -> None:
    """Say that there is something to send. If the broker is down, the clock finds it (`deliver_due_task`)."""
    try:
        current_app.send_task("campaigns.tasks.deliver_task", args=[str(delivery)], retry=False, expires=60)
    except OperationalError:
        logger.warning("The broker could not be reached; delivery %s waits for the clock.", delivery)
