"""A server of somebody's that is told of events, and misbehaves when told to."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Got:
    headers: dict[str, str]
    body: bytes
    path: str


class Receiver:
    """Answers with `status`, and with `Retry-After` if it is given; drips its header for ever where `drips` is set.

    It answers only while `answering` is set; until then whoever sends waits.
    """

    def __init__(self, status: int = 200, *, drips: bool = False, retry_after: str = "") -> None:
        self.status, self.drips, self.retry_after = status, drips, retry_after
        self.got: list[Got] = []
        self.answering = threading.Event()
        self.answering.set()
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self.closing.set()
        self.answering.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                fake.got.append(Got(dict(self.headers), body, self.path))
                fake.answering.wait()
                if fake.drips:
                    return self._drip()
                self.send_response(fake.status)
                if fake.retry_after:
                    self.send_header("Retry-After", fake.retry_after)
                if 300 <= fake.status < 400:
                    self.send_header("Location", f"http://127.0.0.1:{fake.port}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return None

            def _drip(self) -> None:
                try:
                    self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                    while not fake.closing.wait(0.05):
                        self.wfile.write(b"x")
                except OSError:
                    self.close_connection = True

            def log_message(self, *_args: Any) -> None:
                """Nothing is printed."""

        return Handler


@contextmanager
def receiving(status: int = 200, *, drips: bool = False, retry_after: str = "") -> Iterator[Receiver]:
    server = Receiver(status, drips=drips, retry_after=retry_after)
    try:
        yield server
    finally:
        server.close()
