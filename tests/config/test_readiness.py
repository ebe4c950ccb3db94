from typing import Any

import pytest
from celery import current_app
from django.db import DatabaseError, connection
from django.test import Client, override_settings
from kombu.exceptions import OperationalError

from campaigns import health as health_module
from campaigns import live
from campaigns.workers import note_beat

pytestmark = pytest.mark.django_db
ALL_WELL = {"database": True, "live_pages": True, "broker": True, "worker": True, "disk": True}


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker is there, and what was kept of earlier looks is not."""
    monkeypatch.setattr(health_module, "KEPT_S", 0)
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


def test_ready_when_everything_is_there(client: Client, worker: None) -> None:
    response = client.get("/readyz")

    assert (response.status_code, response.json()) == (200, ALL_WELL)
    assert "no-store" in response["Cache-Control"]


def test_not_ready_without_a_worker(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_module, "KEPT_S", 0)
    response = client.get("/readyz")

    assert (response.status_code, response.json()) == (503, ALL_WELL | {"worker": False})


def test_not_ready_without_broker(client: Client, worker: None, broker: FakeBroker) -> None:
    broker.answers = False
    response = client.get("/readyz")

    assert (response.status_code, response.json()) == (503, ALL_WELL | {"broker": False})
    assert b"nobody" not in response.content


def test_not_ready_while_live_pages_hear_nothing(
    client: Client, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live._bell, "works", False)

    assert client.get("/readyz").json() == ALL_WELL | {"live_pages": False}


def test_not_ready_without_database_and_alive_all_the_same(
    client: Client, worker: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_args: object) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(connection, "cursor", refuse)

    assert client.get("/readyz").status_code == 503
    assert client.get("/healthz").content == b"ok\n"


def test_not_ready_with_a_full_disk(client: Client, worker: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_module, "LEAST_BYTES", 2**62)

    assert client.get("/readyz").json() == ALL_WELL | {"disk": False}


@override_settings(SECURE_SSL_REDIRECT=True)
def test_monitors_need_no_https_and_pages_do(client: Client) -> None:
    assert [client.get(path).status_code for path in ("/healthz", "/accounts/login/")] == [200, 301]


def test_only_looking_is_allowed(client: Client) -> None:
    assert [client.post(path).status_code for path in ("/healthz", "/readyz")] == [405, 405]
