"""A server that speaks OpenAI's chat protocol, and misbehaves when told to."""

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What a step is given: the request's body. What it says: status, headers, body; or None to say nothing for long.
Step = Callable[[dict[str, Any]], tuple[int, dict[str, str], bytes] | None]
HANG_S = 20.0


def completion(
    content: str | None,
    *,
    finish: str = "stop",
    refusal: str | None = None,
    model: str = "m-2026",
    usage: Mapping[str, Any] | None = None,
) -> Step:
    message = {"role": "assistant", "content": content, "refusal": refusal}
    reply = {
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 7} if usage is None else usage,
    }
    return raw(200, json.dumps(reply).encode())


def raw(status: int, body: bytes, **headers: str) -> Step:
    return lambda _body: (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


def fault(status: int, message: str = "no", **headers: str) -> Step:
    return raw(status, json.dumps({"error": {"message": message}}).encode(), **headers)


def hang(_body: dict[str, Any]) -> None:
    return None


def after(seconds: float, step: Step) -> Step:
    """The same, but it takes so long."""

    def late(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        time.sleep(seconds)
        return step(body)

    return late


def in_turn(*steps: Step) -> Step:
    """One step after the other at the same address; the last one again and again."""
    left, lock = list(steps), threading.Lock()

    def step(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        with lock:
            chosen = left.pop(0) if len(left) > 1 else left[0]
        return chosen(body)

    return step


def by_text(steps: Mapping[str, Step], otherwise: Step | None = None) -> Step:
    """Another step for whichever text the messages hold."""

    def step(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes] | None:
        said = json.dumps(body["messages"], ensure_ascii=False)
        chosen = next((steps[text] for text in steps if text in said), otherwise)
        assert chosen is not None, f"nobody knows what to say to {said[-200:]}"
        return chosen(body)

    return step


class FakeServer:
    """Answers by its steps, one for each request; the last one again and again. Remembers what it was asked."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with fake._lock:
                    step = fake.steps.pop(0) if len(fake.steps) > 1 else fake.steps[0]
                    fake.asked.append(body)
                    fake.headers.append(dict(self.headers))
                    fake.paths.append(self.path)
                if (said := step(body)) is None:
                    fake.closing.wait(HANG_S)
                    self.close_connection = True
                    return
                status, headers, content = said
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if "Content-Length" not in headers:
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                self.close_connection = "Content-Length" in headers

            def log_message(self, *_args: Any) -> None:
                """Nothing is printed."""

        return Handler


@contextmanager
def serving(*steps: Step) -> Iterator[FakeServer]:
    server = FakeServer(*steps)
    try:
        yield server
    finally:
        server.close()


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "waited too long"
        time.sleep(0.02)
