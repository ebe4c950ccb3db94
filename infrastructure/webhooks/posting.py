"""One try: a signed POST to an external server, and its response."""

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import httpx
from django.conf import settings
from django.utils import timezone
from django.utils.http import parse_http_date_safe

from accounts.sealing import KeyLost, unsealed
from infrastructure.models import Delivery
from infrastructure.outgoing.addresses import AddressRefused, NotFound
from infrastructure.outgoing.pinned import PinnedTransport
from infrastructure.webhooks.endpoints import check_webhook_url
from infrastructure.webhooks.signing import headers
from infrastructure.wording.reasons import Reason, ReasonCode

logger = logging.getLogger(__name__)
CONNECT_S, TOTAL_S = 5.0, 10.0
#: The longest pause that a server can request (`Retry-After`).
LONGEST_ASKED = timedelta(days=1)
GONE = 410
NOT_FOUND = ReasonCode("name_not_found", "The server's name cannot be found.")
HOOK_TOO_SLOW = ReasonCode("hook_too_slow", "The server did not answer within ten seconds.")
UNREACHABLE = ReasonCode("hook_unreachable", "The server cannot be reached, or broke off.")
SENT_ELSEWHERE = ReasonCode("hook_redirects", "The server sends elsewhere, which is not followed.")
NOT_TAKEN = ReasonCode("hook_not_taken", "The server did not take it.")
SECRET_LOST = ReasonCode("secret_lost", "The secret of this address cannot be read any more; add the address again.")
GONE_FOR_GOOD = ReasonCode("hook_gone", "The server says that this address is gone.")


@dataclass(frozen=True)
class Outcome:
    """Of one try: `status` of the answer, if there was one; `message` says what went wrong, if something did.

    `asked` is how long the server asks not to be tried again.
    """

    status: int | None
    message: Reason | None = None
    permanent: bool = False
    asked: timedelta = timedelta()


def post(row: Delivery) -> Outcome:
    hook, body = row.endpoint, row.body.encode()
    try:
        check_webhook_url(hook.url)
        signed = headers(
            unsealed(hook.sealed_secret), message_id=f"msg_{row.pk.hex}", timestamp=int(time.time()), body=body
        )
        with _client() as client, client.stream("POST", hook.url, content=body, headers=signed) as response:
            outcome = _outcome(response.status_code)
            return replace(outcome, asked=asked_wait(response.headers.get("Retry-After", ""), timezone.now()))
    except AddressRefused as refusal:
        return Outcome(None, refusal.reason, permanent=True)
    except KeyLost:
        return Outcome(None, SECRET_LOST(), permanent=True)
    except NotFound as missing:
        logger.info("Delivery %s: %s", row.pk, missing)
        return Outcome(None, NOT_FOUND())
    except httpx.TimeoutException:
        return Outcome(None, HOOK_TOO_SLOW())
    except (httpx.HTTPError, OSError) as error:
        logger.info("Delivery %s: %s", row.pk, error)
        return Outcome(None, UNREACHABLE())


def _outcome(status: int) -> Outcome:
    """The body of the answer is never read."""
    if 200 <= status < 300:
        return Outcome(status)
    if status == GONE:
        return Outcome(status, GONE_FOR_GOOD(), permanent=True)
    if 300 <= status < 400:
        return Outcome(status, SENT_ELSEWHERE())
    return Outcome(status, NOT_TAKEN())


def asked_wait(header: str, now: datetime) -> timedelta:
    """How long a `Retry-After` asks to wait (RFC 9110 §10.2.3), in seconds or until a date; none where it is neither.

    >>> asked_wait("120", timezone.now())
    datetime.timedelta(seconds=120)
    """
    if header.isascii() and header.isdigit():
        seconds = float(header)
    elif (moment := parse_http_date_safe(header)) is not None:
        seconds = moment - now.timestamp()
    else:
        return timedelta()
    return timedelta(seconds=min(max(seconds, 0.0), LONGEST_ASKED.total_seconds()))


@contextmanager
def _client() -> Iterator[httpx.Client]:
    """Without proxies and redirects. It is closed after its time: a server that drips bytes blocks no worker."""
    transport = PinnedTransport(
        private_allowed=settings.WEBHOOKS_ON_PRIVATE_ADDRESSES, allowed_by="WEBHOOKS_ON_PRIVATE_ADDRESSES"
    )
    sent_as = {"Content-Type": "application/json", "User-Agent": "Earshot"}
    timeout = httpx.Timeout(TOTAL_S, connect=CONNECT_S)
    client = httpx.Client(
        transport=transport, timeout=timeout, headers=sent_as, follow_redirects=False, trust_env=False
    )
    alarm = threading.Timer(TOTAL_S, transport.cut)
    alarm.daemon = True
    alarm.start()
    try:
        yield client
    finally:
        alarm.cancel()
        client.close()
