"""Backups, settings and health, as an administrator sees them."""

import os
import re
import time
from datetime import timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import AuditEntry, User
from config.administration import settings_in_force as in_force
from config.administration.backups import INSTALLATION, back_up_if_due, backups, make_backup, next_at
from config.administration.settings_in_force import settings_in_force, unknown_names
from config.operations.backup_manifest import MANIFEST
from config.operations.backup_notes import note_made, note_tested
from infrastructure.background.heartbeats import silent
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from tests.factories import UserFactory

pytestmark = [pytest.mark.django_db]
PAGE = "/administration/backups/"


@pytest.fixture
def administrator(client: Client) -> User:
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    return user


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.BACKUP_FOLDER = tmp_path / "backups"
    return tmp_path / "backups"


def kept_backup(folder: Path, name: str = "monday", *, hours_ago: float = 1, fault: str | None = None) -> Path:
    """As the page sees one; `fault` is empty where its test went well."""
    backup = folder / name
    backup.mkdir(parents=True)
    (backup / MANIFEST).write_text("{}")
    note_made(backup, made_at=(timezone.now() - timedelta(hours=hours_ago)).isoformat(), rows=7, files=3)
    if fault is not None:
        note_tested(backup, fault=fault)
    return backup


def work() -> Job:
    """The waiting job, done."""
    row = Job.objects.get(status="queued")
    run_job(row.pk)
    row.refresh_from_db()
    return row


@pytest.mark.django_db(transaction=True)
def test_backup_is_made_tested_and_found_damaged_by_buttons(
    client: Client, administrator: User, settings: Settings, tmp_path: Path, folder: Path
) -> None:
    settings.DATA_DIR = tmp_path
    (tmp_path / "media" / "clips").mkdir(parents=True)
    (tmp_path / "media" / "clips" / "abc").write_bytes(b"sound")
    client.post(PAGE)
    made = work()
    (backup,) = backups()
    client.post(f"{PAGE}{backup.name}/test/")
    tested = work()
    page = client.get(PAGE).content.decode()
    for path in (folder / backup.name / "media").rglob("abc"):
        path.write_bytes(b"noise")
    client.post(f"{PAGE}{backup.name}/test/")
    damaged = work()

    assert (made.status, tested.status, damaged.status) == ("succeeded", "succeeded", "failed")
    assert "came back whole" in page
    assert (backup.files, backup.bytes > 5) == (1, True)
    assert "clips/abc is missing or not as it was" in str(damaged.error)
    assert [entry.event for entry in AuditEntry.objects.all()] == [
        "backup_test_failed", "backup_tested", "backup_made",
    ]  # fmt: skip
    assert "clips/abc is missing" in client.get(PAGE).content.decode()


@pytest.mark.django_db(transaction=True)
def test_backup_that_goes_on_after_a_kill_removes_what_was_written(
    client: Client, administrator: User, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(PAGE)
    row = Job.objects.get()
    with monkeypatch.context() as broken:
        broken.setattr("config.operations.backups.note_made", killed)
        with pytest.raises(KeyboardInterrupt):
            make_backup(INSTALLATION, silent)
    assert len(list(folder.glob(".*.unfinished/database*"))) == 1
    time.sleep(1.1)  # the next second has another name

    run_job(row.pk)

    assert [path.name for path in folder.iterdir()] == [it.name for it in backups()]


def killed(*_given: object, **_named: object) -> None:
    raise KeyboardInterrupt


def test_what_killed_backups_left_a_day_ago_goes_without_a_schedule_too(folder: Path) -> None:
    old, new = (folder / f".{name}.unfinished" for name in ("old", "new"))
    for path in (old, new):
        path.mkdir(parents=True)
    os.utime(old, (0, 0))

    assert not back_up_if_due()
    assert [path.name for path in folder.iterdir()] == [new.name]


def test_schedule_makes_a_backup_when_one_is_due_and_waits_after_a_failure(settings: Settings, folder: Path) -> None:
    kept_backup(folder, hours_ago=25)
    assert next_at(backups()) is None
    assert not back_up_if_due()

    settings.BACKUP_EVERY_HOURS = 26
    assert not back_up_if_due()
    settings.BACKUP_EVERY_HOURS = 24
    assert back_up_if_due()
    assert Job.objects.get().started_by is None
    Job.objects.update(status="failed")
    assert not back_up_if_due()
    Job.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert back_up_if_due()


def test_failed_backup_says_why(client: Client, administrator: User, folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    client.post(PAGE)

    job = work()

    assert job.status == "failed"
    assert str(job.error).startswith("There is no new backup.")
    assert str(folder) in str(job.error)


@pytest.mark.parametrize(
    ("hours_ago", "fault", "said"),
    [
        (None, None, "Make a backup now, and set a schedule."),
        (1, None, "The last backup was never tested."),
        (1, "damaged", "The last backup did not pass its test."),
        (24 * 8, "", "The last backup is old."),
        (1, "", "and came back whole in its test"),
    ],
)
def test_home_says_how_the_backups_are(
    client: Client, administrator: User, folder: Path, hours_ago: float | None, fault: str | None, said: str
) -> None:
    if hours_ago:
        kept_backup(folder, hours_ago=hours_ago, fault=fault)

    assert said in client.get("/administration/").content.decode()


def test_test_of_no_backup_is_refused(client: Client, administrator: User) -> None:
    page = client.post(f"{PAGE}nothing/test/", follow=True).content.decode()

    assert "There is no backup nothing in the folder" in page
    assert not Job.objects.exists()


def test_backup_is_removed_and_the_log_has_who_did_it(client: Client, administrator: User, folder: Path) -> None:
    kept_backup(folder, "monday", hours_ago=2, fault="")
    kept_backup(folder, "tuesday", hours_ago=1, fault="")

    page = client.post(f"{PAGE}monday/remove/", follow=True).content.decode()

    assert "The backup monday is removed." in page
    assert [path.name for path in folder.iterdir()] == ["tuesday"]
    [entry] = AuditEntry.objects.all()
    assert (entry.event, entry.by, entry.params) == ("backup_removed", administrator, {"backup": "monday"})


@pytest.mark.parametrize(("tested", "other"), [("", None), ("", "damaged"), (None, "damaged")])
def test_last_good_backup_is_not_removed_without_saying_so(
    client: Client, administrator: User, folder: Path, tested: str | None, other: str | None
) -> None:
    kept_backup(folder, "monday", hours_ago=2, fault=tested)
    kept_backup(folder, "tuesday", hours_ago=1, fault=other)

    page = client.get(PAGE).content.decode()
    refused = client.post(f"{PAGE}monday/remove/", follow=True).content.decode()

    assert page.count("This is the last good backup.") == 1
    assert "monday has become the last good backup meanwhile." in refused
    assert (folder / "monday").is_dir()
    client.post(f"{PAGE}monday/remove/", {"last": "yes"})
    assert not (folder / "monday").exists()


def test_backup_is_not_removed_while_one_is_made(client: Client, administrator: User, folder: Path) -> None:
    kept_backup(folder)
    client.post(PAGE)

    page = client.post(f"{PAGE}monday/remove/", {"last": "yes"}, follow=True).content.decode()

    assert "A backup is being made or tested." in page
    assert (folder / "monday").is_dir()
    assert "There is no backup nothing" in client.post(f"{PAGE}nothing/remove/", follow=True).content.decode()


def test_settings_say_where_they_come_from_and_no_secret(
    client: Client, administrator: User, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documented = in_force.documented()
    monkeypatch.setattr(in_force, "documented", lambda _folder: documented)
    settings.HOME_DIR = tmp_path
    (tmp_path / ".env").write_text(
        "TIME_ZONE=Europe/Zurich\nLOG_LEVEL=DEBUG\nLOG_LEVLE=INFO\nMETRICS_TOKEN=zqxv-secret"
    )
    for name, value in {
        "TIME_ZONE": "Europe/Zurich", "LOG_LEVEL": "INFO", "METRICS_TOKEN": "zqxv-secret",
        "DATABASE_URL": "postgres://u:zqxv-password@db:5432/x", "EMAIL_URL": "smtp+tls://u:zqxv-password@mail:587",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("EXPORT_DAYS", raising=False)

    found = {it.name: it for it in settings_in_force()}
    page = client.get("/administration/settings/").content.decode()

    assert {name: str(found[name].source) for name in ("TIME_ZONE", "LOG_LEVEL", "EXPORT_DAYS")} == {
        "TIME_ZONE": "file", "LOG_LEVEL": "environment", "EXPORT_DAYS": "default",
    }  # fmt: skip
    assert found["DATABASE_URL"].value == "postgres://…@db:5432/x"
    assert "zqxv" not in page
    assert unknown_names() == ["LOG_LEVLE"]
    assert "LOG_LEVLE" in page
    assert "How many days the file of an export stays" in page


def test_risky_settings_are_named(client: Client, administrator: User, settings: Settings) -> None:
    settings.ALLOWED_HOSTS, settings.HTTPS = ["*"], False

    page = client.get("/administration/settings/").content.decode()

    assert "links in e-mail can be forged" in page
    assert "cross the network unencrypted" in page


def test_settings_that_differ_or_are_risky_come_first_and_the_others_are_folded_by_group(
    client: Client, administrator: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    for it in in_force.documented():
        monkeypatch.delenv(it.name, raising=False)
    monkeypatch.setenv("EXPORT_DAYS", "3")

    page = client.get("/administration/settings/").content.decode()

    first, folded = page.split("With their defaults</h2>")
    assert "<code>EXPORT_DAYS</code>" in first
    assert "<code>EXPORT_DAYS</code>" not in folded
    assert "<code>LOG_LEVEL</code>" in folded
    groups = list(dict.fromkeys(it.group for it in in_force.documented()))
    assert re.findall(r'<details class="settings-group"><summary>([^<]+) <span', folded) == groups
    assert page.count("<h3><code>") == len(in_force.documented())


def test_settings_are_found_by_every_word_of_name_or_meaning(client: Client, administrator: User) -> None:
    by_name = client.get("/administration/settings/", {"q": "export_days"}).content.decode()
    by_meaning = client.get("/administration/settings/", {"q": "identities annotators"}).content.decode()
    nothing = client.get("/administration/settings/", {"q": "zqxv"}).content.decode()

    assert by_name.count("<h3><code>") == 1
    assert "1 of " in by_name
    assert "<code>RETAIN_IDENTITY_DAYS</code>" in by_meaning
    assert '<details class="settings-group" open>' in by_meaning
    assert nothing.count("<h3><code>") == 0
    assert "0 of " in nothing


def test_pages_take_few_queries(
    client: Client, administrator: User, folder: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(5):
        kept_backup(folder, f"day-{n}", hours_ago=n)

    for address, most in {PAGE: 7, "/administration/settings/": 6, "/administration/health/": 12}.items():
        with django_assert_max_num_queries(most):
            assert client.get(address).status_code == 200, address
    assert os.environ["SECRET_KEY"] not in client.get("/administration/settings/").content.decode()
