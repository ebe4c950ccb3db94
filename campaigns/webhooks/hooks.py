"""Webhooks of a campaign: adding, disabling, testing, sending again."""

from collections.abc import Sequence
from itertools import chain
from urllib.parse import urlsplit

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils.translation import gettext_lazy

from accounts.audit_log.entries import AuditEvent
from accounts.models import User
from accounts.sealing import sealed
from campaigns import reasons
from campaigns.audit_log import record_in
from campaigns.models import Campaign, EventKind, Webhook
from infrastructure.models import Delivery, Endpoint
from infrastructure.webhooks.deliveries import queue, queue_again
from infrastructure.webhooks.endpoints import check_webhook_url, disable
from infrastructure.webhooks.signing import new_secret
from infrastructure.wording.reasons import Reasoned

WEBHOOK_ADDED = AuditEvent("webhook_added", gettext_lazy("Events are sent to %(host)s now."))
WEBHOOK_DISABLED = AuditEvent("webhook_disabled", gettext_lazy("Nothing is sent to %(host)s any more."))
#: Events that are chosen; a test is always possible.
CHOSEN = [kind for kind in EventKind if kind != EventKind.TEST]
MOST_HOOKS = 10


class CannotSend(Reasoned, ValueError):
    """It cannot be added, tested or sent. The reason is for the user who asked."""


@transaction.atomic
def add_webhook(campaign: Campaign, *, url: str, events: Sequence[str], user: User) -> tuple[Webhook, str]:
    """The new address, and its secret, which is shown once. Raises AddressRefused, CannotSend."""
    check_webhook_url(url)
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.webhooks.filter(disabled_at=None).count() >= MOST_HOOKS:
        raise CannotSend(reasons.MOST_WEBHOOKS(n=MOST_HOOKS))
    secret = new_secret()
    chosen = [kind.value for kind in CHOSEN if kind.value in events]
    hook = Webhook.objects.create(
        campaign=campaign, url=url, events=chosen, sealed_secret=sealed(secret), created_by=user
    )
    _note_awaited(campaign.pk)
    record_in(campaign, WEBHOOK_ADDED, by=user, host=_host(url))
    return hook, secret


@transaction.atomic
def disable_webhook(hook: Webhook, *, by: User) -> None:
    """Tell it nothing more, forget its secret, and give up what waits. Its log stays."""
    if Webhook.objects.select_for_update().get(pk=hook.pk).disabled_at is None:
        record_in(hook.campaign, WEBHOOK_DISABLED, by=by, host=_host(hook.url))
    disable(hook.pk)


def send_test(hook: Webhook) -> Delivery:
    """Raises CannotSend where the address was disabled."""
    _require_on(hook)
    with transaction.atomic():
        return queue(hook, EventKind.TEST.value, {"campaign": hook.campaign.slug, "webhook": hook.pk})


def send_again(delivery: Delivery) -> None:
    """The same event once more, now, under the same id. Raises CannotSend where the address was disabled."""
    _require_on(delivery.endpoint)
    queue_again(delivery)


def webhooks_of(campaign: Campaign) -> QuerySet[Webhook]:
    """With how many deliveries came through, wait, and were given up."""
    return campaign.webhooks.annotate(
        **{status.value: Count("deliveries", filter=Q(deliveries__status=status.value)) for status in Delivery.Status}
    )


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


def _require_on(hook: Endpoint) -> None:
    if hook.disabled_at:
        raise CannotSend(reasons.ADDRESS_DISABLED())


def forget_awaited(pk: int) -> None:
    """The webhook with this key was disabled: its campaign awaits what its other addresses wait for."""
    if hook := Webhook.objects.filter(pk=pk).first():
        Campaign.objects.select_for_update().get(pk=hook.campaign_id)
        _note_awaited(hook.campaign_id)


def _note_awaited(campaign: int) -> None:
    """Store on the campaign's row which events its addresses receive; the caller has locked that row."""
    events = Webhook.objects.filter(campaign=campaign, disabled_at=None).values_list("events", flat=True)
    awaited = set(chain.from_iterable(events))
    Campaign.objects.filter(pk=campaign).update(webhook_events=sorted(awaited))
