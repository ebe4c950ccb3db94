"""People at an installation that dies under them: they come back, send again, and note what they were shown."""

import http.client
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import unescape
from urllib.parse import urlencode, urlsplit

from benchmarks.faults.installation import Installation
from benchmarks.server.voting import CSRF, heard

CHOICES = ("1", "2", "both_good", "both_bad")
ASPECTS = ("content", "voice_quality", "paralinguistics", "overall")
#: Somebody takes so long for a unit, at least and at most (s); and waits so long before trying again.
PAUSE_S, AGAIN_S = (0.1, 0.5), 0.25
NOTICE = re.compile(r'<p id="([a-z-]+)" class="notice error"[^>]*>(.*?)</p>')
WARNING = re.compile(r'<(?:p|ul) class="notice (?:error|warning)"[^>]*>(.*?)</(?:p|ul)>', re.DOTALL)
#: What the page says to somebody who has answered everything.
LAST = "That was the last one."
#: Which notice of its page a browser shows where sending fails, by what page.js says.
NOTICES = {0: "offline", 401: "logged-out", 403: "logged-out", 502: "offline", 503: "cannot-store", 504: "offline"}


class Visitor:
    """Somebody who is logged in, by the key of a session."""

    def __init__(self, installation: Installation, session: str) -> None:
        self.host = urlsplit(installation.url).netloc
        self.headers = {"Cookie": f"sessionid={session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}

    def fetch(self, path: str, posted: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Status and text, or 0 where nobody answers; what is posted comes from a page's script."""
        line = http.client.HTTPConnection(self.host, timeout=60)
        form = {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"} if posted else {}
        try:
            line.request(
                "POST" if posted else "GET", path, urlencode(posted) if posted else None, self.headers | form
            )
            answer = line.getresponse()
            return answer.status, answer.read().decode()
        except (OSError, http.client.HTTPException):
            return 0, ""
        finally:
            line.close()


@dataclass
class Said:
    """What people and staff were shown, with how often, by who saw it."""

    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def note(self, who: str, what: str) -> None:
        if what:
            self.seen[who, what] += 1

    def since(self, before: Mapping[tuple[str, str], int]) -> set[tuple[str, str]]:
        """Who was shown what after that."""
        return {it for it, n in dict(self.seen).items() if n > before.get(it, 0)}

    def rows(self) -> list[dict[str, str | int]]:
        return [{"who": who, "saw": what, "times": n} for (who, what), n in self.seen.most_common()]


@dataclass(eq=False)
class Labeller(threading.Thread):
    """Answers one unit after the other until there are no more, whatever happens to the server.

    `acknowledged` has, for each unit that the server said yes to, what was clicked under "overall"; `stopped` says
    why this person could not go on.
    """

    installation: Installation
    slug: str
    session: str
    said: Said
    until: float
    acknowledged: dict[str, str] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    waited_s: float = 0.0
    stopped: str = ""
    over: bool = False

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.rng = random.Random(self.session)
        self.visitor = Visitor(self.installation, self.session)
        self.notices: dict[str, str] = {}

    def run(self) -> None:
        try:
            while self.goes_on():
                self.one(self.persist(self.address) or "")
        except OutOfTime as error:
            self.stopped = f"out of time: {error}"

    def goes_on(self) -> bool:
        return not self.over

    @property
    def address(self) -> str:
        return f"/label/{self.slug}/"

    def one(self, page: str) -> None:
        """Answer the unit of the page, if it has one."""
        self.notices |= notices_of(page)
        if (form := re.search(r'data-assignment="([0-9a-f-]{36})"', page)) is None:
            self.over = LAST in page
            if not self.over:
                time.sleep(AGAIN_S)  # others are still at the rest
            return
        time.sleep(self.rng.uniform(*PAUSE_S))
        clicked = {aspect: self.rng.choice(CHOICES) for aspect in ASPECTS}
        self.send(f"/label/{self.slug}/{form[1]}/", form[1], clicked | {"idempotency_key": f"key-{form[1]}"})

    def send(self, path: str, unit: str, said: dict[str, str]) -> None:
        """The same until the server takes it, or says in words why it does not."""
        if self.persist(path, said) is not None:
            self.acknowledged[unit] = said["overall"]

    def persist(self, path: str, posted: Mapping[str, str] | None = None) -> str | None:
        """Ask again until there is an answer that is none of a broken server; note what was shown meanwhile."""
        began = time.monotonic()
        while True:
            status, page = self.visitor.fetch(path, posted)
            self.waited_s = max(self.waited_s, time.monotonic() - began)
            if 200 <= status < 400:
                return page
            if 400 <= status < 500:
                self.refused.append(f"[{status}] {refusal_of(page)}")
                return None if posted is not None else page
            self.said.note("annotator", steady(self._shown(status, page, posted is not None)))
            if time.monotonic() > self.until:
                raise OutOfTime(path)
            time.sleep(AGAIN_S)

    def _shown(self, status: int, page: str, was_sent: bool) -> str:
        """A notice of the open page where an answer was sent; else the page that came, or the browser's own word."""
        if was_sent:
            return f"[{status or 'no connection'}] {self.notices.get(NOTICES.get(status, 'refused'), '(nothing)')}"
        return f"[{status}] {text_of(page)}" if status else ""


class OutOfTime(Exception):
    """The server did not come back."""


@dataclass(eq=False)
class Voter(Labeller):
    """The same in an arena, until told to stop, with a report of what was heard."""

    @property
    def address(self) -> str:
        return f"/arena/{self.slug}/"

    def one(self, page: str) -> None:
        self.notices |= notices_of(page)
        if (form := re.search(r'hx-post="(/arena/[^"]+/([0-9a-f-]{36})/)"', page)) is None:
            self.said.note("annotator", text_of(page))
            time.sleep(AGAIN_S)
            return
        time.sleep(self.rng.uniform(*PAUSE_S))
        said = {"overall": self.rng.choice("12"), "reason": "It answers what was asked."}
        said |= {"idempotency_key": f"key-{form[2]}", "heard": heard(page, 1, 0.0, 0.63)}
        self.send(form[1], form[2], said)


@dataclass(eq=False)
class Owner(threading.Thread):
    """Has the board and a run open, and notes the warnings on them."""

    installation: Installation
    session: str
    pages: list[str]
    said: Said
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.visitor = Visitor(self.installation, self.session)

    def run(self) -> None:
        while not self.over.wait(0.5):
            for path in self.pages:
                status, page = self.visitor.fetch(path)
                if status >= 500:
                    self.said.note("researcher", steady(f"[{status}] {text_of(page)}"))
                for warning in WARNING.findall(page):
                    self.said.note("researcher", steady(plain(warning)))

    def faults_of(self, slug: str, run: int) -> str:
        """What the page of a run says went wrong."""
        page = self.visitor.fetch(f"/campaigns/{slug}/runs/{run}/")[1]
        told = re.search(r"<h2>What went wrong</h2>\s*<ul>(.*?)</ul>", page, re.DOTALL)
        return plain(told[1]) if told else ""

    def post(self, path: str) -> int:
        return self.visitor.fetch(path, {"csrfmiddlewaretoken": CSRF})[0]


def notices_of(page: str) -> dict[str, str]:
    return {name: plain(text) for name, text in NOTICE.findall(page)}


def refusal_of(page: str) -> str:
    """The sentence with which a unit came back, which was sent for nothing; else what the page says."""
    found = WARNING.search(page)
    return plain(found[1]) if found else text_of(page)


def text_of(page: str) -> str:
    """What the main part of a page says; of what is no page, its beginning."""
    found = re.search(r"<main[^>]*>(.*?)</main>", page, re.DOTALL)
    return plain(found[1] if found else page)[:300]


def plain(html: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def steady(text: str) -> str:
    """Without what differs from time to time: dates, sizes and shares."""
    text = re.sub(r" If you tell whoever runs this server, name this number: \w+", "", text)
    text = re.sub(r"on \w+\.? \d+, \d{4}, [\d:]+ [ap]\.?m\.?", "on (date)", text)
    return re.sub(r"[\d.,]+\s(?:bytes|[KMG]B) \(\d+ %\)", "(so much)", text)
