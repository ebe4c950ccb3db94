"""How long a vote takes: from the POST to the response with the next pair, on a real server with SQLite.

    python -m benchmarks.server.voting [seconds] [votes]

Starts a server of its own with an arena of ten systems on thirty items and 20,000 votes in it, and lets voters come
over the loopback. Voters who listen do all that a browser does: they report what they heard, have the next pair drawn
ahead, fetch its clips, and vote when they have heard the three clips of three seconds, or, in a hurry, half of them.
Voters in a row do nothing but vote, one after the other. Beside the clock stands the processor's time of the server,
for everything that it did meanwhile.
"""

import http.client
import json
import os
import random
import re
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np

from tests.browser.server import Server

TARGET_S = 0.060
VOTERS = 20
#: What somebody takes for a pair, in seconds: of whom three clips of three seconds are heard, and who hears half.
LISTENS, HURRIES = (9.0, 15.0), (4.0, 8.0)
Pace = tuple[float, float]
CSRF = "c" * 32
FILL = """
import json
from benchmarks.server.voting_fill import fill
print(json.dumps(fill(voters=%(voters)s, votes=%(votes)s)))
"""


@dataclass(eq=False)
class Voter(threading.Thread):
    """Votes until the time is over; `took` has the seconds from each POST to the whole response."""

    server: Server
    slug: str
    session: str
    until: float
    pace: Pace | None
    took: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(daemon=True)
        self.rng = random.Random(self.session)
        self.line = http.client.HTTPConnection(urlsplit(self.server.url).netloc, timeout=30)

    def run(self) -> None:
        if self.pace:
            time.sleep(self.rng.uniform(0, self.pace[1]))  # people do not come all at once
        page = self.send("GET", f"/arena/{self.slug}/")
        while time.monotonic() < self.until and (form := re.search(r'hx-post="(/arena/[^"]+)"', page)):
            if self.pace:
                self.listen(page, form[1], self.rng.uniform(*self.pace))
            page = self.vote(form[1], page)

    def vote(self, address: str, page: str) -> str:
        said = {"overall": self.rng.choice("12"), "reason": "It answers what was asked.", "idempotency_key": address}
        said["heard"] = heard(page, 2, 0.0, 0.63)
        began = time.perf_counter()
        page = self.send("POST", address, said)
        self.took.append(time.perf_counter() - began)
        return page

    def listen(self, page: str, address: str, seconds: float) -> None:
        """As a browser does: the next pair is drawn and fetched while this one is heard."""
        following = json.loads(self.send("POST", f"/arena/{self.slug}/ahead/", {}) or "{}")
        for clip in following.get("clips", {}).values():
            self.send("GET", clip)
        self.line.close()  # the server would end an idle connection; a browser opens another
        time.sleep(seconds)
        own = address.rstrip("/").rsplit("/", 1)[1]
        self.send("POST", f"/label/{self.slug}/{own}/heard/", {"heard": heard(page, 1, 0.0, 0.5)})

    def send(self, method: str, path: str, posted: dict[str, str] | None = None) -> str:
        headers = {"Cookie": f"sessionid={self.session}; csrftoken={CSRF}", "X-CSRFToken": CSRF}
        if method == "POST":
            headers |= {"Content-Type": "application/x-www-form-urlencoded", "HX-Request": "true"}
        self.line.request(method, path, urlencode(posted or {}) if method == "POST" else None, headers)
        answer = self.line.getresponse()
        body = answer.read()
        if answer.status >= 400:
            self.wrong.append(f"{answer.status} {method} {path} {body[:200]!r}")
        return body.decode(errors="replace")


def heard(page: str, number: int, start: float, end: float) -> str:
    """A report that this part of every clip of the page was played."""
    clips = ["-".join(found) for found in re.findall(r'data-place="(\d)" data-turn="(\d)"', page)]
    ranges = {clip: [[start, end]] for clip in clips}
    report = {"number": number, "ranges": ranges, "plays": dict.fromkeys(clips, 1), "switches": 1, "hidden_s": 0}
    return json.dumps([report])


def cpu_seconds(server: Server) -> float:
    """What the server has used of the processor so far."""
    ticks = 0
    for process in server.processes:
        fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(server: Server, slug: str, sessions: list[str], *, seconds: float, pace: Pace | None = None) -> None:
    until, before = time.monotonic() + seconds, cpu_seconds(server)
    voters = [Voter(server, slug, session, until, pace) for session in sessions]
    began = time.monotonic()
    for voter in voters:
        voter.start()
    for voter in voters:
        voter.join()
    took = np.array([it for voter in voters for it in voter.took])
    lasted, cpu = time.monotonic() - began, cpu_seconds(server) - before
    kind = {LISTENS: "who listen", HURRIES: "in a hurry", None: "in a row"}[pace]
    p50, p95 = np.percentile(took, [50, 95])
    verdict = f"   target {TARGET_S * 1e3:.0f} ms  {'met' if p95 < TARGET_S else 'MISSED'}" if pace else ""
    print(
        f"  {len(voters):>2} voters {kind:<11} {len(took):>5} votes, {len(took) / lasted:5.1f}/s:  median "
        f"{p50 * 1e3:6.1f} ms  p95 {p95 * 1e3:6.1f} ms  processor {cpu / len(took) * 1e3:5.1f} ms a vote{verdict}"
    )
    if wrong := [it for voter in voters for it in voter.wrong]:
        print(f"    {len(wrong)} requests went wrong, first {wrong[0]}")


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 40.0
    votes = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder))
        server.manage("migrate", "--verbosity", "0")
        server.manage("collectstatic", "--no-input", "--verbosity", "0")
        made = json.loads(server.shell(FILL % {"voters": VOTERS, "votes": votes}))
        slug, sessions = made["slug"], made["sessions"]
        server.start()
        try:
            print(f"an arena with {votes:,} votes; load of the machine {os.getloadavg()[0]:.1f}")
            measure(server, slug, sessions[:1], seconds=5)
            measure(server, slug, sessions[:1], seconds=seconds / 4)
            measure(server, slug, sessions, seconds=2 * seconds, pace=LISTENS)
            measure(server, slug, sessions, seconds=seconds, pace=HURRIES)
            measure(server, slug, sessions, seconds=seconds / 4)
            print(f"  load of the machine {os.getloadavg()[0]:.1f}")
        finally:
            server.kill()


if __name__ == "__main__":
    main()
