"""How long to wait before asking again."""

import random
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from judges.backends.contract import Cancelled, IsCancelled

FIRST_S, LONGEST_S = 0.5, 60.0
_TICK_S = 0.25


def pause_before(attempt: int, *, retry_after: str | None, now: datetime, rng: random.Random) -> float:
    """Seconds: as the server says (`Retry-After`, seconds or a date), else doubling with full jitter (at most 60).

    >>> pause_before(1, retry_after="7", now=datetime(2026, 1, 1, tzinfo=UTC), rng=random.Random(0))
    7.0
    """
    if (said := _seconds(retry_after, now)) is not None:
        return min(said, LONGEST_S)
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


def _seconds(retry_after: str | None, now: datetime) -> float | None:
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
