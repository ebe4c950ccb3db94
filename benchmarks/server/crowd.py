"""Simulated annotators who do over HTTP what the label page does in a browser; hundreds of them in one thread.

    server = Server(folder)                       # tests.browser.server, migrated
    made = fill_on(server, annotators=50)         # a campaign with its audio, and somebody logged in for each
    server.start()
    crowd = Crowd(server.url, made.slug, made.annotators)
    crowd.start()                                 # a thread of its own
    …                                             # kill what you like
    crowd.stop()                                  # nobody begins another unit; those who wait for an answer get it
    crowd.acknowledged                            # what the server said it has: key, assignment, values
    crowd.in_doubt                                # by key, what was sent and not acknowledged: there once, or not
    crowd.requests, crowd.lost, crowd.wrong       # seconds by kind; lines that broke; answers that say an error

One annotator, again and again: loads the page (and again at every tenth unit, as after a break), has the next unit
planned (`ahead`) and fetches its clips while this one is heard, reports what was played every three seconds
(`heard`), submits with the rest of what was heard and the form's idempotency key, and gets the next unit as the
answer to that. The page's player asks for whole clips; here they are asked for as a range of all their bytes, which
costs the server the same and is answered as a range. A connection that breaks is made again, and the request sent
again with the same key, until `timeout_s` is over, as a person would press the button again.

`think` is what somebody takes for a unit, in seconds, between the page and the click. It has to be as long as the
server believes that the clips were played, which with fill's protocol is a second for each of three.
"""

import asyncio
import json
import random
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from tests.browser.server import Server

#: What somebody takes for a unit (s) who hears three clips of some seconds in full and answers four questions.
THINK = (20.0, 40.0)
#: As short as that can be done in at all.
HURRIED = (5.0, 10.0)
#: Between two reports of listening (s), as in static/js/label/listening_log.js.
BEAT_S = 10.0
#: The page is loaded again at every so many units.
RELOADS = 10
#: The server ends a connection that was idle for five seconds; a browser opens another.
IDLE_S = 4.0
#: How long (s) one answer may take, and the pause before what was lost is sent again.
TIMEOUT_S, PAUSE_S = 30.0, 0.5
CSRF = "c" * 32
FILL = """
import json
from benchmarks.server.crowd_fill import fill
print(json.dumps(fill(**%(options)r)))
"""


class Asked(NamedTuple):
    """One request that was answered. `began` is on the clock of time.monotonic()."""

    kind: str
    began: float
    seconds: float
    status: int


class Said(NamedTuple):
    """One person's answers to one unit; `values` is by question, in the frame of the screen (1 and 2)."""

    key: str
    assignment: str
    values: dict[str, str]


class Reply(NamedTuple):
    status: int
    body: bytes


class Lost(ConnectionError):
    """No answer came, and it is not known whether the request arrived."""


class Line:
    """One connection to the server, with no more of HTTP than our own server needs."""

    def __init__(self, url: str, session: str) -> None:
        self.host, self.port = urlsplit(url).hostname, urlsplit(url).port
        cookie = f"Cookie: sessionid={session}; csrftoken={CSRF}\r\nX-CSRFToken: {CSRF}\r\n"
        self.headers = f" HTTP/1.1\r\nHost: {urlsplit(url).netloc}\r\n{cookie}"
        self.used = 0.0
        self.ends: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, extra: str = "", body: bytes = b"") -> Reply:
        """Raises Lost."""
        length = f"Content-Length: {len(body)}\r\n" if method == "POST" else ""
        request = f"{method} {path}{self.headers}{extra}{length}\r\n".encode() + body
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._exchange(request)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            self.hang_up()
            raise Lost(f"{method} {path}: {type(error).__name__} {error}") from error

    async def _exchange(self, request: bytes) -> Reply:
        reader, writer = await self._ends()
        writer.write(request)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = re.search(rb"\r\ncontent-length: (\d+)", head)
        body = await reader.readexactly(int(length[1])) if length else b""
        self.used = time.monotonic()
        return Reply(int(head[9:12]), body)

    async def _ends(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self.ends and (self.ends[0].at_eof() or time.monotonic() - self.used > IDLE_S):
            self.hang_up()
        self.ends = self.ends or await asyncio.open_connection(self.host, self.port)
        return self.ends

    def hang_up(self) -> None:
        if self.ends:
            self.ends[1].close()
        self.ends = None


class Annotator:
    """Labels until it is told to stop, or nothing is left. Its notes are the crowd's."""

    def __init__(self, crowd: "Crowd", session: str, seed: int) -> None:
        self.crowd = crowd
        self.line = Line(crowd.url, session)
        self.rng = random.Random(seed)

    async def work(self) -> None:
        await asyncio.sleep(self.rng.uniform(0, self.crowd.think[1]))  # people do not come all at once
        try:
            await self._label()
        except Lost as error:
            self.crowd.wrong.append(f"gave up: {error}")
        finally:
            self.line.hang_up()

    async def _label(self) -> None:
        page, done = "", 0
        while not self.crowd.stopping:
            if not page or done % RELOADS == RELOADS - 1:
                page = (await self._ask("page", "GET", f"/label/{self.crowd.slug}/")).body.decode()
            if not (unit := unit_on(page)):
                self.crowd.idle += 1
                return
            rest = await self._listen(unit)
            values = {name: self.rng.choice(options) for name, options in unit.questions.items()}
            page = await self._submit(unit, Said(unit.key, unit.assignment, values), rest)
            done += 1

    async def _listen(self, unit: "Unit") -> str:
        """Hear every clip for an equal time; return the report of what was heard since the last one that was sent."""
        think, began, told = self.rng.uniform(*self.crowd.think), time.monotonic(), 0.0
        each = think / len(unit.clips)
        await self._look_ahead()
        while (left := began + think - time.monotonic()) > 0:
            await asyncio.sleep(min(BEAT_S, left))
            if (now := time.monotonic() - began) < think:
                await self._post("heard", unit.heard, {"heard": heard(unit.clips, told, now, each=each)})
                told = now
        return heard(unit.clips, told, think, each=each)

    async def _look_ahead(self) -> None:
        reply = await self._post("ahead", f"/label/{self.crowd.slug}/ahead/", {})
        if reply.status == 200:
            for address in json.loads(reply.body)["clips"].values():
                await self._ask("audio", "GET", address, "Range: bytes=0-\r\n")

    async def _submit(self, unit: "Unit", said: Said, rest: str) -> str:
        """The page that follows, or nothing where the answer was refused and the page has to be loaded again."""
        form = said.values | {"idempotency_key": said.key, "heard": rest}
        self.crowd.in_doubt[said.key] = said
        reply = await self._post("submit", unit.answer, form)
        if reply.status != 200:
            return ""
        del self.crowd.in_doubt[said.key]
        self.crowd.acknowledged.append(said)
        return reply.body.decode()

    async def _post(self, kind: str, path: str, form: dict[str, str]) -> Reply:
        extra = "HX-Request: true\r\nContent-Type: application/x-www-form-urlencoded\r\n"
        return await self._ask(kind, "POST", path, extra, urlencode(form).encode())

    async def _ask(self, kind: str, method: str, path: str, extra: str = "", body: bytes = b"") -> Reply:
        """Until there is an answer that is no failure of the server. Raises Lost after the timeout."""
        give_up = time.monotonic() + self.crowd.timeout_s
        while True:
            began = time.monotonic()
            try:
                reply = await self.line.ask(method, path, extra, body)
            except Lost as lost:
                self.crowd.lost.append(str(lost))
                if time.monotonic() > give_up:
                    raise
            else:
                self.crowd.requests.append(Asked(kind, began, time.monotonic() - began, reply.status))
                if reply.status >= 400:
                    self.crowd.wrong.append(f"{reply.status} {method} {path} {reply.body[:200]!r}")
                if reply.status < 500 or time.monotonic() > give_up:
                    return reply
            await asyncio.sleep(PAUSE_S)


class Crowd(threading.Thread):
    """Annotators in a thread of their own. What it notes may be read at any time."""

    def __init__(
        self,
        url: str,
        slug: str,
        sessions: Sequence[str],
        *,
        think: tuple[float, float] = THINK,
        timeout_s: float = 60.0,
        seed: int = 1,
    ) -> None:
        super().__init__(name="crowd", daemon=True)
        self.url, self.slug, self.sessions = url, slug, sessions
        self.think, self.timeout_s, self.seed = think, timeout_s, seed
        self.stopping = False
        self.requests: list[Asked] = []
        self.acknowledged: list[Said] = []
        self.in_doubt: dict[str, Said] = {}
        self.lost: list[str] = []
        self.wrong: list[str] = []
        self.idle = 0

    def run(self) -> None:
        asyncio.run(self._all())

    def stop(self) -> None:
        """Wait until everybody has finished the unit they are at."""
        self.stopping = True
        self.join()

    async def _all(self) -> None:
        people = (Annotator(self, session, self.seed + n) for n, session in enumerate(self.sessions))
        await asyncio.gather(*(one.work() for one in people))


@dataclass(frozen=True)
class Unit:
    """What the form of a unit says to whoever reads it."""

    assignment: str
    answer: str
    heard: str
    key: str
    clips: tuple[str, ...]
    questions: dict[str, list[str]]


def unit_on(page: str) -> Unit | None:
    """The unit that is put before somebody; None where nothing is left or nothing may be answered."""
    found = re.search(r'data-assignment="([^"]+)"', page)
    if not found:
        return None
    here = {name: re.search(pattern, page) for name, pattern in FORM.items()}
    questions: dict[str, list[str]] = {}
    for name, value in re.findall(r'type="radio" name="([^"]+)" value="([^"]+)"', page):
        questions.setdefault(name, []).append(value)
    clips = tuple("-".join(it) for it in re.findall(r'data-place="(\d)" data-turn="(\d)"', page))
    return Unit(found[1], clips=clips, questions=questions, **{name: it[1] for name, it in here.items() if it})


FORM = {
    "answer": r'hx-post="([^"]+)"',
    "heard": r'data-heard-url="([^"]+)"',
    "key": r'name="idempotency_key" value="([^"]+)"',
}


def heard(clips: Sequence[str], start: float, end: float, *, each: float) -> str:
    """A report that from `start` to `end` the clips were played one after the other, `each` for so many seconds.

    >>> json.loads(heard(["0-1", "1-1"], 1.0, 3.0, each=2.0))[0]["ranges"]
    {'0-1': [[1.0, 2.0]], '1-1': [[0.0, 1.0]]}
    """
    ranges = {}
    for n, clip in enumerate(clips):
        part = [round(max(start - n * each, 0.0), 3), round(min(end - n * each, each), 3)]
        if part[1] > part[0]:
            ranges[clip] = [part]
    report = {"number": time.time_ns() // 1_000_000, "ranges": ranges, "plays": dict.fromkeys(ranges, 1)}
    return json.dumps([report | {"switches": 0, "hidden_s": 0}])


class Made(NamedTuple):
    """A campaign that was filled, and who is logged in: those who label, and those who may look at its board."""

    slug: str
    campaign: int
    annotators: list[str]
    viewers: list[str]


def fill_on(
    server: Server,
    *,
    annotators: int,
    viewers: int = 0,
    items: int = 100,
    answers_per_unit: int = 10,
    before: int = 0,
) -> Made:
    """Write an open campaign of ten pairs of systems on so many items into the server's database.

    `before` answers are there already, each by somebody else. The server need not run; it must be migrated.
    """
    options = {
        "annotators": annotators, "viewers": viewers, "items": items, "answers_per_unit": answers_per_unit,
        "before": before,
    }  # fmt: skip
    return Made(**json.loads(server.shell(FILL % {"options": options})))
