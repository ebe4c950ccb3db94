"""Leases: a worker holds something until a time, and renews it while it is at work, or loses it."""

from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import Q

#: Clocks of machines may differ; what ends later than this many leases from now was given by a clock that was wrong.
MOST_LEASES = 3


def lapsed(column: str, *, now: datetime, lease: timedelta) -> Q:
    """It is free: never claimed, expired, or ending so late that the clock was set back since.

    Without the last, what a dead worker took while the clock was a day ahead would stay taken for a day.
    """
    over = Q(**{f"{column}__lt": now}) | Q(**{f"{column}__gt": now + MOST_LEASES * lease})
    return Q(**{column: None}) | over


_releases: list[Callable[[], object]] = []


def released_at_start(release: Callable[[], object]) -> None:
    """`release` frees what an ended process held, where there is one worker only: nothing waits for a lease then."""
    _releases.append(release)


def release_all() -> None:
    """Called where the only worker starts."""
    for release in _releases:
        release()
