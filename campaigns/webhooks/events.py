"""The only writer of webhook events: rows, written in the transaction of the action that they report."""

from collections.abc import Mapping

from campaigns.models import Campaign, EventKind, Webhook
from infrastructure.models import Delivery
from infrastructure.webhooks.deliveries import queue

#: The content of events: numbers, ids, pseudonyms and names of rules.
Fact = str | int | float | bool | None


def is_awaited(campaign: Campaign, kind: EventKind) -> bool:
    """Whether such events have a subscriber, according to the campaign's row when it was read. Makes no query."""
    return kind in campaign.webhook_events


def announce_event(campaign: Campaign, kind: EventKind, payload: Mapping[str, Fact]) -> list[Delivery]:
    """Put the event on its way to every address that waits for it; call it in the action's transaction.

    The payload has ids and pseudonyms, never the name of a system or of a person.
    """
    hooks = [row for row in Webhook.objects.filter(campaign=campaign, disabled_at=None) if kind in row.events]
    return [queue(hook, kind.value, {"campaign": campaign.slug, **payload}) for hook in hooks]
