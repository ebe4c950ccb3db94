"""How long to wait before asking again."""

import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from judges.backends.contract import Cancelled, IsCancelled

FIRST_S, LONGEST_S = 0.5, 60.0
#: A server that wants to be left alone for longer is not waited for.
MOST_ASKED_S = 120.0
_TICK_S = 0.25


def pause_before(attempt: int, *, retry_after: float | None, rng: random.Random) -> float:
    """Seconds: as the server says (at most 120), else doubling with full jitter (at most 60).

    >>> pause_before(1, retry_after=7.0, rng=random.Random(0))
    7.0
    """
    if retry_after is not None:
        return min(retry_after, MOST_ASKED_S)
    return rng.uniform(0, min(LONGEST_S, FIRST_S * 2**attempt))


def sleep_unless(is_cancelled: IsCancelled, seconds: float) -> None:
    """Raises Cancelled as soon as it is."""
    until = time.monotonic() + seconds
    while True:
        if is_cancelled():
            raise Cancelled
        if (left := until - time.monotonic()) <= 0:
            return
        time.sleep(min(left, _TICK_S))


def seconds_asked(retry_after: str | None, now: datetime) -> float | None:
    """What `Retry-After` says, in seconds or as a date; None where it says nothing.

    >>> seconds_asked("Thu, 01 Jan 2026 00:00:09 GMT", datetime(2026, 1, 1, tzinfo=UTC))
    9.0
    """
    if not retry_after:
        return None
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        date = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    return max(0.0, ((date if date.tzinfo else date.replace(tzinfo=UTC)) - now).total_seconds())
