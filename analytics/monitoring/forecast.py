"""When a campaign will be through, from how fast answers came of late. Arrays in, a frozen dataclass out."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import sqrt
from statistics import mean, stdev

import scipy

#: Ten-minute slots that make a pace, the fewest of them, and the fewest answers in them.
SLOTS, FEWEST_SLOTS, FEWEST_ANSWERS = 18, 3, 10


@dataclass(frozen=True)
class Finish:
    """`at`, and between `earliest` and `latest` (None: no end in sight at the slower pace); or the `reason`.

    `n` answers in `minutes` minutes are what it comes from.
    """

    n: int
    minutes: int
    missing: int
    at: datetime | None = None
    earliest: datetime | None = None
    latest: datetime | None = None
    per_hour: float = 0.0
    reason: str = ""


def finish_of(missing: int, *, slots: list[int], slot: timedelta, now: datetime) -> Finish:
    """When `missing` answers will be there if the pace of the last slots holds.

    `slots` has the answers of each stretch of time, the latest last. The range is that of Student's 95 % interval of
    the mean number of answers per slot, which also tells how people come and go. `reason` is `done`, `too_new`,
    `too_few` or empty.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> found = finish_of(60, slots=[10, 10, 10], slot=timedelta(minutes=10), now=noon)
    >>> found.at.hour, found.latest.hour, found.per_hour
    (13, 13, 60.0)
    >>> finish_of(60, slots=[1, 0, 1], slot=timedelta(minutes=10), now=noon).reason
    'too_few'
    """
    n, minutes = sum(slots), round(len(slots) * slot.total_seconds() / 60)
    reason = "done" if not missing else "too_new" if len(slots) < FEWEST_SLOTS else ""
    reason = reason or ("too_few" if n < FEWEST_ANSWERS else "")
    if reason:
        return Finish(n, minutes, missing, reason=reason)
    pace = mean(slots)
    reach = float(scipy.stats.t.isf(0.025, len(slots) - 1)) * stdev(slots) / sqrt(len(slots))
    slowest = pace - reach
    return Finish(
        n,
        minutes,
        missing,
        at=now + slot * (missing / pace),
        earliest=now + slot * (missing / (pace + reach)),
        latest=_later(now, slot * (missing / slowest)) if slowest > 0 else None,
        per_hour=pace * 3600 / slot.total_seconds(),
    )


def _later(now: datetime, wait: timedelta) -> datetime | None:
    """None where it is so far away that it means nothing."""
    return now + wait if wait < timedelta(days=365) else None
