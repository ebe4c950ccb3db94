"""Whether something has been so for a while, on machines whose time of day may be moved.

A clock that jumps makes every time look long ago, or yet to come. What ends for good is therefore looked at again and
again, and believed only where the time of day went on steadily from each look to the next. What was seen is kept in a
cache: if that is lost, the while begins anew.
"""

from datetime import datetime, timedelta

from django.core.cache import BaseCache, caches
from django.utils import timezone

#: So long something has to be so.
WHILE = timedelta(minutes=10)
#: A longer way from one look to the next is a jump, or looks that were not taken.
STEP = timedelta(minutes=3)


def has_lasted(name: str, state: object) -> bool:
    """Note that it is so at this moment; whether it has been, in the very same state, all the while."""
    now = timezone.now()
    kept: tuple[object, datetime, datetime] | None = _looks().get(name)
    goes_on = kept is not None and kept[0] == state and timedelta(0) <= now - kept[2] <= STEP
    since = kept[1] if kept and goes_on else now
    _looks().set(name, (state, since, now), 2 * WHILE.total_seconds())
    return now - since >= WHILE


def is_no_more(name: str) -> None:
    """It is not so at this moment."""
    _looks().delete(name)


def _looks() -> BaseCache:
    return caches["looks"]
