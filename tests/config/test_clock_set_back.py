"""The clock was a day ahead, something died, and the clock is right again: nothing waits until that day."""

from datetime import timedelta

import pytest
from celery import Celery
from django.utils import timezone

from annotation.assignment.next_unit import next_assignment
from annotation.listening.reports import Report, record_listening
from arena.models import Board
from arena.standings.refresh import _claim
from config.serving.beat_scheduler import InMemory
from infrastructure.background import jobs
from infrastructure.background.health import health
from infrastructure.background.workers import last_sign_of_life
from infrastructure.models import Job, WorkerBeat
from judges.language_models.calls.limits import _taken
from judges.models import Permit, WorkerSlot
from judges.runs.worker_slots import claim_verdicts, slots_to_work, take_slot
from tests.factories import UserFactory, make_assignment, make_campaign, make_member
from tests.judges.drafting import make_model
from tests.judges.running import a_judge, a_run

pytestmark = pytest.mark.databases

DAY = timedelta(days=1)
in_database = pytest.mark.django_db


@in_database
def test_job_of_a_worker_that_died_then_is_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[object] = []
    monkeypatch.setattr("infrastructure.background.queues.Queue.send", lambda _queue, pk: sent.append(pk))
    late = timezone.now() + DAY
    row = Job.objects.create(
        kind="import-check", subject="1", status="running", heartbeat_at=late, started_by=UserFactory()
    )

    assert jobs.requeue_lost_jobs() == 1
    assert sent == [row.pk]
    assert jobs.QUEUE.claim(row)


@in_database
def test_run_of_a_worker_that_died_then_goes_on() -> None:
    run = a_run(campaign := make_campaign(units=1), a_judge(campaign))
    run.verdicts.update(heartbeat_at=timezone.now() + DAY, tries=1)
    WorkerSlot.objects.filter(run=run).update(heartbeat_at=timezone.now() + DAY, sent_at=timezone.now() + DAY)

    assert slots_to_work().exists()
    assert take_slot(run.worker_slots.values_list("pk", flat=True)[0]) is not None
    assert len(claim_verdicts(run, 5)) == 1


@in_database
def test_call_that_was_under_way_then_keeps_nobody_from_asking() -> None:
    model = make_model(UserFactory())
    late = timezone.now() + DAY
    for _call in range(model.at_once + 1):
        Permit.objects.create(language_model=model, holder="gone", tokens=1, taken_at=late, until=late)

    assert _taken(model.pk, holder="here", tokens=1) is not None


@in_database
def test_board_of_a_worker_that_died_then_is_refreshed() -> None:
    board = Board.objects.create(
        campaign=make_campaign(), settings={}, settings_digest="0", asked_at=timezone.now(),
        claimed_until=timezone.now() + DAY,
    )  # fmt: skip

    assert _claim(board)


@in_database
def test_seat_of_somebody_who_left_then_comes_back() -> None:
    campaign = make_campaign(units=1, answers_per_unit=1)
    late = timezone.now() + DAY
    fields = {"reserved_at": late, "shown_at": late, "expires_at": late + timedelta(hours=1)}
    gone = make_assignment(campaign, make_member(campaign), **fields)

    mine = next_assignment(campaign, make_member(campaign))

    assert mine is not None
    assert mine.campaign_unit == gone.campaign_unit


@in_database
def test_somebody_who_began_then_is_heard() -> None:
    campaign = make_campaign(listening="full")
    late = timezone.now() + DAY
    assignment = make_assignment(campaign, make_member(campaign), reserved_at=late)
    report = Report(1, {"1-1": [(0.0, 1.0)]}, {}, 0, 0.0)

    assert record_listening(assignment.pk, annotator=assignment.annotator, reports=[report]).played_s == 1.0


@in_database
def test_worker_seen_then_is_no_sign_of_life() -> None:
    WorkerBeat.objects.create(name="gone", seen_at=timezone.now() + DAY)
    assert (health().worker_runs, last_sign_of_life()) == (False, None)

    WorkerBeat.objects.create(name="here", seen_at=timezone.now())
    assert last_sign_of_life() is not None


def test_tasks_that_ran_then_run_again_after_their_interval() -> None:
    app = Celery(set_as_current=False, broker="memory://")
    app.conf.beat_schedule = {name: {"task": name, "schedule": 3.0} for name in ("one", "other")}
    clock = InMemory(app=app)
    clock.tick()
    for entry in clock.schedule.values():
        entry.last_run_at = entry.default_now() + DAY
    clock.populate_heap()

    assert 0 < clock.tick() <= 3.0
    assert all(it.last_run_at <= it.default_now() for it in clock.schedule.values())
