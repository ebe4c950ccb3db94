"""A stranger sends 299 MB to a real server: it says no at once, and neither its memory nor its disk grows."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browser.server import Server

MB = 1_000_000
LENGTH = 299 * MB
CHUNK = b"x" * (64 * 1024)


@pytest.fixture
def server(tmp_path: Path, installed: Server) -> Iterator[Server]:
    server = Server(tmp_path, name="earshot_bodies_tests", redis_database=8, like=installed)
    server.start(worker=False)
    yield server
    server.kill()


def posted(server: Server, *, length: int, framed: bool) -> tuple[str, int]:
    """What the server replies to so many bytes, and how many it had taken by then."""
    place = urlsplit(server.url)
    part = b"%x\r\n%s\r\n" % (len(CHUNK), CHUNK) if framed else CHUNK
    head = "Transfer-Encoding: chunked" if framed else f"Content-Length: {length}"
    with socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=20) as line:
        line.sendall(f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode())
        line.setblocking(False)
        taken, reply = 0, b""
        deadline = time.monotonic() + 20
        while taken < length and b"</html>" not in reply and time.monotonic() < deadline:
            with suppress(BlockingIOError):
                reply += line.recv(65536)
            try:
                taken += line.send(part) if not framed else sent_whole(line, part)
            except BlockingIOError:
                time.sleep(0.001)
        return reply.decode(), taken


def sent_whole(line: socket.socket, part: bytes) -> int:
    """A chunk that is cut in the middle would be no chunk."""
    line.settimeout(10)
    line.sendall(part)
    line.setblocking(False)
    return len(part)


def memory(pid: int) -> int:
    """The most that the process ever held in memory, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def written(pid: int) -> int:
    """What the process gave to write(2), in bytes: files that have no name count as well."""
    return int(Path(f"/proc/{pid}/io").read_text().split("wchar: ")[1].split()[0])


@pytest.mark.parametrize("framed", [False, True], ids=["announced", "in-chunks"])
def test_stranger_cannot_fill_memory_or_disk(server: Server, framed: bool) -> None:
    pid = server.processes[0].pid
    posted(server, length=1 * MB, framed=framed)  # what the first such page loads is not of the body
    before = memory(pid), written(pid)

    reply, taken = posted(server, length=LENGTH, framed=framed)

    assert reply.startswith("HTTP/1.1 413 ")
    assert "This is too large" in reply
    assert taken < 30 * MB
    assert memory(pid) - before[0] < 20 * MB
    assert written(pid) - before[1] < 1 * MB
