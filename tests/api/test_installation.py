"""Backups and storage by the API, for administrators; and how long a campaign keeps what is personal."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings
from rest_framework.test import APIClient

from accounts.models import AuditEntry
from campaigns.models import Campaign, Retention, Role
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from tests.api.callers import caller
from tests.config.test_administration import kept_backup
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def administrator() -> APIClient:
    return caller(UserFactory(is_superuser=True))


@pytest.fixture
def backups(settings: Settings, tmp_path: Path) -> Path:
    settings.BACKUP_FOLDER = tmp_path / "backups"
    return tmp_path / "backups"


def test_backups_are_listed_made_and_tested(administrator: APIClient, backups: Path) -> None:
    kept_backup(backups)

    listed = administrator.get("/api/v1/backups/").json()
    made = administrator.post("/api/v1/backups/")
    again = administrator.post("/api/v1/backups/")
    tested = administrator.post("/api/v1/backups/monday/test/")

    assert [(it["name"], it["rows"], it["files"], it["tested_at"]) for it in listed["backups"]] == [
        ("monday", 7, 3, None)
    ]
    assert (made.status_code, made.json()["kind"], again.json()["id"]) == (202, "back-up", made.json()["id"])
    assert (tested.status_code, tested.json()["kind"], tested.json()["subject"]) == (202, "test-backup", "monday")
    assert administrator.get("/api/v1/backups/").json()["job"]["id"] == tested.json()["id"]


def test_backups_are_removed_the_last_good_one_only_knowingly(administrator: APIClient, backups: Path) -> None:
    kept_backup(backups)
    address = "/api/v1/backups/monday/"

    kept = administrator.delete(address)
    there = (backups / "monday").is_dir()
    removed = administrator.delete(f"{address}?even_the_last=true")

    assert (kept.status_code, kept.json()["code"], there) == (409, "backup_last_good", True)
    assert (removed.status_code, (backups / "monday").exists()) == (204, False)
    assert administrator.delete(address).status_code == 404


def test_backup_that_is_not_there_is_not_tested(administrator: APIClient, backups: Path) -> None:
    reply = administrator.post("/api/v1/backups/tuesday/test/")

    assert (reply.status_code, reply.json()["code"]) == (404, "backup_not_there")
    assert not Job.objects.exists()


def test_storage_is_measured_and_cleared(
    administrator: APIClient, settings: Settings, media_root: Path, backups: Path
) -> None:
    settings.DATA_DIR = media_root.parent
    media_root.mkdir(parents=True, exist_ok=True)

    before = administrator.get("/api/v1/storage/").json()
    started = administrator.post("/api/v1/storage/")
    run_job(started.json()["id"])
    cleared = administrator.post("/api/v1/storage/clear/", {"what": "exports"})
    run_job(cleared.json()["id"])
    after = administrator.get("/api/v1/storage/").json()

    assert (before["measured_at"], before["datasets"], before["job"]) == (None, [], None)
    assert (started.status_code, cleared.status_code) == (202, 202)
    assert after["clearable"]["exports"] == {"n": 0, "bytes": 0}
    assert after["job"]["status"] == "succeeded"
    assert administrator.post("/api/v1/storage/clear/", {"what": "everything"}).status_code == 400
    assert AuditEntry.objects.filter(event="storage_cleared").count() == 1


def test_retention_is_set_and_what_is_not_named_stays() -> None:
    campaign = make_campaign()
    client, address = caller(make_member(campaign, Role.ADMIN)), f"/api/v1/campaigns/{campaign.slug}/retention/"

    client.post(address, {"identity_days": 7})
    later = client.post(address, {"audio_days": 0})
    refused = client.post(address, {"audio_days": -1})

    terms = {name: (it["days"], it["is_own"]) for name, it in later.json().items()}
    assert terms == {"identity": (7, True), "audio": (0, True)}
    assert client.get(address).json() == later.json()
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "audio_days")
    assert AuditEntry.objects.filter(event="retention_set").count() == 2


def titled(title: str, **fields: Any) -> Campaign:
    campaign = make_campaign(units=0)
    Campaign.objects.filter(pk=campaign.pk).update(title=title, **fields)
    return campaign


def test_retention_of_all_campaigns_is_listed(
    administrator: APIClient, settings: Settings, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    settings.RETAIN_IDENTITY_DAYS, settings.RETAIN_AUDIO_DAYS = 30, 0
    closed = titled("Voices", closed_at=timezone.now() - timedelta(days=10))
    Retention.objects.create(campaign=closed, identity_days=7)
    listed = [administrator.get("/api/v1/retention/").json()["results"]]

    titled("Codecs")
    titled("Accents")
    with CaptureQueriesContext(connection) as few:
        administrator.get("/api/v1/retention/", {"title": "voice"})
    with django_assert_num_queries(len(few)):
        listed.append(administrator.get("/api/v1/retention/").json()["results"])

    (of_one,), of_three = listed
    assert [it["title"] for it in of_three] == ["Accents", "Codecs", "Voices"]
    assert of_three[-1] == of_one
    assert (of_one["campaign"], of_one["is_overdue"], of_one["identity"]["days"]) == (closed.slug, True, 7)
    assert [(it["is_overdue"], it["identity"]["days"], it["audio"]["days"]) for it in of_three[:2]] == [
        (False, 30, 0), (False, 30, 0),
    ]  # fmt: skip
    found = administrator.get("/api/v1/retention/", {"title": "codec"}).json()["results"]
    assert [it["title"] for it in found] == ["Codecs"]


def test_retention_of_all_campaigns_is_for_administrators() -> None:
    campaign = make_campaign()

    assert caller(make_member(campaign, Role.ADMIN)).get("/api/v1/retention/").status_code == 403
