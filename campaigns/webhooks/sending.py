"""Sending what waits: claimed by an update, tried about eight times over a day, then given up."""

import logging
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

import httpx
from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone
from django.utils.http import parse_http_date_safe
from django.utils.translation import gettext_noop

from accounts.sealing import KeyLost, unsealed
from campaigns.models import Delivery, Webhook
from campaigns.webhooks.hooks import check_webhook_url, disable_webhook
from campaigns.webhooks.signing import headers
from infrastructure.outgoing.addresses import AddressRefused, NotFound
from infrastructure.outgoing.pinned import PinnedTransport

logger = logging.getLogger(__name__)
MOST_TRIES = 8
#: After the n-th try the next one waits FIRST_WAIT · FACTOR^(n-1), give or take a fifth: together about a day.
FIRST_WAIT, FACTOR, JITTER = timedelta(seconds=8), 4.5, 0.2
#: A server that does not answer is left alone, each time twice as long, so that it keeps no worker from others.
FIRST_REST, LONGEST_REST = timedelta(seconds=5), timedelta(minutes=10)
#: An address at which everything failed for so long is disabled.
PATIENCE = timedelta(days=3)
CONNECT_S, TOTAL_S = 5.0, 10.0
#: A delivery under way for so long was lost with its worker.
LEASE = timedelta(seconds=60)
#: A server that asks for more patience (`Retry-After`) is asked again after so long all the same.
LONGEST_ASKED = timedelta(days=1)
#: How long one turn of the clock may send, and how many at most.
TURN_S, TURN_MOST = 20.0, 200
KEPT, KEPT_MOST = timedelta(days=30), 10_000
GONE = 410
#: What went wrong, for the page to translate.
NOT_FOUND = gettext_noop("The server's name cannot be found.")
TOO_SLOW = gettext_noop("The server did not answer within ten seconds.")
UNREACHABLE = gettext_noop("The server cannot be reached, or broke off.")
SENT_ELSEWHERE = gettext_noop("The server sends elsewhere, which is not followed.")
REFUSED = gettext_noop("The server did not take it.")
GONE_FOR_GOOD = gettext_noop("The server says that this address is gone.")
NOTHING_CAME_THROUGH = gettext_noop("Nothing came through for three days.")


@dataclass(frozen=True)
class Outcome:
    """Of one try: `status` of the answer, if there was one; `message` says what went wrong, or is empty.

    `asked` is how long the server asks not to be tried again.
    """

    status: int | None
    message: str = ""
    permanent: bool = False
    asked: timedelta = timedelta()


def deliver(pk: UUID) -> bool:
    """Try the delivery now, if it is due and nobody else is at it; say whether it came through."""
    if (row := _claim(pk)) is None:
        return False
    began = time.monotonic()
    outcome = _post(row)
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
    for hook in Webhook.objects.all():
        rows = over.filter(webhook=hook).order_by("-created_at")
        if limit := rows.values_list("created_at", flat=True)[KEPT_MOST : KEPT_MOST + 1].first():
            deleted += over.filter(webhook=hook, created_at__lte=limit).delete()[0]
    return deleted


def wait_after(tries: int, rng: random.Random) -> timedelta:
    """How long to wait after so many tries, one or more."""
    return FIRST_WAIT * FACTOR ** (tries - 1) * rng.uniform(1 - JITTER, 1 + JITTER)


def _due() -> QuerySet[Delivery]:
    now = timezone.now()
    awake = Q(webhook__rests_until=None) | Q(webhook__rests_until__lte=now)
    return Delivery.objects.filter(awake, status=Delivery.Status.WAITING, due_at__lte=now, webhook__disabled_at=None)


def _claim(pk: UUID) -> Delivery | None:
    row = _due().filter(pk=pk).select_related("webhook").first()
    if row is None:
        return None
    now = timezone.now()
    mine = Delivery.objects.filter(pk=pk, status=Delivery.Status.WAITING, tries=row.tries, due_at=row.due_at)
    if not mine.update(tries=row.tries + 1, tried_at=now, due_at=now + LEASE):
        return None
    row.tries += 1
    return row


def _post(row: Delivery) -> Outcome:
    hook, body = row.webhook, row.body.encode()
    try:
        check_webhook_url(hook.url)
        signed = headers(
            unsealed(hook.sealed_secret), message_id=f"msg_{row.pk.hex}", timestamp=int(time.time()), body=body
        )
        with _client() as client, client.stream("POST", hook.url, content=body, headers=signed) as response:
            outcome = _outcome(response.status_code)
            return replace(outcome, asked=asked_wait(response.headers.get("Retry-After", ""), timezone.now()))
    except (AddressRefused, KeyLost) as refusal:
        return Outcome(None, str(refusal), permanent=True)
    except NotFound as missing:
        logger.info("Delivery %s: %s", row.pk, missing)
        return Outcome(None, NOT_FOUND)
    except httpx.TimeoutException:
        return Outcome(None, TOO_SLOW)
    except (httpx.HTTPError, OSError) as error:
        logger.info("Delivery %s: %s", row.pk, error)
        return Outcome(None, UNREACHABLE)


def _outcome(status: int) -> Outcome:
    """The body of the answer is never read."""
    if 200 <= status < 300:
        return Outcome(status)
    if status == GONE:
        return Outcome(status, GONE_FOR_GOOD, permanent=True)
    if 300 <= status < 400:
        return Outcome(status, SENT_ELSEWHERE)
    return Outcome(status, REFUSED)


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
    """Without proxies and redirects. It is closed when its time is up: a server that drips bytes holds nobody."""
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


@transaction.atomic
def _note(row: Delivery, outcome: Outcome, *, took_ms: int) -> None:
    """Keep what came of this try, unless the row was lost to another one meanwhile."""
    now = timezone.now()
    mine = Delivery.objects.filter(pk=row.pk, tries=row.tries, status=Delivery.Status.WAITING)
    status, due_at = _next(row, outcome, now)
    kept = mine.update(
        status=status, due_at=due_at, response_status=outcome.status, took_ms=took_ms, message=outcome.message[:200]
    )
    if not kept:
        return
    hook = Webhook.objects.select_for_update().get(pk=row.webhook_id)
    if not outcome.message:
        _note_success(hook)
    else:
        _note_failure(hook, outcome, now)


def _next(row: Delivery, outcome: Outcome, now: datetime) -> tuple[str, datetime]:
    if not outcome.message:
        return Delivery.Status.DELIVERED, now
    if outcome.permanent or row.tries >= MOST_TRIES:
        return Delivery.Status.GIVEN_UP, now
    wait = wait_after(row.tries, random.Random())  # noqa: S311 - jitter, not a secret
    return Delivery.Status.WAITING, now + max(wait, outcome.asked)


def _note_success(hook: Webhook) -> None:
    if hook.failures:
        Webhook.objects.filter(pk=hook.pk).update(failing_since=None, failures=0, rests_until=None)


def _note_failure(hook: Webhook, outcome: Outcome, now: datetime) -> None:
    rest = max(outcome.asked, min(LONGEST_REST, FIRST_REST * 2 ** min(hook.failures, 20)))
    since = hook.failing_since or now
    Webhook.objects.filter(pk=hook.pk).update(failures=F("failures") + 1, failing_since=since, rests_until=now + rest)
    if hook.disabled_at is None and outcome.status == GONE:
        disable_webhook(hook, because=GONE_FOR_GOOD)
    elif hook.disabled_at is None and now - since >= PATIENCE:
        disable_webhook(hook, because=NOTHING_CAME_THROUGH)
