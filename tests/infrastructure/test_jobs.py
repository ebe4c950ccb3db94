import threading
from collections.abc import Iterator
from datetime import timedelta
from uuid import UUID

import pytest
from django.utils import timezone
from django.utils.translation import gettext_lazy
from pytest_django import Settings

from infrastructure import tasks
from infrastructure.background import beside, kinds
from infrastructure.background.jobs import JobFailed, requeue_lost_jobs, run_job, start_job
from infrastructure.background.kinds import JobKind, ShowProgress
from infrastructure.models import Job
from infrastructure.wording.reasons import TEXT
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the work of the kind `note` has been done about; `fail` and `crash` go wrong."""
    subjects: list[str] = []

    def note(subject: str, progress: ShowProgress) -> None:
        subjects.append(subject)
        progress(1, 1, TEXT(text="noted"))

    def fail(subject: str, progress: ShowProgress) -> None:
        raise JobFailed(TEXT(text="The disk is full; make room and start again."))

    def crash(subject: str, progress: ShowProgress) -> None:
        raise ZeroDivisionError

    for name, work in {"note": note, "fail": fail, "crash": crash}.items():
        monkeypatch.setitem(kinds._kinds, name, JobKind(name, gettext_lazy(name), work))
    return subjects


def job_of(kind: str = "note", **changes: object) -> Job:
    row = start_job(kind, subject="7", started_by=UserFactory())
    Job.objects.filter(pk=row.pk).update(**changes)
    row.refresh_from_db()
    return row


def test_run_job_does_the_work_and_says_so(done: list[str]) -> None:
    row = job_of()

    run_job(row.pk)

    row.refresh_from_db()
    assert done == ["7"]
    assert (row.status, row.done, row.total, row.note) == ("succeeded", 1, 1, "noted")


def test_run_job_twice_does_the_work_once(done: list[str]) -> None:
    row = job_of()

    run_job(row.pk)
    run_job(row.pk)

    assert done == ["7"]


def test_run_job_leaves_a_job_that_is_in_good_hands(done: list[str]) -> None:
    run_job(job_of(status="running", heartbeat_at=timezone.now()).pk)

    assert done == []


@pytest.mark.databases
def test_work_that_was_taken_over_stops_and_leaves_the_row_to_its_new_owner(
    done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    row = job_of()

    def slow(subject: str, progress: ShowProgress) -> None:
        Job.objects.filter(pk=row.pk).update(tries=2)
        progress(1, 1)
        done.append("never reached")

    monkeypatch.setitem(kinds._kinds, "note", JobKind("note", gettext_lazy("note"), slow))
    run_job(row.pk)

    row.refresh_from_db()
    assert (done, row.status, row.tries) == ([], "running", 2)


@pytest.mark.databases
def test_run_job_takes_over_an_abandoned_job(done: list[str]) -> None:
    run_job(job_of(status="running", heartbeat_at=timezone.now() - timedelta(minutes=2)).pk)

    assert done == ["7"]


def test_start_job_returns_the_one_that_is_active(done: list[str]) -> None:
    first = job_of()

    assert start_job("note", subject="7", started_by=first.started_by) == first


def test_start_job_after_the_last_one_ended_is_a_new_one(done: list[str]) -> None:
    first = job_of()
    run_job(first.pk)

    assert start_job("note", subject="7", started_by=first.started_by) != first


@pytest.mark.parametrize(
    ("kind", "error"), [("fail", "The disk is full; make room and start again."), ("crash", "Something unexpected")]
)
def test_failed_work_is_said_in_the_row(done: list[str], kind: str, error: str) -> None:
    row = job_of(kind)

    run_job(row.pk)

    row.refresh_from_db()
    assert row.status == "failed"
    assert row.error.startswith(error)


@pytest.mark.databases
def test_requeue_lost_jobs_sends_the_lost_and_leaves_the_rest(
    done: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    long_ago = timezone.now() - timedelta(minutes=2)
    lost = [
        job_of(sent_at=long_ago, subject="queued"),
        job_of(status="running", heartbeat_at=long_ago, subject="abandoned"),
    ]
    job_of(status="running", heartbeat_at=timezone.now(), subject="alive")
    job_of(status="succeeded", subject="done")
    sent: list[object] = []
    monkeypatch.setattr("infrastructure.background.queues.Queue.send", lambda _queue, pk: sent.append(pk))

    requeue_lost_jobs()

    assert set(sent) == {row.pk for row in lost}


def dropped_by(workers: int) -> Job:
    """A job whose lease is over for the n-th time."""
    return job_of(status="running", tries=workers, heartbeat_at=timezone.now() - timedelta(minutes=2))


@pytest.mark.databases
def test_job_that_took_three_workers_with_it_is_failed_with_a_sentence(done: list[str]) -> None:
    row = dropped_by(workers=3)

    run_job(row.pk)

    row.refresh_from_db()
    assert (done, row.status) == ([], "failed")
    assert row.error == f"The server ended 3 times at this. The log names job {row.pk}; fix the cause first."
    assert row.finished_at is not None


@pytest.mark.databases
def test_job_that_took_two_workers_with_it_is_tried_once_more(done: list[str]) -> None:
    run_job(dropped_by(workers=2).pk)

    assert done == ["7"]


# -- work that waits for other servers ----------------------------------------------------------------------------


def test_job_that_waits_for_servers_leaves_the_worker_free(done: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    kind = JobKind("note", gettext_lazy("note"), lambda *_: None, waits_for_servers=lambda subject: subject == "7")
    monkeypatch.setitem(kinds._kinds, "note", kind)
    waiting, other = job_of(), start_job("note", subject="8", started_by=UserFactory())
    entered, may_end, ran = threading.Semaphore(0), threading.Event(), []

    def run(pk: UUID) -> None:
        ran.append(pk)
        entered.release()
        may_end.wait(10)

    monkeypatch.setattr(beside, "run_job", run)
    assert not beside.run_beside(other.pk)
    assert all(beside.run_beside(waiting.pk) for _ in range(beside.MOST + 1))  # the last finds no thread free
    assert all(entered.acquire(timeout=10) for _ in range(beside.MOST))
    assert ran == [waiting.pk] * beside.MOST
    may_end.set()


def test_only_a_worker_in_the_process_runs_jobs_beside(
    done: list[str], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    sent: list[UUID] = []
    monkeypatch.setattr(tasks, "run_beside", lambda pk: sent.append(pk) is None)
    row = job_of()
    tasks.run_job_task.apply(args=[str(row.pk)])
    assert (sent, done) == ([row.pk], [])

    settings.EMBEDDED = False
    tasks.run_job_task.apply(args=[str(row.pk)])
    assert (sent, done) == ([row.pk], ["7"])
