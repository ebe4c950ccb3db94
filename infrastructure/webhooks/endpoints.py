"""Addresses to which events are sent: which may be used, and disabling one."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from infrastructure.models import Delivery, Endpoint
from infrastructure.outgoing.addresses import AddressRefused, check_url
from infrastructure.wording.reasons import Reason, ReasonCode

NO_HTTPS_ADDRESS = ReasonCode("no_https_address", "The address has to begin with https://.")

#: Called with the key of an endpoint that was just disabled, in the same transaction.
WhenDisabled = Callable[[int], None]
_when_disabled: list[WhenDisabled] = []


def call_when_disabled(function: WhenDisabled) -> None:
    """For an app that keeps something about its endpoints; it says so in `AppConfig.ready`."""
    _when_disabled.append(function)


def check_webhook_url(url: str) -> None:
    """Raises AddressRefused. Whether its IP addresses may be asked is seen at each sending."""
    check_url(url)
    if urlsplit(url).scheme != "https" and not settings.WEBHOOKS_OVER_HTTP:
        raise AddressRefused(NO_HTTPS_ADDRESS())


@transaction.atomic
def disable(pk: int, *, because: Reason | None = None) -> None:
    """Send it nothing more, forget its secret, and give up what waits. Its log stays."""
    on = Endpoint.objects.filter(pk=pk, disabled_at=None)
    on.update(disabled_at=timezone.now(), disabled_because=because, sealed_secret="")
    waiting = Delivery.objects.filter(endpoint=pk, status=Delivery.Status.WAITING)
    waiting.update(status=Delivery.Status.GIVEN_UP)
    for function in _when_disabled:
        function(pk)
