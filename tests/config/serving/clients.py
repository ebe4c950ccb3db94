"""People at a real server over HTTP, who come back when it was gone."""

import http.client
import re
import threading
import time
from http.client import HTTPException
from urllib.parse import urlencode, urlsplit

from tests.browser.server import Server
from tests.factories import DIRECT_ANSWERS

CSRF = "c" * 32
#: So long a server may say nothing.
SILENCE_S = 120


class Visitor:
    """Somebody who is logged in, by the key of a session."""

    def __init__(self, server: Server, session: str) -> None:
        self.host = urlsplit(server.url).netloc
        self.headers = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}

    def fetch(self, path: str, posted: dict[str, str] | None = None, **headers: str) -> tuple[int, str]:
        """Status and text. Raises OSError or HTTPException where the server is gone."""
        line = http.client.HTTPConnection(self.host, timeout=10)
        try:
            body = None if posted is None else urlencode(posted)
            form = {} if posted is None else {"Content-Type": "application/x-www-form-urlencoded"}
            method = "GET" if posted is None else "POST"
            line.request(method, path, body, self.headers | form | headers)
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        finally:
            line.close()


class Labeller(threading.Thread):
    """Answers one unit after the other until there are no more; `acknowledged` are those the server said yes to.

    However busy the machine is: only a server that says nothing new for two minutes is given up.
    """

    def __init__(self, visitor: Visitor, slug: str) -> None:
        super().__init__(daemon=True)
        self.visitor, self.slug = visitor, slug
        self.acknowledged: list[str] = []
        self.refused: list[tuple[int, str]] = []
        self.cut_off = 0
        self.last_word_at = time.monotonic()

    def run(self) -> None:
        self.last_word_at = time.monotonic()
        while time.monotonic() < self.last_word_at + SILENCE_S:
            try:
                if not self._one():
                    return
                self.last_word_at = time.monotonic()
            except (OSError, HTTPException):
                self.cut_off += 1
                time.sleep(0.2)

    def _one(self) -> bool:
        """Whether there was something to answer."""
        status, page = self.visitor.fetch(f"/label/{self.slug}/")
        form = re.search(r'data-assignment="([0-9a-f-]{36})"', page)
        if status != 200 or form is None:
            self._note_unless_ok(status, page)
            return False
        unit = form[1]
        said = DIRECT_ANSWERS | {"idempotency_key": f"key-{unit}"}
        status, page = self.visitor.fetch(f"/label/{self.slug}/{unit}/", said, **{"HX-Request": "true"})
        if status == 200:
            self.acknowledged.append(unit)
        elif status != 409:  # what was stored just before the server died, and is sent again
            self._note_unless_ok(status, page)
        return True

    def _note_unless_ok(self, status: int, page: str) -> None:
        if status != 200:
            self.refused.append((status, page[:500]))
