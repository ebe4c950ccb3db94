from collections import namedtuple
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import User
from campaigns.models import Role
from corpus.imports.uploads.actions import begin_import
from infrastructure.administration.job_list import counts
from infrastructure.background import health as health_module
from infrastructure.background.health import health
from infrastructure.background.jobs import run_job
from infrastructure.models import Job, WorkerBeat
from infrastructure.wording.reasons import TEXT
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db

GIB = 1024**3
Usage = namedtuple("Usage", "total used free")


@pytest.fixture(autouse=True)
def roomy_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 100 * GIB, 50 * GIB)


@pytest.fixture(autouse=True)
def embedded(settings: Settings) -> None:
    settings.EMBEDDED = True


@pytest.fixture
def researcher(client: Client) -> User:
    user = UserFactory(is_researcher=True)
    client.force_login(user)
    return user


def free(monkeypatch: pytest.MonkeyPatch, total: int, room: int) -> None:
    monkeypatch.setattr(health_module.shutil, "disk_usage", lambda _path: Usage(total, total - room, room))


def beat(seconds_ago: float = 1) -> None:
    WorkerBeat.objects.create(name="celery@one", seen_at=timezone.now() - timedelta(seconds=seconds_ago))


def make_job(user: User, *, subject: str = "1", age: timedelta = timedelta(0), **fields: Any) -> Job:
    row = Job.objects.create(kind="import-check", subject=subject, started_by=user, **fields)
    Job.objects.filter(pk=row.pk).update(created_at=timezone.now() - age)
    return row


def failed(user: User, *, age: timedelta = timedelta(0), **fields: Any) -> Job:
    return make_job(user, age=age, status="failed", finished_at=timezone.now() - age, **fields)


@pytest.mark.parametrize(("seen", "runs"), [(14, True), (16, False), (None, False)])
def test_worker_runs_if_it_was_seen_within_fifteen_seconds(seen: float | None, runs: bool) -> None:
    if seen is not None:
        beat(seen)

    assert (health().worker_runs, health().is_well) == (runs, runs)


def test_worker_that_has_no_time_to_beat_runs_while_its_job_goes_on() -> None:
    beat(100)
    make_job(UserFactory(), status="running", heartbeat_at=timezone.now())

    assert health().worker_runs


@pytest.mark.parametrize(
    ("total", "room", "low"), [(10, 2, False), (10, 1.9, True), (100, 4.9, True), (100, 5, False), (3, 2.5, False)]
)
def test_disk_is_low_below_two_gib_or_five_percent(
    monkeypatch: pytest.MonkeyPatch, total: float, room: float, low: bool
) -> None:
    beat()
    free(monkeypatch, round(total * GIB), round(room * GIB))

    assert (health().disk_is_low, health().is_well) == (low, not low)


def test_queue_is_counted_and_one_that_waits_long_is_told() -> None:
    beat()
    user = UserFactory()
    make_job(user, subject="1", age=timedelta(minutes=2))
    make_job(user, subject="2")
    make_job(user, subject="3", status="succeeded")
    assert (health().queued, health().waits_long) == (2, False)

    make_job(user, subject="4", age=timedelta(minutes=11))

    assert (health().queued, health().waits_long, health().is_well) == (3, True, False)


def test_last_failure_is_the_latest_of_ones_own_that_nobody_mended() -> None:
    user, other, admin = UserFactory(), UserFactory(), UserFactory(is_superuser=True)
    failed(user, subject="old", age=timedelta(hours=25))
    first = failed(user, subject="first", age=timedelta(hours=2))
    failed(user, subject="mended", age=timedelta(hours=1))
    make_job(user, subject="mended", status="succeeded", age=timedelta(minutes=30))
    latest = failed(other, subject="latest")

    found = health()

    assert [f.job if (f := found.last_failure(person)) else None for person in (user, other, admin)] == [
        first.pk,
        latest.pk,
        latest.pk,
    ]
    assert found.last_failure(UserFactory()) is None


def test_two_queries_tell_it_and_none_within_the_next_seconds(
    settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
    cache.clear()
    user = UserFactory()
    for n in range(3):
        failed(user, subject=str(n))

    with django_assert_num_queries(2):
        first = health()
    with django_assert_num_queries(0):
        assert health() == first
    cache.clear()


def test_strip_is_one_quiet_line_when_all_is_well(client: Client, researcher: User) -> None:
    client.get("/")  # the first page of a process loads much, and a beat is old after fifteen seconds
    beat()

    page = client.get("/").content.decode()

    assert page.count('id="health"') == 1
    assert "All is well" in page
    assert "No worker is running" not in page


def test_strip_says_what_is_wrong_and_what_to_do(
    client: Client, researcher: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, 100 * GIB, GIB)
    job = failed(researcher)

    page = client.get("/").content.decode()

    assert "No worker is running." in page
    assert "<code>python manage.py serve</code>" in page
    assert "1.0\xa0GB (1 %) are free" in page
    assert f'href="/jobs/{job.pk}/"' in page


def test_strip_says_which_job_failed_whose_and_why_and_not_that_all_is_well(client: Client) -> None:
    client.force_login(UserFactory(is_superuser=True))
    beat()
    failed(UserFactory(username="grace"), error=TEXT(text="The disk went away."))

    page = client.get("/").content.decode()

    assert "A job failed: Check of an import" in page
    assert "of grace, on " in page
    assert "The disk went away." in page
    assert "All is well" not in page


def test_faulty_file_of_an_import_is_no_failed_job_of_the_installation() -> None:
    user = UserFactory(is_researcher=True)
    manifest = SimpleUploadedFile("m.csv", b"\xff\xfe\x00 this is no table")
    upload = begin_import(user=user, dataset_name="D", manifest=manifest, archive=None, without_audio=True)
    job = Job.objects.get(subject=str(upload.pk))
    run_job(job.pk)
    job.refresh_from_db()

    assert (job.status, job.input_refused) == ("failed", True)
    assert job.error
    assert health().last_failure(user) is None


def test_import_with_errors_in_its_rows_is_counted_as_input_refused(client: Client) -> None:
    user = UserFactory(is_superuser=True)
    manifest = SimpleUploadedFile("m.csv", b"item,system,prompt_text\n,alpha,Why?\n")
    upload = begin_import(user=user, dataset_name="D", manifest=manifest, archive=None, without_audio=True)
    job = Job.objects.get(subject=str(upload.pk))
    run_job(job.pk)
    job.refresh_from_db()
    client.force_login(user)

    page = client.get(f"/imports/{upload.pk}/").content.decode()

    assert (job.status, job.input_refused, counts()["refused"], counts()["done"]) == ("failed", True, 1, 0)
    assert str(job.error).startswith("Nothing was imported. Errors in the file: 1;")
    assert "1 error. Nothing was written." in page
    assert "Errors in the file" not in page


def test_unexpected_fault_of_an_import_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    user = UserFactory(is_researcher=True)
    manifest = SimpleUploadedFile("m.csv", b"item_id,system,response_text\n1,a,b\n")
    upload = begin_import(user=user, dataset_name="D", manifest=manifest, archive=None, without_audio=True)
    job = Job.objects.get(subject=str(upload.pk))
    upload.manifest_path.unlink()
    run_job(job.pk)

    failure = health().last_failure(user)

    assert failure
    assert (failure.job, failure.username) == (job.pk, user.username)


@each("who", ["annotator", "guest", "viewer", "nobody"], undo=True)
def test_who_does_not_run_the_installation_sees_no_strip(client: Client, who: str) -> None:
    campaign = make_campaign()
    if who != "nobody":
        role = Role.VIEWER if who == "viewer" else Role.ANNOTATOR
        client.force_login(make_member(campaign, role, is_guest=who == "guest"))

    page = client.get("/", follow=True).content.decode()

    assert 'id="health"' not in page


def test_strip_is_fetched_again_by_itself(client: Client, researcher: User) -> None:
    beat()

    said = client.get("/health/", headers={"HX-Request": "true"}).content.decode().strip()

    assert said.startswith('<div id="health"')
    assert said.endswith("</div>")


def test_page_of_a_job_says_how_it_went_and_leads_to_what_it_was_about(client: Client, researcher: User) -> None:
    campaign = make_campaign()
    row = Job.objects.create(
        kind="prepare-audio",
        subject=str(campaign.pk),
        started_by=researcher,
        status="failed",
        error=TEXT(text="Two are gone."),
    )

    page = client.get(f"/jobs/{row.pk}/").content.decode()

    assert "Two are gone." in page
    assert f'href="{campaign.get_absolute_url()}"' in page
    assert "data-live-topic" not in page


def test_page_of_a_job_that_waits_asks_for_news_every_second(client: Client, researcher: User) -> None:
    row = make_job(researcher, subject=str(uuid4()), age=timedelta(seconds=5))

    page = client.get(f"/jobs/{row.pk}/", headers={"HX-Request": "true"}).content.decode()

    assert f'data-live-topic="job:{row.pk}" data-live-every="1"' in page
    assert "no worker is running; start one with <code>python manage.py serve</code>" in page


def test_data_folder_is_the_one_that_is_measured(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[Any] = []
    settings.DATA_DIR = tmp_path
    monkeypatch.setattr(health_module.shutil, "disk_usage", lambda path: asked.append(path) or Usage(1, 0, 1))

    health()

    assert asked == [tmp_path]
