"""How often and how many at a time a model is asked, by all workers together: the database counts.

Holds across threads, processes and machines: taking a permit locks the model's row. Every attempt counts, also
those that are made because the server was busy. The permits of a worker that died lapse.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, Sum
from django.utils import timezone

from infrastructure.background.leases import lapsed
from judges.backends.contract import IsCancelled
from judges.backends.waiting import MOST_ASKED_S, sleep_unless
from judges.models import LanguageModel, Permit

WINDOW = timedelta(seconds=60)
#: In progress for so long, unless the heartbeat of the worker slot says that it still is.
LEASE = timedelta(seconds=60)
LOOK_AGAIN_S = 0.2
#: A pause that ends later was written by a clock that was wrong.
LONGEST_PAUSE = timedelta(seconds=MOST_ASKED_S)


@contextmanager
def permit(model_id: int, *, holder: str, tokens: int, is_cancelled: IsCancelled) -> Iterator[Permit]:
    """Wait until one more call may be under way. Raises Cancelled."""
    while (row := _taken(model_id, holder=holder, tokens=tokens)) is None:
        sleep_unless(is_cancelled, LOOK_AGAIN_S)
    try:
        yield row
    finally:
        Permit.objects.filter(pk=row.pk).update(until=None)


def slow_down(model_id: int, seconds: float) -> None:
    """The server asked for a pause: no worker calls this model until it is over."""
    until = timezone.now() + timedelta(seconds=seconds)
    earlier = Q(left_until=None) | Q(left_until__lt=until) | Q(left_until__gt=until + LONGEST_PAUSE)
    LanguageModel.objects.filter(earlier, pk=model_id).update(left_until=until)


def settle(row: Permit, *, tokens: int) -> None:
    """What the call took, as the server counted."""
    Permit.objects.filter(pk=row.pk).update(tokens=tokens)


def keep_permits(holder: str) -> None:
    """The heartbeat of a worker slot: its calls are still in progress."""
    Permit.objects.filter(holder=holder).exclude(until=None).update(until=timezone.now() + LEASE)


def drop_permits(holder: str) -> None:
    """Its worker is gone, and so is what it had under way."""
    Permit.objects.filter(holder=holder).exclude(until=None).update(until=None)


@transaction.atomic
def _taken(model_id: int, *, holder: str, tokens: int) -> Permit | None:
    model = LanguageModel.objects.select_for_update().get(pk=model_id)
    now = timezone.now()
    if model.left_until and now < model.left_until <= now + LONGEST_PAUSE:
        return None
    rows = Permit.objects.filter(language_model=model)
    over = lapsed("until", now=now, lease=LEASE)
    rows.filter(over, Q(taken_at__lte=now - WINDOW) | Q(taken_at__gt=now + WINDOW)).delete()
    if rows.exclude(over).count() >= max(model.at_once, 1):
        return None
    recent = rows.filter(taken_at__gt=now - WINDOW)
    if model.requests_per_minute and recent.count() >= model.requests_per_minute:
        return None
    if most := model.tokens_per_minute:
        tokens = min(tokens, most)  # a call larger than the limit goes when nothing else does
        if (recent.aggregate(n=Sum("tokens"))["n"] or 0) + tokens > most:
            return None
    return Permit.objects.create(language_model=model, holder=holder, tokens=tokens, taken_at=now, until=now + LEASE)
