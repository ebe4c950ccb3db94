"""Several threads at a run: they stop when somebody says so, and leave nothing half done."""

import threading
import time
from collections.abc import Callable, Iterator

import pytest
from django.conf import settings as django_settings
from django.db import connection
from pytest_django import Settings

from campaigns.models import Campaign
from infrastructure.background import queues
from judges import tasks
from judges.models import Permit, Run
from judges.runs import worker as working
from judges.runs import worker_slots
from judges.runs.lifecycle import cancel_run, pause_run, resume_run
from judges.runs.worker import work_in_slot
from tests.factories import make_campaign
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run, saying, worked
from tests.judges.running import asker as asker  # noqa: PLC0414 - a fixture
from tests.judges.server import FakeServer, after, hang, serving, wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("asker"), pytest.mark.databases]


@pytest.fixture
def campaign(settings: Settings) -> Campaign:
    settings.MODELS_ON_PRIVATE_ADDRESSES = True
    settings.JUDGE_WORKER_SLOTS = 1
    return make_campaign(units=12)


@pytest.fixture
def server(campaign: Campaign) -> Iterator[FakeServer]:
    with serving(after(0.3, saying(campaign))) as fake:
        yield fake


def in_a_thread(work: Callable[[], object]) -> threading.Thread:
    def whole() -> None:
        work()
        connection.close()

    thread = threading.Thread(target=whole)
    thread.start()
    return thread


def stopped_by(run: Run, server: FakeServer, stop: Callable[[Run], None]) -> Run:
    worker = in_a_thread(lambda: work_in_slot(run.worker_slots.get().pk))
    wait_until(lambda: len(server.asked) >= 4)
    stop(run)
    worker.join(timeout=30)
    assert not worker.is_alive()
    run.refresh_from_db()
    return run


def test_a_pause_lets_come_what_is_under_way_and_begins_nothing(campaign: Campaign, server: FakeServer) -> None:
    run = a_run(campaign, a_judge(campaign, "asker", model=make_model(campaign.created_by, server.url)))

    stopped_by(run, server, pause_run)

    assert run.status == "paused"
    assert run.verdicts.filter(status="ok").count() == len(server.asked) < 12
    assert not run.verdicts.filter(status="waiting").exclude(heartbeat_at=None).exists()
    assert not Permit.objects.exclude(until=None).exists()
    resume_run(run)
    assert worked(run, threads=4).status == "done"
    assert len(server.asked) == 12


def test_cancelling_stops_at_once_and_keeps_what_came(campaign: Campaign, server: FakeServer) -> None:
    run = a_run(campaign, a_judge(campaign, "asker", model=make_model(campaign.created_by, server.url)))

    stopped_by(run, server, cancel_run)

    said = run.verdicts.filter(status="ok").count()
    assert (run.status, said + run.verdicts.filter(status="waiting").count()) == ("cancelled", 12)
    assert said < 12


def test_embedded_one_thread_judges_and_the_other_stays_free(
    campaign: Campaign, server: FakeServer, settings: Settings
) -> None:
    settings.EMBEDDED = True
    first = a_run(campaign, a_judge(campaign, "asker", model=make_model(campaign.created_by, server.url)))
    second = a_run(campaign, a_judge(campaign))
    worker = in_a_thread(lambda: work_in_slot(first.worker_slots.get().pk))
    wait_until(lambda: len(server.asked) >= 1)

    assert work_in_slot(second.worker_slots.get().pk) == 0
    worker.join(timeout=30)
    assert worked(second).status == "done"


def test_a_turn_ends_when_its_time_is_up_and_rings_for_whoever_waits_longest(
    campaign: Campaign, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = a_run(campaign, a_judge(campaign, "asker", model=make_model(campaign.created_by, server.url)))
    second = a_run(campaign, a_judge(campaign))
    sent: list[int] = []
    monkeypatch.setattr("infrastructure.background.queues.Queue.send", lambda _queue, pk: sent.append(pk))

    work_in_slot(first.worker_slots.get().pk, slice_s=0.1)

    assert first.verdicts.filter(status="ok").count() == 4  # as many as the model may have at a time
    assert sent == [second.worker_slots.get().pk]


def test_a_server_that_hangs_holds_a_turn_for_one_attempt_and_is_given_up_after_five(campaign: Campaign) -> None:
    with serving(hang) as server:
        model = make_model(campaign.created_by, server.url, timeout_s=1)
        run = a_run(campaign, a_judge(campaign, "asker", model=model))
        started = time.monotonic()
        worked(run, threads=1, slice_s=0.5)
        took = time.monotonic() - started
        verdict = run.verdicts.exclude(tries=0).get()
        first = (verdict.status, verdict.heartbeat_at, len(server.asked))
        for _turn in range(4):
            worked(run, threads=1, slice_s=0.5)

    verdict.refresh_from_db()
    assert took < 4
    assert first == ("waiting", None, 1)
    assert (verdict.status, len(server.asked)) == ("error", 5)
    assert "did not answer within" in verdict.message


def test_workers_know_the_tasks_they_are_told_of() -> None:
    schedule = django_settings.CELERY_BEAT_SCHEDULE["pick-up-runs"]

    assert tasks.judge_slot_task.name == worker_slots.WORKER_SLOTS.task
    assert tasks.pick_up_runs_task.name == schedule["task"]
    assert queues.LEASE.total_seconds() > working.SLICE_S
