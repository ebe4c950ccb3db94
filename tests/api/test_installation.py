"""Backups and storage by the API, for administrators; and how long a campaign keeps what is personal."""

from pathlib import Path

import pytest
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.models import AuditEntry
from campaigns.models import Role
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
