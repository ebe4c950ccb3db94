"""A page that fails says why, where that is known: no database, no room."""

import errno
import sqlite3
from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.contrib.auth.decorators import login_not_required
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client
from django.urls import path

from campaigns.models import Campaign, Membership
from config import urls
from config.serving.service_unavailable import NO_DATABASE, NO_ROOM, reason
from infrastructure.models import Job
from tests.browser.server import free_port
from tests.cases import each

pytestmark = pytest.mark.urls(__name__)
handler500 = urls.handler500
failing: list[BaseException] = []


@login_not_required
def fails(_request: HttpRequest) -> HttpResponse:
    raise failing[-1]


urlpatterns = [path("fails/", fails), path("api/v1/fails/", fails), *urls.urlpatterns]


def raised(work: Callable[[], object]) -> BaseException:
    """What the work really raises, as Django passes it on."""
    with pytest.raises((sqlite3.Error, psycopg.Error)) as caught:
        work()
    error = OperationalError(*caught.value.args)
    error.__cause__ = caught.value
    return error


def fill_sqlite() -> None:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE things (name)")
    database.execute("PRAGMA max_page_count = 3")
    database.execute("INSERT INTO things VALUES (zeroblob(100000))")


def lock_sqlite(path: str) -> None:
    one, other = (sqlite3.connect(path, timeout=0, isolation_level=None) for _ in range(2))
    one.execute("BEGIN EXCLUSIVE")
    other.execute("CREATE TABLE things (name)")


def ask_nobody() -> None:
    psycopg.connect(f"postgres://nobody@127.0.0.1:{free_port()}/none", connect_timeout=2)


def say(error: BaseException) -> Callable[[], object]:
    def work() -> None:
        raise error

    return work


def test_full_disk_is_told_from_a_database_that_is_away(tmp_path: Any) -> None:
    assert reason(raised(fill_sqlite)) == NO_ROOM
    assert reason(raised(say(psycopg.errors.DiskFull()))) == NO_ROOM
    assert reason(OSError(errno.ENOSPC, "No space left on device")) == NO_ROOM
    assert reason(raised(lambda: lock_sqlite(str(tmp_path / "x")))) == NO_DATABASE
    assert reason(raised(ask_nobody)) == NO_DATABASE
    assert reason(raised(say(psycopg.errors.AdminShutdown()))) == NO_DATABASE


def test_fault_of_ours_is_none_of_them() -> None:
    assert reason(raised(lambda: sqlite3.connect(":memory:").execute("SELECT * FROM nowhere"))) is None
    assert reason(raised(say(psycopg.errors.UndefinedTable()))) is None
    assert reason(OSError(errno.ENOENT, "No such file")) is None
    assert reason(ValueError()) is None


@each(
    "error, status, said",
    [(raised(fill_sqlite), 503, str(NO_ROOM)), (ValueError(), 500, "Server error")],
)
def test_page_says_it_without_asking_the_database(error: BaseException, status: int, said: str) -> None:
    """There is no database in this test: a page that asked it would fail."""
    failing.append(error)

    response = Client(raise_request_exception=False).get("/fails/")

    assert (response.status_code, response.headers.get("Retry-After")) == (status, "5" if status == 503 else None)
    assert said in response.content.decode().replace("&#x27;", "'")


def test_program_is_told_in_the_shape_of_all_errors() -> None:
    failing.append(raised(ask_nobody))

    response = Client(raise_request_exception=False).get("/api/v1/fails/")

    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    assert (response.json()["code"], response.json()["detail"]) == ("unavailable", str(NO_DATABASE))


@pytest.mark.django_db
@each(
    "error, job, status",
    [
        (Campaign.DoesNotExist(), "delete", 404),
        (Campaign.DoesNotExist(), "clear-demo", 404),
        (Campaign.DoesNotExist(), "make-export", 500),
        (Membership.DoesNotExist(), "delete", 500),
    ],
    undo=True,
)
def test_what_is_deleted_while_a_request_is_at_work_on_it_is_not_found(
    error: Exception, job: str, status: int
) -> None:
    """Where nothing is being deleted, a missing row is a fault of ours, and is in the log as one."""
    failing.append(error)
    Job.objects.create(kind=job, subject="campaign:1")

    for address in ("/fails/", "/api/v1/fails/"):
        assert Client(raise_request_exception=False).get(address).status_code == status
