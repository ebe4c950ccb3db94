"""Uploads of the client against a tus server that loses connections."""

import json
import re
from pathlib import Path

import httpx
import pytest
from earshot_client import Problem, Server
from earshot_client.uploads import upload

CONTENT = bytes(range(256)) * 40


class Tus:
    """As `/api/v1/uploads/` behaves, over connections that lose some parts, and the answers to some others."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.sizes: dict[str, int] = {}
        self.parts = 0
        self.lost_answers: set[int] = set()
        self.lost_parts: set[int] = set()

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            pk = f"u{len(self.kept)}"
            self.kept[pk], self.sizes[pk] = b"", int(request.headers["Upload-Length"])
            return httpx.Response(201, json={"id": pk})
        found = re.search(r"uploads/(\w+)/", request.url.path)
        pk = found[1] if found else ""
        if pk not in self.kept:
            return httpx.Response(404, json={"code": "not_found", "detail": "There is no such upload.", "errors": []})
        if request.method == "GET":
            return httpx.Response(200, json={"size": self.sizes[pk], "received": len(self.kept[pk])})
        self.parts += 1
        if self.parts in self.lost_parts:
            raise httpx.ConnectError("lost")
        if int(request.headers["Upload-Offset"]) != len(self.kept[pk]):
            return httpx.Response(409, json={"code": "conflict", "detail": "Another offset.", "errors": []})
        self.kept[pk] += request.content
        if self.parts in self.lost_answers:
            raise httpx.ReadTimeout("lost")
        return httpx.Response(204, headers={"Upload-Offset": str(len(self.kept[pk]))})

    def server(self, **more: object) -> Server:
        transport = httpx.MockTransport(self)
        return Server("https://e.example", "t", transport=transport, sleep=lambda _s: None, progress=False, **more)  # type: ignore[arg-type]


@pytest.fixture
def tus() -> Tus:
    return Tus()


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file = tmp_path / "audio.zip"
    file.write_bytes(CONTENT)
    return file


def test_file_arrives_whole_in_parts(tus: Tus, file: Path) -> None:
    pk = upload(tus.server(), file, part_bytes=1000)

    assert tus.kept == {pk: CONTENT}
    assert tus.parts == 11
    assert not list((file.parent / "cache").rglob("*.json"))


def test_lost_connections_cost_one_part_each(tus: Tus, file: Path) -> None:
    tus.lost_answers, tus.lost_parts = {2, 5}, {3, 8}

    pk = upload(tus.server(), file, part_bytes=1000)

    assert tus.kept == {pk: CONTENT}
    assert tus.parts == 11 + 2  # a part whose answer was lost is not sent again


def test_program_that_ended_continues_where_it_stopped(tus: Tus, file: Path) -> None:
    tus.lost_parts = set(range(5, 100))
    with pytest.raises(Exception, match="does not answer"):
        upload(tus.server(retries=1), file, part_bytes=1000)
    (note,) = (file.parent / "cache").rglob("*.json")
    noted = json.loads(note.read_text())["upload"]

    tus.lost_parts, tus.parts = set(), 0
    pk = upload(tus.server(), file, part_bytes=1000)

    assert (pk, tus.kept, tus.parts) == (noted, {pk: CONTENT}, 7)


def test_upload_that_has_expired_begins_again(tus: Tus, file: Path) -> None:
    tus.lost_parts = set(range(2, 100))
    with pytest.raises(Exception, match="does not answer"):
        upload(tus.server(retries=0), file, part_bytes=1000)
    tus.lost_parts, tus.kept = set(), {"other": b""}

    pk = upload(tus.server(), file, part_bytes=1000)

    assert tus.kept[pk] == CONTENT


def test_file_that_is_too_large_is_refused_at_once(file: Path) -> None:
    def refuse(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(413, json={"code": "too_large", "detail": "Too large.", "errors": []})

    server = Server("https://e.example", "t", transport=httpx.MockTransport(refuse), progress=False)

    with pytest.raises(Problem, match="413 too_large: Too large"):
        upload(server, file)
