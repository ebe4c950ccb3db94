"""Large files in parts: what is kept, what is refused, and tus's own client against a server that is killed."""

import base64
import fcntl
import io
import json
import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
import pytest
import soundfile
from django.conf import settings
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.models import User
from corpus.imports.files.abandoned import sweep_abandoned_files
from corpus.imports.files.resumable import KEPT, MOST_AT_ONCE
from corpus.models import Import, Response
from tests.api.callers import caller
from tests.browser.server import Server
from tests.factories import UserFactory
from tests.importing import work_off
from tests.needs import lacking
from tests.paths import PROJECT

UPLOADS = "/api/v1/uploads/"
TUS = {"Tus-Resumable": "1.0.0"}
PART = "application/offset+octet-stream"
PYTHON = PROJECT / ".venv" / "consumers" / "bin" / "python"
MANIFEST = b"item,system,prompt_text,response_audio\none,Alpha,Say one.,a.wav\none,Beta,Say one.,b.wav\n"


def archive() -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_STORED) as opened:
        for name, seed in (("a.wav", 1), ("b.wav", 2)):
            sound = io.BytesIO()
            noise = np.random.default_rng(seed).uniform(-0.2, 0.2, 16_000)
            soundfile.write(sound, noise, 16_000, format="WAV")
            opened.writestr(name, sound.getvalue())
    return held.getvalue()


@pytest.fixture
def researcher() -> User:
    return UserFactory(is_researcher=True)


@pytest.fixture
def client(researcher: User) -> APIClient:
    return caller(researcher)


def begin(client: APIClient, name: str, size: int) -> Any:
    metadata = f"filename {base64.b64encode(name.encode()).decode()}"
    return client.post(UPLOADS, headers=TUS | {"Upload-Length": str(size), "Upload-Metadata": metadata})


def add(client: APIClient, address: str, part: bytes, at: int) -> Any:
    return client.patch(address, part, content_type=PART, headers=TUS | {"Upload-Offset": str(at)})


def sent(client: APIClient, name: str, data: bytes, *, part: int = 10_000) -> str:
    """The id of an upload, all of it sent in parts."""
    begun = begin(client, name, len(data))
    assert begun.status_code == 201, begun.json()
    for at in range(0, len(data), part):
        reply = add(client, begun["Location"], data[at : at + part], at)
        assert (reply.status_code, reply["Upload-Offset"]) == (204, str(min(at + part, len(data))))
    return str(begun.json()["id"])


def folders() -> list[Path]:
    return sorted((Path(settings.MEDIA_ROOT) / "uploads").glob("*"))


@pytest.mark.django_db
@pytest.mark.databases
def test_files_in_parts_are_imported_like_files_at_once(client: APIClient) -> None:
    ids = {"manifest_upload": sent(client, "m.csv", MANIFEST), "archive_upload": sent(client, "a.zip", archive())}

    reply = client.post("/api/v1/imports/", {"dataset_name": "In parts", **ids}, format="multipart")

    assert reply.status_code == 202, reply.json()
    assert folders() == []
    work_off()
    row = Import.objects.get()
    assert (row.status, row.manifest_name, row.archive_name) == ("checked", "m.csv", "a.zip")
    client.post(f"/api/v1/imports/{row.pk}/confirm/")
    work_off()
    assert Response.objects.filter(item__dataset__name="In parts").count() == 2


@pytest.mark.django_db
def test_head_says_where_the_next_part_begins(client: APIClient) -> None:
    begun = begin(client, "m.csv", 10)
    add(client, begun["Location"], b"1234", 0)

    there = client.head(begun["Location"], headers=TUS)

    assert (there.status_code, there.content) == (200, b"")
    assert {name: there[name] for name in ("Upload-Offset", "Upload-Length", "Tus-Resumable")} == {
        "Upload-Offset": "4",
        "Upload-Length": "10",
        "Tus-Resumable": "1.0.0",
    }
    assert "no-store" in there["Cache-Control"]
    assert client.get(begun["Location"]).json()["received"] == 4
    assert client.options(UPLOADS)["Tus-Extension"] == "creation,expiration,termination"


@pytest.mark.django_db
def test_part_that_cannot_be_added_leaves_what_is_there(client: APIClient) -> None:
    address = begin(client, "m.csv", 10)["Location"]
    add(client, address, b"1234", 0)

    elsewhere, too_much = add(client, address, b"56", 5), add(client, address, b"567890!", 4)
    no_number = client.patch(address, b"56", content_type=PART, headers=TUS)
    no_part = client.patch(address, b"{}", content_type="application/json", headers=TUS | {"Upload-Offset": "4"})
    with (folders()[0] / "bytes").open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        in_use = add(client, address, b"56", 4)

    assert [it.status_code for it in (elsewhere, too_much, no_number, no_part, in_use)] == [409, 413, 400, 415, 423]
    assert elsewhere.json()["params"] == {"received": 4, "at": 5}
    assert add(client, address, b"", 4).status_code == 204
    assert client.get(address).json()["received"] == 4
    assert add(client, address, b"567890", 4).status_code == 204


@pytest.mark.django_db
def test_nobody_meets_anothers_upload(client: APIClient) -> None:
    address = begin(client, "m.csv", 4)["Location"]
    another = caller(UserFactory(is_researcher=True))

    replies = [
        another.get(address),
        another.head(address, headers=TUS),
        add(another, address, b"1234", 0),
        another.delete(address, headers=TUS),
    ]
    said = {"dataset_name": "Mine", "manifest_upload": address.split("/")[-2]}
    used = another.post("/api/v1/imports/", said, format="multipart")

    assert [it.status_code for it in replies] == [404] * 4
    assert used.status_code == 422
    assert client.get(address).json()["received"] == 0
    assert begin(caller(UserFactory()), "m.csv", 4).status_code == 403


@pytest.mark.django_db
def test_what_cannot_be_announced(client: APIClient, settings: Settings) -> None:
    settings.MAX_ARCHIVE_BYTES = 200_000_000

    assert begin(client, "m.csv", 200_000_001).status_code == 413
    assert client.post(UPLOADS, headers=TUS).status_code == 400
    bad = client.post(UPLOADS, headers=TUS | {"Upload-Length": "1", "Upload-Metadata": "filename %%%"})
    assert bad.status_code == 400
    named = base64.b64encode(b"a\0.csv").decode()
    nul = client.post(UPLOADS, headers=TUS | {"Upload-Length": "1", "Upload-Metadata": f"filename {named}"})
    assert nul.status_code == 400
    assert client.post(UPLOADS, headers={"Upload-Length": "1", "Tus-Resumable": "0.2.2"}).status_code == 412
    for _ in range(MOST_AT_ONCE):
        assert begin(client, "../../m.csv", 1).json()["name"] == "m.csv"
    assert begin(client, "m.csv", 1).json()["code"] == "too_many_uploads"
    assert len(folders()) == MOST_AT_ONCE


@pytest.mark.django_db
def test_requests_that_name_no_version_of_tus_are_answered_with_the_one_that_is_spoken(client: APIClient) -> None:
    address = begin(client, "m.csv", 4)["Location"]

    replies = [
        client.post(UPLOADS, headers={"Upload-Length": "4"}),
        client.head(address),
        client.patch(address, b"1234", content_type=PART, headers={"Upload-Offset": "0"}),
        client.delete(address),
    ]

    assert [(it.status_code, it["Tus-Version"]) for it in replies] == [(412, "1.0.0")] * 4
    assert replies[0].json()["detail"] == (
        "This server speaks tus 1.0.0, and the request names no version. Send Tus-Resumable: 1.0.0."
    )
    assert (client.get(address).json()["received"], client.options(UPLOADS).status_code) == (0, 204)
    assert len(folders()) == 1


@pytest.mark.django_db
def test_import_of_what_is_not_whole_or_not_there(client: APIClient) -> None:
    unfinished = begin(client, "m.csv", 4).json()["id"]

    def imported(pk: object) -> Any:
        said = {"dataset_name": "Mine", "manifest_upload": pk, "without_audio": True}
        return client.post("/api/v1/imports/", said, format="multipart")

    assert (imported(unfinished).status_code, imported(unfinished).json()["code"]) == (409, "upload_unfinished")
    assert [imported(it).status_code for it in (uuid4(), "x")] == [422, 400]
    assert not Import.objects.exists()
    assert len(folders()) == 1


@pytest.mark.django_db
def test_deleted_expired_and_an_accounts_uploads_go(client: APIClient, researcher: User) -> None:
    from accounts.people.dependents import account_deleted  # noqa: PLC0415

    begun, kept = begin(client, "m.csv", 4), begin(client, "m.csv", 4)
    old = begin(client, "m.csv", 4).json()["id"]
    path = Path(settings.MEDIA_ROOT) / "uploads" / old / "bytes"
    os.utime(path, (path.stat().st_mtime - KEPT.total_seconds() - 10,) * 2)

    assert client.delete(begun["Location"], headers=TUS).status_code == 204
    assert client.get(begun["Location"]).status_code == 404
    sweep_abandoned_files()
    assert [it.name for it in folders()] == [kept.json()["id"]]
    account_deleted(researcher, with_answers=False, by=UserFactory(is_superuser=True))
    assert folders() == []


TUSPY = """
import sys
from tusclient import client
server, token, path, stop = sys.argv[1:5]
tus = client.TusClient(f"{server}/api/v1/uploads/", headers={"Authorization": f"Bearer {token}"})
known = sys.argv[5] if len(sys.argv) > 5 else None
upload = tus.uploader(path, chunk_size=20_000, url=known, metadata={"filename": "audio.zip"})
begins = upload.offset
upload.upload(stop_at=int(stop)) if stop != "0" else upload.upload()
print(upload.url, begins, upload.offset)
"""
TOKEN = """
from accounts.models import User
from accounts.tokens.tokens import make_token
user = User.objects.create_user("ada", password="x", is_researcher=True)
print(make_token(user, name="script", scopes=["read", "write"], days=1)[1])
"""


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    data = tmp_path / "server"
    data.mkdir()
    server = Server(data, like=installed)
    server.start()
    yield server
    server.kill()


def test_client_of_tus_goes_on_after_the_server_was_killed(server: Server, tmp_path: Path) -> None:
    if not PYTHON.exists():
        lacking("tuspy is not installed: `make consumers` does it")
    path, token = tmp_path / "audio.zip", server.shell(TOKEN).strip()
    path.write_bytes(archive())

    def run(*arguments: str) -> list[str]:
        command = [str(PYTHON), "-c", TUSPY, server.url, token, str(path), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    address, begins, reached = run("30000")
    assert (begins, reached) == ("0", "30000")
    server.kill()
    server.start()
    _address, begins, reached = run("0", address)

    assert (begins, int(reached)) == ("30000", path.stat().st_size)
    folder = server.data / "media" / "uploads" / address.rstrip("/").split("/")[-1]
    assert (folder / "bytes").read_bytes() == path.read_bytes()
    assert json.loads((folder / "announced.json").read_text())["name"] == "audio.zip"
