"""Old standings are thinned: a watched board creates one a second, and single seconds are not needed later."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise

from django.db.models import Q
from django.utils import timezone

from arena.models import Standing

#: Younger ones all stay.
ALL_FOR = timedelta(hours=1)
#: Then the last of each hour stays, and after this long the last of each day.
HOURLY_FOR = timedelta(days=7)
_AT_ONCE = 500


def thin_standings() -> int:
    """Delete what the rule does not keep; return how many. A rebuild gives a board's last, which always stays."""
    return sum(_thinned(where) for where in _boards())


def thinned_out(made_at: Sequence[datetime], *, now: datetime) -> list[int]:
    """The places of the standings that go, of one board's in their order; the first and the last never do.

    >>> from datetime import UTC
    >>> minutes = [datetime(2030, 1, 1, 8, minute, tzinfo=UTC) for minute in (0, 10, 20, 30)]
    >>> thinned_out(minutes, now=datetime(2030, 1, 1, 9, 15, tzinfo=UTC))
    [1]
    """
    followed = enumerate(pairwise(made_at))
    return [
        place
        for place, (made, after) in followed
        if place and now - made > ALL_FOR and now - after > ALL_FOR and _stretch(made, now) == _stretch(after, now)
    ]


def _stretch(made: datetime, now: datetime) -> str:
    """The hour or the day of which the last is kept."""
    return made.strftime("%Y-%m-%d %H" if now - made <= HOURLY_FOR else "%Y-%m-%d")


def _boards() -> Iterator[Q]:
    names = ("campaign", "label_set", "settings_digest")
    for key in Standing.objects.order_by().values(*names).distinct():
        yield Q(**key)


def _thinned(where: Q) -> int:
    rows = list(Standing.objects.filter(where).order_by("serial").values_list("pk", "created_at"))
    gone = [rows[place][0] for place in thinned_out([made for _, made in rows], now=timezone.now())]
    found = 0
    for start in range(0, len(gone), _AT_ONCE):
        some = Standing.objects.filter(pk__in=gone[start : start + _AT_ONCE])
        for relation in Standing._meta.related_objects:
            some = some.filter(**{f"{relation.name}__isnull": True})
        found += some.delete()[0]
    return found
