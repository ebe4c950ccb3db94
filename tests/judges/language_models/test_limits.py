"""How often a model is asked holds for all workers together."""

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from judges.backends.contract import Cancelled
from judges.language_models.calls import limits
from judges.language_models.calls.limits import drop_permits, keep_permits, permit, settle
from judges.models import LanguageModel, Permit
from tests.factories import UserFactory
from tests.judges.drafting import make_model

pytestmark = pytest.mark.databases


def model_with(**terms: int) -> LanguageModel:
    model = make_model(UserFactory())
    LanguageModel.objects.filter(pk=model.pk).update(**terms)
    return model


def take(model: LanguageModel, *, tokens: int = 10, holder: str = "h") -> Permit:
    """One that is held until its worker slot is gone; refused at once where it would have to wait."""
    with permit(model.pk, holder=holder, tokens=tokens, is_cancelled=lambda: True) as row:
        pass
    return row


@pytest.mark.django_db
def test_so_many_a_minute_and_not_one_more() -> None:
    model = model_with(requests_per_minute=3)
    for _call in range(3):
        take(model)

    with pytest.raises(Cancelled):
        take(model)
    Permit.objects.update(taken_at=timezone.now() - timedelta(seconds=61))
    take(model)
    assert Permit.objects.count() == 1  # those of earlier minutes are gone


@pytest.mark.django_db
def test_tokens_count_as_the_server_counted_them() -> None:
    model = model_with(tokens_per_minute=100)
    first = take(model, tokens=90)

    with pytest.raises(Cancelled):
        take(model, tokens=20)
    settle(first, tokens=30)
    take(model, tokens=70)
    with pytest.raises(Cancelled):
        take(model, tokens=1)


@pytest.mark.django_db
def test_a_call_larger_than_the_limit_goes_when_nothing_else_does() -> None:
    model = model_with(tokens_per_minute=100)

    take(model, tokens=5000)
    with pytest.raises(Cancelled):
        take(model, tokens=1)


@pytest.mark.django_db
def test_what_a_dead_worker_had_under_way_is_free_again() -> None:
    model = model_with(at_once=1)
    with permit(model.pk, holder="dead", tokens=1, is_cancelled=lambda: True):
        with pytest.raises(Cancelled):
            take(model)
        Permit.objects.update(until=timezone.now() - timedelta(seconds=1))
        take(model)
        Permit.objects.filter(holder="dead").update(until=timezone.now() + timedelta(seconds=9))
        drop_permits("dead")
        take(model)


@pytest.mark.django_db
def test_the_heartbeat_keeps_what_is_under_way_and_nothing_else() -> None:
    model = model_with(at_once=2)
    over = take(model, holder="alive")
    with permit(model.pk, holder="alive", tokens=1, is_cancelled=lambda: True) as row:
        Permit.objects.filter(pk=row.pk).update(until=timezone.now() + timedelta(seconds=1))
        keep_permits("alive")
        row.refresh_from_db()
        over.refresh_from_db()
        assert row.until is not None
        assert row.until > timezone.now() + limits.LEASE / 2
        assert over.until is None


@pytest.mark.django_db(transaction=True)
def test_threads_never_have_more_under_way_than_the_model_may() -> None:
    model = model_with(at_once=2)
    lock, now, most = threading.Lock(), [0], [0]

    def work() -> None:
        for _call in range(3):
            with permit(model.pk, holder="h", tokens=1, is_cancelled=lambda: False):
                with lock:
                    now[0] += 1
                    most[0] = max(most[0], now[0])
                time.sleep(0.02)
                with lock:
                    now[0] -= 1
        connection.close()

    threads = [threading.Thread(target=work) for _thread in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most == [2]
