"""A stranger sends 299 MB to a real server, as a body or as headers: neither its memory nor its disk grows."""

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


#: The most that the server may hold in memory beyond what it held before the first of these tests.
MOST = 20 * MB


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, installed: Server) -> Iterator[Server]:
    data = tmp_path_factory.mktemp("server")
    server = Server(data, name="earshot_bodies_tests", redis_database=8, like=installed)
    server.start(worker=False)
    yield server
    server.kill()


@pytest.fixture(scope="module")
def before(server: Server) -> int:
    """What the server held in memory once it had shown such a page: all tests together add no more than one may."""
    for framed in (False, True):
        posted(server, length=1 * MB, framed=framed)  # what the first such page loads is not of the body
    return memory(server.processes[0].pid)


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
def test_stranger_cannot_fill_memory_or_disk(server: Server, before: int, framed: bool) -> None:
    pid = server.processes[0].pid
    written_before = written(pid)

    reply, taken = posted(server, length=LENGTH, framed=framed)

    assert reply.startswith("HTTP/1.1 413 ")
    assert "This is too large" in reply
    assert taken < 30 * MB
    assert memory(pid) - before < MOST
    assert written(pid) - written_before < 1 * MB


#: The beginning of a request, what comes again and again, and how it would end.
HEADS = {
    "one-header": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: ", CHUNK),
    "address": (b"GET /", CHUNK),
    "many-headers": (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n", b"X-Many: 1234567890\r\n" * 3_000),
}


def sent_until_closed(line: socket.socket, part: bytes, *, most: int) -> int:
    """How many bytes were taken before the server closed the line."""
    taken = 0
    with suppress(ConnectionError):
        while taken < most:
            line.sendall(part)
            taken += len(part)
    return taken


def connected(server: Server) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=20)


def head_of(length: int) -> bytes:
    """A request whose first line and headers are so many bytes."""
    begin, end = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: ", b"\r\n\r\n"
    return begin + b"x" * (length - len(begin + end)) + end


@pytest.mark.parametrize("kind", HEADS)
def test_stranger_cannot_fill_memory_with_headers(server: Server, before: int, kind: str) -> None:
    begin, part = HEADS[kind]

    with connected(server) as line:
        line.sendall(begin)
        started = time.monotonic()
        sent_until_closed(line, part, most=100 * MB)
        reply = line.recv(65536)

    assert reply.startswith(b"HTTP/1.1 431 ")
    assert memory(server.processes[0].pid) - before < MOST
    assert time.monotonic() - started < 10


def test_stranger_cannot_fill_memory_with_what_follows_a_body(server: Server, before: int) -> None:
    with connected(server) as line:
        line.sendall(b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        line.sendall(b"1\r\nx\r\n0\r\nX-Long: ")
        taken = sent_until_closed(line, CHUNK, most=100 * MB)

    assert taken < 30 * MB
    assert memory(server.processes[0].pid) - before < MOST


def test_headers_of_64_kb_are_served_and_more_are_refused(server: Server) -> None:
    replies = []
    for length in (65_536, 65_537):
        with connected(server) as line:
            line.sendall(head_of(length))
            replies.append(line.recv(65536)[:13])
    assert replies == [b"HTTP/1.1 200 ", b"HTTP/1.1 431 "]


def test_requests_behind_each_other_are_counted_one_by_one(server: Server) -> None:
    one = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"x" * 30_000 + b"\r\n\r\n"
    with connected(server) as line:
        line.sendall(one * 5 + head_of(1_000))
        replies = b""
        while part := line.recv(65536):
            replies += part
    assert replies.count(b"HTTP/1.1 200 ") == 6
