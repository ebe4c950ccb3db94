"""A run's budget: what a call may cost at most is held back before it is made, and settled when its bill is there.

The sum of spent, possibly billed and reserved amounts never exceeds the budget, for all workers together:
each of these changes under a lock on the run's row.
"""

import json
from datetime import timedelta
from decimal import ROUND_UP, Decimal
from math import ceil

from django.db import transaction
from django.db.models import QuerySet, Sum
from django.utils import timezone

from infrastructure.background.leases import lapsed
from judges import reasons
from judges.backends.contract import Cancelled, IsCancelled, JudgeInput
from judges.backends.messages import plain as plain_messages
from judges.backends.messages import sounds_in
from judges.backends.waiting import sleep_unless
from judges.language_models.calls.stops import RunStopped
from judges.language_models.prices import CENT_OF_A_CENT, MILLION, MOST_USD, price_of
from judges.models import Cause, LanguageModel, Reservation, Run

#: Reserved for so long, unless the heartbeat of the worker slot says that the call is still in progress.
LEASE = timedelta(seconds=60)
LOOK_AGAIN_S = 0.3
#: No token is less than a byte; what a server puts around a message; the most that one counts for a second of sound.
TOKENS_AROUND, TOKENS_PER_SECOND_AT_MOST = 100, 50


def most_text_tokens(wanted: JudgeInput) -> int:
    """No tokenizer makes more of the question than this: a token for each byte of its text and of its schema."""
    text = json.dumps([plain_messages(wanted.messages), dict(wanted.schema)], ensure_ascii=False)
    return len(text.encode()) + TOKENS_AROUND * (len(wanted.messages) + 1)


def most_sound_tokens(wanted: JudgeInput) -> int:
    """What no server counts more for the sound of the question."""
    return ceil(sum(sound.seconds for sound in sounds_in(wanted.messages)) * TOKENS_PER_SECOND_AT_MOST)


def most_it_costs(model: LanguageModel, wanted: JudgeInput, *, tokens_out: int | None = None) -> Decimal | None:
    """The most that one call costs by the model's prices and its limit of tokens; None where no price is named."""
    if (price := price_of(model)) is None:
        return None
    text = _dearest(price.usd_in, price.usd_cached_in)
    sound = _dearest(text, price.usd_audio_in)
    reply = _dearest(price.usd_out, price.usd_reasoning_out, price.usd_audio_out)
    limit = wanted.max_tokens if tokens_out is None else tokens_out
    usd = text * most_text_tokens(wanted) + sound * most_sound_tokens(wanted) + reply * limit
    return min((usd / MILLION).quantize(CENT_OF_A_CENT, ROUND_UP), MOST_USD)


def _dearest(price: Decimal, *others: Decimal | None) -> Decimal:
    return max(price, *(other for other in others if other is not None), price)


def reserve(run: Run, usd: Decimal | None, *, holder: str, is_cancelled: IsCancelled) -> Reservation | None:
    """Hold `usd` back, as soon as what others hold back leaves room; None where nothing is to be paid.

    Raises RunStopped where the budget has no room for it whatever others' calls turn out to cost, Cancelled.
    """
    if not usd:
        return None
    while (held := _reserved(run.pk, usd, holder)) is None:
        sleep_unless(is_cancelled, LOOK_AGAIN_S)
    return held


def settle(held: Reservation | None, usd: Decimal | None) -> None:
    """The bill of the call; None where there is none and the call may have been billed."""
    if held is None:
        return
    with transaction.atomic():
        run = Run.objects.select_for_update().get(pk=held.run_id)
        if not Reservation.objects.filter(pk=held.pk).delete()[0]:  # it lapsed, and was taken for billed
            run.unconfirmed_usd = max(run.unconfirmed_usd - held.usd, Decimal(0))
        if usd is None:
            _add(run, unconfirmed_usd=held.usd)
        else:
            _add(run, spent_usd=usd)


def book(run_pk: int, usd: Decimal) -> None:
    """The bill of a call for which nothing was held back."""
    with transaction.atomic():
        _add(Run.objects.select_for_update().get(pk=run_pk), spent_usd=usd)


def keep_reservations(holder: str) -> None:
    """The heartbeat of a worker slot: its calls are still in progress."""
    Reservation.objects.filter(holder=holder).update(until=timezone.now() + LEASE)


def drop_reservations(holder: str) -> None:
    """Its worker is gone: the calls that were under way may have been billed."""
    for run in Run.objects.filter(reservations__holder=holder).distinct():
        with transaction.atomic():
            locked = Run.objects.select_for_update().get(pk=run.pk)
            _take_for_billed(locked, Reservation.objects.filter(run=run, holder=holder))


def drop_lapsed(run: Run) -> None:
    """The same for workers that have not been heard of for long."""
    over = lapsed("until", now=timezone.now(), lease=LEASE)
    if Reservation.objects.filter(over, run=run).exists():
        with transaction.atomic():
            locked = Run.objects.select_for_update().get(pk=run.pk)
            _take_for_billed(locked, Reservation.objects.filter(over, run=run))


def reserved_usd(run: Run) -> Decimal:
    """What is held back for calls that are under way."""
    return _sum(Reservation.objects.filter(run=run))


@transaction.atomic
def _reserved(run_pk: int, usd: Decimal, holder: str) -> Reservation | None:
    """None where others hold back what it needs. Raises RunStopped, Cancelled."""
    run = Run.objects.select_for_update().get(pk=run_pk)
    now = timezone.now()
    if run.status == Run.Status.CANCELLED:
        raise Cancelled
    if run.budget_usd is not None:
        left = run.budget_usd - run.spent_usd - run.unconfirmed_usd
        if usd > left:
            raise _no_room(run, usd, left)
        if usd > left - reserved_usd(run):
            return None
    return Reservation.objects.create(run=run, holder=holder, usd=usd, until=now + LEASE)


def _no_room(run: Run, usd: Decimal, left: Decimal) -> RunStopped:
    parameters = {
        "left": f"{max(left, Decimal(0)):.4f}",
        "budget": f"{run.budget_usd:.2f}",
        "spent": f"{run.spent_usd:.4f}",
        "usd": f"{usd:.4f}",
    }
    reason = reasons.BUDGET_SPENT(**parameters)
    if run.unconfirmed_usd:
        reason = reasons.BUDGET_UNCONFIRMED(**parameters, unconfirmed=f"{run.unconfirmed_usd:.4f}")
    return RunStopped(reason, status=Run.Status.OVER_BUDGET, cause=Cause.BUDGET)


def _take_for_billed(run: Run, rows: QuerySet[Reservation]) -> None:
    if usd := _sum(rows):
        _add(run, unconfirmed_usd=usd)
        rows.delete()


def _add(run: Run, *, spent_usd: Decimal = Decimal(0), unconfirmed_usd: Decimal = Decimal(0)) -> None:
    """To the sums of a run whose row is locked: never more than what its columns hold."""
    run.spent_usd = min(run.spent_usd + spent_usd, MOST_USD)
    run.unconfirmed_usd = min(run.unconfirmed_usd + unconfirmed_usd, MOST_USD)
    run.save(update_fields=["spent_usd", "unconfirmed_usd"])


def _sum(rows: QuerySet[Reservation]) -> Decimal:
    return Decimal(rows.aggregate(usd=Sum("usd"))["usd"] or 0).quantize(CENT_OF_A_CENT)
