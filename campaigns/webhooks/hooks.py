"""Addresses that are told of a campaign's events: adding, disabling, testing, sending again."""

from collections.abc import Sequence
from itertools import chain
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import User
from accounts.sealing import sealed
from campaigns.models import Campaign, Delivery, EventKind, Webhook
from campaigns.webhooks.events import queue, ring
from campaigns.webhooks.signing import new_secret
from infrastructure.outgoing.addresses import AddressRefused, check_url
from infrastructure.phrases import Phrase

#: Events that are chosen; a test is always possible.
CHOSEN = [kind for kind in EventKind if kind != EventKind.TEST]
MOST_HOOKS = 10


class CannotSend(ValueError):
    """It cannot be added, tested or sent. The message is for whoever asked."""


def check_webhook_url(url: str) -> None:
    """Raises AddressRefused. Whether its IP addresses may be asked is seen at each sending."""
    check_url(url)
    if urlsplit(url).scheme != "https" and not settings.WEBHOOKS_OVER_HTTP:
        raise AddressRefused(Phrase("The address has to begin with https://."))


@transaction.atomic
def add_webhook(campaign: Campaign, *, url: str, events: Sequence[str], user: User) -> tuple[Webhook, str]:
    """The new address, and its secret, which is shown once. Raises AddressRefused, CannotSend."""
    check_webhook_url(url)
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    if campaign.webhooks.filter(disabled_at=None).count() >= MOST_HOOKS:
        raise CannotSend(_("A campaign tells at most %(n)s addresses.") % {"n": MOST_HOOKS})
    secret = new_secret()
    chosen = [kind.value for kind in CHOSEN if kind.value in events]
    hook = Webhook.objects.create(
        campaign=campaign, url=url, events=chosen, sealed_secret=sealed(secret), created_by=user
    )
    _note_awaited(campaign.pk)
    return hook, secret


@transaction.atomic
def disable_webhook(hook: Webhook, *, because: str = "") -> None:
    """Tell it nothing more, forget its secret, and give up what waits. Its log stays."""
    Campaign.objects.select_for_update().get(pk=hook.campaign_id)
    on = Webhook.objects.filter(pk=hook.pk, disabled_at=None)
    on.update(disabled_at=timezone.now(), disabled_because=because[:200], sealed_secret="")
    waiting = Delivery.objects.filter(webhook=hook, status=Delivery.Status.WAITING)
    waiting.update(status=Delivery.Status.GIVEN_UP)
    _note_awaited(hook.campaign_id)


def send_test(hook: Webhook) -> Delivery:
    """Raises CannotSend where the address was disabled."""
    _require_on(hook)
    with transaction.atomic():
        return queue(hook, EventKind.TEST, hook.campaign, {"webhook": hook.pk})


@transaction.atomic
def send_again(delivery: Delivery) -> None:
    """The same event once more, now, under the same id. Raises CannotSend where the address was disabled."""
    _require_on(delivery.webhook)
    Webhook.objects.filter(pk=delivery.webhook_id).update(rests_until=None)
    Delivery.objects.filter(pk=delivery.pk).update(status=Delivery.Status.WAITING, due_at=timezone.now())
    transaction.on_commit(lambda: ring(delivery.pk), robust=True)


def webhooks_of(campaign: Campaign) -> QuerySet[Webhook]:
    """With how many deliveries came through, wait, and were given up."""
    return campaign.webhooks.annotate(
        **{status.value: Count("deliveries", filter=Q(deliveries__status=status.value)) for status in Delivery.Status}
    )


def _require_on(hook: Webhook) -> None:
    if hook.disabled_at:
        raise CannotSend(_("This address was disabled. Add it again to go on."))


def _note_awaited(campaign: int) -> None:
    """Keep on the campaign's row what its addresses wait for; whoever calls holds that row."""
    events = Webhook.objects.filter(campaign=campaign, disabled_at=None).values_list("events", flat=True)
    awaited = set(chain.from_iterable(events))
    Campaign.objects.filter(pk=campaign).update(webhook_events=sorted(awaited))
