"""Servers that hang, ask for a pause, or have nothing left for the account: what becomes of a run."""

import json
import threading
import time
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from campaigns.models import Campaign
from judges.language_models.calls.limits import slow_down
from judges.models import LanguageModel, Permit, Reservation, Run
from judges.runs.lifecycle import cancel_run, resume_run
from judges.runs.worker import work_in_slot
from tests.factories import make_campaign
from tests.judges.language_models.billing import priced_model
from tests.judges.language_models.test_budgets import together
from tests.judges.running import a_judge, a_run, saying, worked
from tests.judges.running import asker as asker  # noqa: PLC0414 - a fixture
from tests.judges.runs.test_working import in_a_thread
from tests.judges.server import FakeServer, Step, fault, hang, in_turn, raw, serving, wait_until

pytestmark = pytest.mark.usefixtures("asker")
QUOTA = raw(429, b'{"error": {"message": "You exceeded your current quota", "type": "insufficient_quota"}}')


@pytest.fixture(autouse=True)
def local_server(settings: Settings) -> None:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    settings.JUDGE_WORKER_SLOTS = 1


def a_run_at(campaign: Campaign, server: FakeServer, **plan: Any) -> Run:
    model = priced_model(campaign, server.url, at_once=4, timeout_s=60)
    return a_run(campaign, a_judge(campaign, "asker", model=model), **plan)


def cancelled_after(run: Run, server: FakeServer) -> float:
    """Seconds from the cancel until its worker is free."""
    worker = in_a_thread(lambda: work_in_slot(run.worker_slots.get().pk))
    wait_until(lambda: len(server.asked) >= 4)
    started = time.monotonic()
    cancel_run(run)
    worker.join(20)
    assert not worker.is_alive()
    return time.monotonic() - started


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("embedded", [True, False])
def test_a_cancel_frees_the_worker_though_every_call_hangs(settings: Settings, embedded: bool) -> None:
    settings.EMBEDDED = embedded
    campaign = make_campaign(units=12)
    with serving(hang) as server:
        run = a_run_at(campaign, server, budget_usd=Decimal(9))
        took = cancelled_after(run, server)
        wait_until(lambda: not Reservation.objects.exists())
        other = a_run(campaign, a_judge(campaign))
        assert worked(other).status == "done"  # the one place of an embedded server is free again

    run.refresh_from_db()
    assert took < 2
    assert (run.status, run.spent_usd) == ("cancelled", Decimal(0))
    assert run.unconfirmed_usd > 0  # the server may bill what it was asked
    assert not run.verdicts.exclude(status="waiting").exists()
    assert not Permit.objects.exclude(until=None).exists()


@pytest.mark.django_db(transaction=True)
def test_a_cancel_frees_the_worker_while_it_waits_for_a_pause_that_a_server_asked_for() -> None:
    campaign = make_campaign(units=12)
    with serving(fault(429, Retry_After="100")) as server:
        run = a_run_at(campaign, server)
        worker = in_a_thread(lambda: work_in_slot(run.worker_slots.get().pk))
        wait_until(lambda: len(server.asked) >= 1)
        started = time.monotonic()
        cancel_run(run)
        worker.join(20)

    assert time.monotonic() - started < 2


@pytest.mark.django_db(transaction=True)
def test_a_pause_that_a_server_asks_for_holds_for_every_worker(settings: Settings) -> None:
    settings.EMBEDDED, settings.JUDGE_WORKER_SLOTS = False, 2
    campaign = make_campaign(units=24)
    times: list[tuple[float, bool]] = []
    lock, good = threading.Lock(), saying(campaign)

    def step(body: dict[str, Any]) -> Any:
        with lock:
            is_first = len(times) == 6  # some way into the run, when all are at it
            times.append((time.monotonic(), is_first))
        time.sleep(0.15)
        return fault(429, Retry_After="3")(body) if is_first else good(body)

    with serving(step) as server:
        run = a_run_at(campaign, server)
        while Run.objects.get(pk=run.pk).is_active:
            worker_slots = list(run.worker_slots.values_list("pk", flat=True))
            together([lambda pk=pk: work_in_slot(pk, threads=2) for pk in worker_slots])  # type: ignore[misc]
        connection.close()

    told = next(at for at, is_first in times if is_first) + 0.15
    during = [at for at, _is_first in times if told + 0.3 < at < told + 2.8]
    run.refresh_from_db()
    assert run.status == "done"
    assert during == []
    assert len(times) == 25


@pytest.mark.databases
@pytest.mark.django_db
def test_a_longer_pause_is_not_made_shorter_by_another_worker() -> None:
    campaign = make_campaign(units=1)
    model = priced_model(campaign, "http://127.0.0.1:9/v1")
    slow_down(model.pk, 50)
    first = LanguageModel.objects.get(pk=model.pk).left_until
    slow_down(model.pk, 5)

    assert LanguageModel.objects.get(pk=model.pk).left_until == first


@pytest.mark.databases
@pytest.mark.django_db
@pytest.mark.parametrize("step", [QUOTA, fault(429, Retry_After="86400"), fault(402, "Insufficient Balance")])
def test_an_account_with_nothing_left_pauses_the_run_at_once(step: Step) -> None:
    campaign = make_campaign(units=12)
    with serving(step) as server:
        run = worked(a_run_at(campaign, server))

        assert (run.status, run.stopped_for, len(server.asked)) == ("paused", "quota", 1)
        assert run.message.startswith("The account of this model has nothing left, so the run waits.")
        assert not run.verdicts.exclude(status="waiting").exists()
        server.steps[:] = [saying(campaign)]
        resume_run(run)
        assert worked(run).status == "done"


@pytest.mark.django_db
def test_every_attempt_counts_among_the_calls_of_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judges.language_models.calls.asking.sleep_unless", lambda *_: None)
    campaign = make_campaign(units=1)
    with serving(in_turn(fault(500), fault(502), saying(campaign))) as server:
        run = worked(a_run_at(campaign, server))

        assert (run.status, len(server.asked), Permit.objects.count()) == ("done", 3, 3)
    assert run.verdicts.get().calls.get().call.attempts == 3
    assert json.dumps(server.asked[0]) == json.dumps(server.asked[2])
