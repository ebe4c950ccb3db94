"""The administration: its home, and the jobs of the installation with what may be done about each."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.login.demo_password import DEMO_PASSWORD
from accounts.models import AuditEntry, User
from campaigns.models import Campaign, Webhook
from corpus.models import Import
from infrastructure.background.jobs import JobRefused, cancel_job, run_again, run_job
from infrastructure.models import Job, WorkerBeat
from infrastructure.wording.reasons import TEXT
from judges.models import Judge, Run
from tests.api.callers import caller
from tests.factories import UserFactory, make_campaign

pytestmark = pytest.mark.django_db
JOBS = "/administration/jobs/"


@pytest.fixture
def administrator(client: Client) -> User:
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    return user


def make_job(kind: str = "prepare-audio", subject: object = "1", **fields: Any) -> Job:
    fields.setdefault("started_by", UserFactory())
    if fields.get("status") in {"failed", "succeeded", "cancelled"}:
        fields.setdefault("finished_at", timezone.now())
    return Job.objects.create(kind=kind, subject=str(subject), **fields)


def make_titled(title: str) -> Campaign:
    campaign = make_campaign()
    campaign.title = title
    campaign.save(update_fields=["title"])
    return campaign


@pytest.mark.databases
def test_home_names_what_needs_attention(client: Client, administrator: User) -> None:
    make_job(status="failed", error=TEXT(text="no room"))

    page = client.get("/administration/").content.decode()

    assert "What needs your attention" in page
    assert "1 failed in the last day" in page
    assert f'href="{JOBS}"' in page
    assert 'href="/accounts/people/"' in page


def test_line_about_health_says_that_there_is_no_backup(
    client: Client, administrator: User, settings: Settings, tmp_path: Path
) -> None:
    """As the administration does; and only to administrators, who can make one."""
    settings.BACKUP_FOLDER = tmp_path / "backups"
    WorkerBeat.objects.create(name="w", seen_at=timezone.now())
    page = client.get("/administration/").content.decode()
    health = page.split('id="health"')[1].split("<main")[0]
    client.force_login(UserFactory(is_researcher=True))
    of_researcher = client.get("/").content.decode()

    assert "Backups: needs action" in health
    assert "Make a backup now, and set a schedule." in health
    assert "All is well" not in health
    assert "needs action" not in of_researcher
    assert "All is well" in of_researcher


def test_line_about_health_goes_by_the_list_of_what_needs_attention(client: Client, administrator: User) -> None:
    """A sole administrator, whose password is the one that the demo prints."""
    WorkerBeat.objects.create(name="w", seen_at=timezone.now())
    administrator.set_password(DEMO_PASSWORD)
    administrator.save()
    client.force_login(administrator)

    page = client.get("/administration/").content.decode()
    log = client.get("/accounts/audit-log/").content.decode()
    line = client.get("/health/").content.decode()

    listed = re.findall(r'<li><a href="[^"]+">([^<]+)</a>', page.split('id="to-do"')[1].split("</section>")[0])
    assert "People" in listed
    assert "All is well" not in log
    assert 'hx-trigger="load, every' in log
    assert 'class="health unknown"' in log
    assert 'class="health"' in line
    for shown in (page, line):
        said = re.sub(r"\s+", " ", shown.split("<summary>")[1].split("</summary>")[0])
        assert [it.partition(":")[0] for it in said.split(" · ")] == listed
        assert "People: needs action" in said


def test_who_is_no_administrator_is_sent_to_the_administrators(client: Client) -> None:
    client.force_login(UserFactory(is_researcher=True))

    refused = client.get("/administration/")

    assert refused.status_code == 403
    assert "Ask one of its administrators if you need it." in refused.content.decode()
    assert "admin of the campaign" not in refused.content.decode()


def test_accounts_are_counted_as_on_their_page(client: Client, administrator: User) -> None:
    UserFactory(is_active=False)
    for n in range(2):
        UserFactory(username=f"guest-{n}", is_guest=True)

    home, people = (client.get(address).content.decode() for address in ("/administration/", "/accounts/people/"))

    assert "2 accounts, and 2 guests, administrators: 1" in home
    assert '2 accounts · <a href="?show=guests">2 guests</a>' in people


@pytest.mark.databases
def test_page_of_what_was_deleted_speaks_of_that_to_administrators(client: Client, administrator: User) -> None:
    of_administrator = client.get("/campaigns/gone/").content.decode()
    client.force_login(UserFactory())
    of_annotator = client.get("/campaigns/gone/").content.decode()

    assert "may have been deleted" in of_administrator
    assert "another annotator" not in of_administrator
    assert "The study at this address may have ended" in of_annotator
    assert "A unit may belong to another annotator" in of_annotator


@pytest.mark.databases
def test_jobs_say_what_they_are_about_for_whom_and_why_they_failed(client: Client, administrator: User) -> None:
    campaign = make_titled("Zqxv study")
    owner = UserFactory(username="zqxv-owner")
    make_job(subject=campaign.pk, status="failed", error=TEXT(text="The disk is full."), started_by=owner)
    make_job("import-write", subject=uuid4(), status="running", done=3, total=10, started_by=None)

    page = client.get(JOBS).content.decode()

    assert "Preparation of audio" in page
    assert f'<a href="{campaign.get_absolute_url()}"><bdi>Zqxv study</bdi></a>' in page
    assert "zqxv-owner" in page
    assert "The disk is full." in page
    assert "the installation itself" in page
    assert "3 / 10" in page


@pytest.mark.databases
def test_jobs_are_filtered_and_searched(client: Client, administrator: User) -> None:
    make_job(subject=1, status="failed")
    make_job("import-check", subject=2, status="failed", input_refused=True)
    make_job(subject=3, status="running", started_by=UserFactory(username="zqxv"))
    queries = {
        "state=failed": {"1"}, "state=refused": {"2"}, "state=running": {"3"}, "kind=import-check": {"2"},
        "person=zqxv": {"3"}, "q=ZQX": {"3"}, "q=check": {"2"}, "q=nothing": set(),
    }  # fmt: skip

    found = {query: client.get(f"{JOBS}?{query}").context["jobs"] for query in queries}

    assert {query: {it.job.subject for it in rows} for query, rows in found.items()} == queries


@pytest.mark.databases
def test_jobs_are_found_by_what_they_are_about(client: Client, administrator: User) -> None:
    wanted = make_job(subject=make_titled("Zqxv study").pk)
    make_job(subject=make_campaign().pk)

    assert [it.job for it in client.get(f"{JOBS}?q=zqxv").context["jobs"]] == [wanted]


@pytest.mark.databases
def test_jobs_take_the_same_queries_for_one_and_for_many(
    client: Client, administrator: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(60):
        make_job(subject=make_campaign().pk if n < 3 else f"{n}000", status="failed")

    with django_assert_max_num_queries(16):
        page = client.get(JOBS)

    assert len(page.context["jobs"]) == 50
    assert page.context["page"].paginator.num_pages == 2


@pytest.mark.databases
def test_failed_job_is_run_again_for_the_same_person_and_noted(client: Client, administrator: User) -> None:
    failed = make_job(subject=make_campaign().pk, status="failed")

    client.post(reverse("job-again", args=[failed.pk]))

    again = Job.objects.get(status="queued")
    assert (again.kind, again.subject, again.started_by) == (failed.kind, failed.subject, failed.started_by)
    assert AuditEntry.objects.get().event == "job_run_again"


@pytest.mark.databases
def test_waiting_check_is_cancelled_and_its_upload_thrown_away(client: Client, administrator: User) -> None:
    upload = Import.objects.create(dataset_name="x", manifest_name="m.csv", created_by=UserFactory())
    upload.folder.mkdir(parents=True)
    job = make_job("import-check", subject=upload.pk)

    client.post(reverse("job-cancel", args=[job.pk]))
    run_job(job.pk)  # its message comes late

    job.refresh_from_db()
    upload.refresh_from_db()
    assert (job.status, job.error, upload.status) == ("cancelled", "An administrator cancelled this.", "failed")
    assert not upload.folder.exists()
    assert AuditEntry.objects.get().event == "job_cancelled"


@pytest.mark.parametrize(
    ("act", "fields", "why"),
    [
        (cancel_job, {"kind": "import-write"}, "job_cannot_cancel"),
        (cancel_job, {"status": "succeeded"}, "job_is_over"),
        (run_again, {"kind": "import-check", "status": "failed"}, "job_cannot_repeat"),
        (run_again, {"status": "succeeded"}, "job_not_failed"),
    ],
)
def test_what_a_kind_does_not_permit_is_refused(act: Any, fields: dict[str, Any], why: str) -> None:
    with pytest.raises(JobRefused) as refused:
        act(make_job(**fields), by=UserFactory(is_superuser=True))

    assert refused.value.reason.code == why


@pytest.mark.parametrize("act", [cancel_job, run_again])
def test_only_administrators_may_act_on_jobs(act: Any) -> None:
    row = make_job()
    with pytest.raises(PermissionDenied):
        act(row, by=row.started_by)


def test_api_cancels_and_runs_again() -> None:
    client = caller(UserFactory(is_superuser=True))
    row = make_job(subject=make_campaign().pk)

    cancelled = client.post(f"/api/v1/jobs/{row.pk}/cancel/")
    again = client.post(f"/api/v1/jobs/{row.pk}/again/")
    refused = client.post(f"/api/v1/jobs/{again.json()['id']}/again/")

    assert (cancelled.status_code, cancelled.json()["status"]) == (200, "cancelled")
    assert (again.status_code, again.json()["status"]) == (202, "queued")
    assert (refused.status_code, refused.json()["code"]) == (409, "job_not_failed")


@pytest.mark.databases
def test_failed_runs_and_webhooks_are_listed_beside_the_jobs(client: Client, administrator: User) -> None:
    campaign = make_titled("Zqxv study")
    judge = Judge.objects.create(title="J", kind="random", kind_version="1", digest="d", created_by=administrator)
    run = Run.objects.create(
        campaign=campaign, judge=judge, started_by=administrator, status="failed", message=TEXT(text="no key")
    )
    hook = Webhook.objects.create(
        campaign=campaign, url="https://zqxv.example/", failing_since=timezone.now() - timedelta(hours=1),
        created_by=administrator,
    )  # fmt: skip

    page = client.get(JOBS).content.decode()

    assert reverse("run", args=[campaign.slug, run.pk]) in page
    assert "no key" in page
    assert reverse("webhook", args=[campaign.slug, hook.pk]) in page
