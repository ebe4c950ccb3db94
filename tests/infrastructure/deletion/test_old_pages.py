"""On SQLite, nothing of what was deleted stays readable in the database's files while the server runs."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from accounts.old_pages import drop_old_pages
from tests.browser.server import Server

DELETED = """
from accounts.models import User
from accounts.people.deletion import delete_account
from corpus.models import Dataset, Item
from django.utils import timezone
from infrastructure.deletion.actions import archive, delete
from infrastructure.deletion.demo import clear_demo
from infrastructure.background.jobs import run_job
from infrastructure.deletion.subjects import subject_of
from tests.factories import UserFactory

boss = UserFactory(is_superuser=True, username="boss")
people = [UserFactory(username=f"zqxv-person-{n:04}", email=f"zqxv-{n}@mail.example") for n in range(300)]
kept, gone, demo = (Dataset.objects.create(name=n, slug=n, created_by=boss) for n in ("kept", "gone", "demo"))
for dataset in (kept, gone, demo):
    Item.objects.bulk_create(Item(dataset=dataset, key=f"zqxv-{dataset.name}-{n:05}") for n in range(1500))
User.objects.filter(username__endswith="7").exclude(pk=boss.pk).update(is_demo=True)
Dataset.objects.filter(pk=demo.pk).update(is_demo=True)
for job in (clear_demo(by=boss), delete(subject_of("dataset"), archive(subject_of("dataset"), gone, by=boss), typed=None, by=boss)):
    run_job(job.pk)
    job.refresh_from_db()
    assert job.status == "succeeded", job.error
for person in User.objects.filter(username__startswith="zqxv", username__endswith="3"):
    User.objects.filter(pk=person.pk).update(is_active=False)
    delete_account(person, typed=person.username, with_answers=False, by=boss)
"""  # noqa: E501
GONE = [b"zqxv-gone-", b"zqxv-demo-", b"zqxv-person-0007", b"zqxv-7@", b"zqxv-person-0123", b"zqxv-123@"]
KEPT = [b"zqxv-kept-", b"zqxv-person-0001", b"zqxv-1@"]


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    if "DATABASE_URL" in installed.env:
        pytest.skip("another database than SQLite has no log of writes that stays")
    server = Server(tmp_path, name="earshot_old_pages_tests", redis_database=8, like=installed)
    yield server
    server.kill()


def holding(server: Server, some: list[bytes]) -> list[tuple[str, bytes]]:
    files = sorted(server.data.glob("earshot.sqlite3*"))
    return [(file.name, said) for said in some for file in files if said in file.read_bytes()]


def test_deleted_names_are_in_neither_file_while_others_are_connected(server: Server) -> None:
    with closing(sqlite3.connect(server.data / "earshot.sqlite3")) as other:
        other.execute("SELECT COUNT(*) FROM accounts_user").fetchone()
        server.shell(DELETED)

        assert (server.data / "earshot.sqlite3-wal").exists(), "the last to leave would have removed it"
        assert holding(server, GONE) == []
        assert [said for _file, said in holding(server, KEPT)] == KEPT


def test_reader_of_old_rows_only_delays_it(server: Server) -> None:
    with closing(sqlite3.connect(server.data / "earshot.sqlite3", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT COUNT(*) FROM accounts_user").fetchone()
        server.shell(DELETED)
        blocked = holding(server, GONE)
        reader.execute("COMMIT")
        server.shell("from config.tasks import drop_old_pages_task; assert drop_old_pages_task()")

        assert blocked, "what the reader sees is still there"
        assert holding(server, GONE) == []


@pytest.mark.django_db
def test_inside_a_transaction_nothing_is_tried() -> None:
    assert drop_old_pages() is (connection.vendor != "sqlite")
