from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from pytest_django import Settings

from infrastructure.background.workers import Waiting, last_sign_of_life, note_beat, waiting
from infrastructure.models import Job, WorkerBeat
from infrastructure.tasks import beat_task
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db

HERE = "python manage.py serve"


@pytest.fixture(autouse=True)
def embedded(settings: Settings) -> None:
    settings.EMBEDDED = True


def ago(seconds: float) -> Any:
    return timezone.now() - timedelta(seconds=seconds)


def make_job(*, age: float = 0, **fields: Any) -> Job:
    fields = {"kind": "import-check", "subject": "1"} | fields
    row = Job.objects.create(started_by=UserFactory(), **fields)
    Job.objects.filter(pk=row.pk).update(created_at=ago(age))
    row.refresh_from_db()
    return row


def make_beat(age: float, name: str = "celery@one") -> WorkerBeat:
    return WorkerBeat.objects.create(name=name, seen_at=ago(age))


def test_job_that_nobody_takes_says_so_within_five_seconds_with_the_command() -> None:
    assert waiting(make_job(age=3, subject="a")) is None
    assert waiting(make_job(age=4.5, subject="b")) == Waiting(no_worker=True, command=HERE)


def test_command_is_that_of_the_mode(settings: Settings) -> None:
    settings.EMBEDDED = False

    assert waiting(make_job(age=5)) == Waiting(no_worker=True, command="celery -A config worker --beat")


@pytest.mark.databases
@pytest.mark.parametrize(("seen", "no_worker"), [(1, False), (6, True), (40, True)])
def test_worker_that_was_not_seen_since_the_job_was_queued_is_not_there(seen: float, no_worker: bool) -> None:
    make_beat(seen)

    assert waiting(make_job(age=5)) == Waiting(no_worker=no_worker, command=HERE)


@pytest.mark.databases
def test_worker_that_beat_after_the_job_was_queued_and_died_is_not_there() -> None:
    make_beat(16)

    assert waiting(make_job(age=60)) == Waiting(no_worker=True, command=HERE)


@pytest.mark.databases
def test_worker_that_is_busy_with_another_job_is_there() -> None:
    make_job(status="running", heartbeat_at=ago(0.5), subject="other")

    assert waiting(make_job(age=5)) == Waiting(no_worker=False, command=HERE)


@pytest.mark.databases
def test_job_whose_worker_died_says_so_until_another_is_there() -> None:
    job = make_job(status="running", heartbeat_at=ago(20))
    assert waiting(job) == Waiting(no_worker=True, command=HERE)

    make_beat(1)

    assert waiting(job) is None


def test_running_job_waits_for_nothing() -> None:
    assert waiting(make_job(age=60, status="running", heartbeat_at=ago(2))) is None
    assert waiting(make_job(age=60, status="succeeded", subject="2")) is None


@pytest.mark.databases
def test_each_worker_keeps_one_row_and_long_gone_ones_go() -> None:
    make_beat(90_000, "celery@gone")
    for _ in range(2):
        note_beat("celery@one")
    note_beat("celery@two")

    assert list(WorkerBeat.objects.values_list("name", flat=True)) == ["celery@one", "celery@two"]


@pytest.mark.databases
def test_beat_task_writes_the_row_of_the_worker_that_does_it() -> None:
    beat_task.apply()

    assert WorkerBeat.objects.count() == 1
    assert last_sign_of_life() == WorkerBeat.objects.get().seen_at


def test_nobody_was_ever_seen() -> None:
    make_job()

    assert last_sign_of_life() is None
