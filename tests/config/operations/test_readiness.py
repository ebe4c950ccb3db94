from typing import Any

import pytest
from celery import current_app
from django.db import DatabaseError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from kombu.exceptions import OperationalError
from pytest_django import Settings

from config.operations.readiness import HINTS, _brought
from infrastructure.background.workers import note_beat
from infrastructure.live import announcements as live

pytestmark = pytest.mark.django_db


@pytest.fixture
def worker() -> None:
    note_beat("somebody")


@pytest.fixture(autouse=True)
def broker(monkeypatch: pytest.MonkeyPatch) -> "FakeBroker":
    fake = FakeBroker()
    monkeypatch.setattr(current_app, "connection_for_write", lambda: fake)
    return fake


class FakeBroker:
    answers = True

    def __enter__(self) -> "FakeBroker":
        return self

    def __exit__(self, *_exc: object) -> None: ...

    def ensure_connection(self, **_patience: Any) -> None:
        if not self.answers:
            raise OperationalError("nobody there")


def asked(client: Client) -> tuple[int, dict[str, str]]:
    """The status, and what is not well with its hint."""
    response = client.get("/readyz")
    found = {check["name"]: check for check in response.json()["checks"]}
    assert list(found) == list(HINTS)
    assert response.json()["ready"] is (response.status_code == 200)
    assert all(check["hint"] == "" for check in found.values() if check["status"] == "ok")
    return response.status_code, {name: check["hint"] for name, check in found.items() if check["status"] != "ok"}


def test_ready_when_everything_is_there(client: Client, worker: None) -> None:
    assert asked(client) == (200, {})
    assert "no-store" in client.get("/readyz")["Cache-Control"]


@pytest.mark.databases
def test_not_ready_without_a_worker(client: Client) -> None:
    assert asked(client) == (503, {"worker": HINTS["worker"]})


def test_not_ready_without_broker(client: Client, worker: None, broker: FakeBroker) -> None:
    broker.answers = False

    assert asked(client) == (503, {"broker": HINTS["broker"]})
    assert b"nobody" not in client.get("/readyz").content


@pytest.mark.databases
def test_not_ready_before_the_migrations_and_ready_after_those_of_a_newer_program(
    client: Client, worker: None, settings: Settings
) -> None:
    settings.MIGRATION_MODULES = {}
    _brought.cache_clear()
    MigrationRecorder(connection).record_applied("campaigns", "0999_of_a_newer_program")
    assert asked(client) == (200, {})

    MigrationRecorder(connection).record_unapplied("campaigns", "0001_initial")
    assert asked(client) == (503, {"migrations": HINTS["migrations"]})


@pytest.mark.databases
def test_not_ready_while_live_pages_hear_nothing(
    client: Client, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live._sender, "works", False)

    assert asked(client) == (503, {"live_pages": HINTS["live_pages"]})


@pytest.mark.databases
def test_not_ready_without_database_and_alive_all_the_same(
    client: Client, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(connection, "cursor", refuse)

    assert asked(client) == (503, dict.fromkeys(("database", "migrations", "worker"), HINTS["database"]))
    assert client.get("/healthz").content == b"ok\n"


@pytest.mark.parametrize("least", [{"DISK_LEAST_BYTES": 2**62}, {"DISK_LEAST_SHARE": 1.0}])
def test_not_ready_with_a_full_disk(
    client: Client, worker: None, settings: Settings, least: dict[str, float]
) -> None:
    for name, value in least.items():
        setattr(settings, name, value)

    assert asked(client) == (503, {"disk": HINTS["disk"]})


@pytest.mark.databases
def test_hints_tell_strangers_no_path_address_or_version() -> None:
    assert [hint for hint in HINTS.values() if any(sign in hint for sign in "/\\:0123456789")] == []


@pytest.mark.databases
@override_settings(SECURE_SSL_REDIRECT=True)
def test_monitors_need_no_https_and_pages_do(client: Client) -> None:
    assert [client.get(path).status_code for path in ("/healthz", "/accounts/login/")] == [200, 301]


@pytest.mark.databases
def test_only_looking_is_allowed(client: Client) -> None:
    assert [client.post(path).status_code for path in ("/healthz", "/readyz")] == [405, 405]
