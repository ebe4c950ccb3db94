"""How many people can label at once: the annotate cycle under load, embedded and scaled, while a board is watched.

    python -m benchmarks.server.load [sqlite] [postgresql] [--annotators 1 10 50 200] [--hurried] [--web N]

Starts servers of its own, as the product starts: embedded, one process with its worker inside, on SQLite; scaled,
`--web` processes (2, one for each core, as `--scale web=2` has it), a Celery worker with beat, PostgreSQL and Redis,
which `.ci/services` finds or starts. Fills a campaign of 1,000 pairs with 3,000 answers, opens 200 WebSockets on its
board, ten of them pages that fetch the board again at news, and lets 1, 10, 50 and 200 simulated annotators label
(`crowd.py`), each stage on top of the one before. A stage is measured after everybody has come. At the end every
acknowledged answer is looked for in the database. Writes load.json and load.md (or load-hurried).
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from benchmarks.machine import Usage, described, usage_of
from benchmarks.server.board_watchers import Watchers
from benchmarks.server.crowd import HURRIED, THINK, Crowd, Made, fill_on
from tests.browser.server import Server
from tests.paths import PROJECT

ANNOTATORS = (1, 10, 50, 200)
#: How long a stage is measured, once everybody has come (s).
STAGE_S = 60.0
WATCHERS, FETCHING = 200, 10
BEFORE = 3_000
#: By mode: up to so many annotators, 95 of 100 answers are to be taken, and the next unit there, within TARGET_S (s).
TARGET = {"sqlite": 50, "postgresql": 200}
TARGET_S = 0.250
KINDS = ("page", "ahead", "audio", "heard", "submit")
RESULTS = PROJECT / "benchmarks" / "results"


@dataclass
class Stage:
    """What was measured while so many labelled. Seconds are by kind of request: p50, p95, p99 and how many."""

    mode: str
    annotators: int
    think: tuple[float, float]
    seconds: float = 0.0
    answers: int = 0
    requests: dict[str, dict[str, float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    news: float = 0.0
    board: dict[str, float] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)
    load: float = 0.0

    @property
    def per_second(self) -> float:
        return self.answers / self.seconds

    @property
    def verdict(self) -> str:
        if self.annotators > TARGET[self.mode]:
            return "no target"
        if not self.answers:
            return "MISSED: no answer"
        wrong = [f"{len(self.errors)} errors"] if self.errors else []
        slow = self.requests["submit"]["p95"]
        wrong += [f"p95 {slow * 1e3:.0f} ms"] if slow >= TARGET_S else []
        return f"MISSED: {', '.join(wrong)}" if wrong else "met"


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("modes", nargs="*", choices=[[], *TARGET], default=[])
    asked.add_argument("--web", type=int, default=2, help="processes of the scaled mode")
    asked.add_argument("--annotators", type=int, nargs="+", default=ANNOTATORS)
    asked.add_argument("--hurried", action="store_true", help="a unit takes them as little as it can at all")
    options = asked.parse_args()
    think, name = (HURRIED, "load-hurried") if options.hurried else (THINK, "load")
    RESULTS.mkdir(exist_ok=True)
    machine = described()
    found: list[Stage] = []
    missing: dict[str, int] = {}
    for mode in options.modes or TARGET:
        with chosen(mode), tempfile.TemporaryDirectory(prefix="earshot-load-") as folder:
            web = 1 if mode == "sqlite" else options.web
            stages, missing[mode] = measured(mode, Path(folder), web=web, annotators=options.annotators, think=think)
            found += stages
    document = {
        "machine": machine | {"load at the end": os.getloadavg()[0]},
        "think": think,
        "web": options.web,
        "acknowledged but not stored once": missing,
        "stages": [asdict(it) | {"answers per second": it.per_second, "verdict": it.verdict} for it in found],
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    table = written(document["machine"], found, missing, web=options.web)
    (RESULTS / f"{name}.md").write_text(table, encoding="utf-8")
    print(table)


@contextmanager
def chosen(mode: str) -> Iterator[None]:
    """The environment in which a server runs in this mode."""
    names = ("DATABASE_URL", "REDIS_URL")
    before = {name: os.environ.pop(name, "") for name in names}
    services = before if all(before.values()) else started_services() if mode == "postgresql" else {}
    os.environ.update(services if mode == "postgresql" else {})
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update({name: value for name, value in before.items() if value})


def started_services() -> dict[str, str]:
    command = [str(PROJECT / ".ci" / "services")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - a script of ours
    return dict(word.split("=", 1) for word in shlex.split(said) if "=" in word)


def measured(
    mode: str, folder: Path, *, web: int, annotators: Sequence[int], think: tuple[float, float]
) -> tuple[list[Stage], int]:
    """All stages on one server, and how many acknowledged answers are not in its database exactly once."""
    server = Server(folder, name="earshot_load", redis_database=1)
    server.manage("migrate", "--verbosity", "0")
    server.manage("collectstatic", "--no-input", "--verbosity", "0")
    most = max(annotators)
    made = fill_on(server, annotators=most, viewers=WATCHERS, answers_per_unit=50, before=BEFORE)
    if mode == "postgresql":
        server.manage(
            "shell", "-v", "0", "-c", "from django.db import connection as c; c.cursor().execute('ANALYZE')"
        )
    crowds: list[Crowd] = []
    stages: list[Stage] = []
    try:
        server.start()
        urls = [server.url, *(server.start_another() for _ in range(web - 1))]
        watchers = Watchers(urls, made.viewers, campaign=made.campaign, slug=made.slug, fetching=FETCHING)
        watchers.start()
        for many in sorted(annotators):
            here = sum(len(crowd.sessions) for crowd in crowds)
            crowds += newcomers(urls, made, here, many, think=think)
            stages.append(measure(Stage(mode, many, think), server, crowds, watchers))
        stop_all(crowds)
        watchers.stop()
        return stages, not_stored_once(server, crowds)
    finally:
        server.kill()


def newcomers(urls: list[str], made: Made, start: int, stop: int, *, think: tuple[float, float]) -> list[Crowd]:
    """As many crowds as there are web processes: nginx hands requests out in turns."""
    coming = made.annotators[start:stop]
    crowds = [
        Crowd(url, made.slug, coming[n :: len(urls)], think=think, seed=1000 * start + n)
        for n, url in enumerate(urls)
    ]
    for crowd in crowds:
        crowd.start()
    return crowds


def stop_all(crowds: list[Crowd]) -> None:
    for crowd in crowds:
        crowd.stopping = True
    for crowd in crowds:
        crowd.join()


def measure(stage: Stage, server: Server, crowds: list[Crowd], watchers: Watchers) -> Stage:
    time.sleep(stage.think[1])
    began, before, heard, cut = time.monotonic(), usage_of(server), watchers.news, len(watchers.wrong)
    errors = [len(crowd.wrong) + len(crowd.lost) for crowd in crowds]
    time.sleep(STAGE_S)
    stage.seconds = time.monotonic() - began
    stage.usage = usage_of(server) - before
    asked = [it for crowd in crowds for it in crowd.requests if it.began >= began]
    stage.answers = sum(it.kind == "submit" and it.status == 200 for it in asked)
    stage.requests = {kind: spread([it.seconds for it in asked if it.kind == kind]) for kind in KINDS}
    stage.errors = [
        it for crowd, n in zip(crowds, errors, strict=True) for it in [*crowd.wrong, *crowd.lost][n:]
    ] + watchers.wrong[cut:]
    stage.news = (watchers.news - heard) / stage.seconds
    stage.board = spread([it.seconds for it in watchers.requests if it.began >= began])
    stage.load = os.getloadavg()[0]
    print(
        f"  {stage.mode}, {stage.annotators} annotators: {stage.per_second:.1f}/s, {stage.verdict}", file=sys.stderr
    )
    return stage


def spread(took: list[float]) -> dict[str, float]:
    if not took:
        return {"n": 0}
    p50, p95, p99 = np.percentile(took, [50, 95, 99])
    return {"n": len(took), "p50": float(p50), "p95": float(p95), "p99": float(p99)}


def not_stored_once(server: Server, crowds: list[Crowd]) -> int:
    """Of the acknowledged answers, how many are not in the database exactly once, with all that was said."""
    stored = Counter(key for (key,) in server.rows("SELECT idempotency_key FROM annotation_annotation"))
    acknowledged = [said for crowd in crowds for said in crowd.acknowledged]
    return sum(stored[said.key] != 1 for said in acknowledged)


def written(machine: dict[str, object], stages: list[Stage], missing: dict[str, int], *, web: int) -> str:
    """The results as a page of Markdown."""
    low, high = stages[0].think
    lines = [
        "# Load",
        "",
        f"`make bench-load` on {machine['day']}: {machine['cores']} cores of {machine['processor']}, "
        f"{machine['memory_gb']} GB, Python {machine['python']}, {machine['system']}; "
        + ", ".join(f"{name} {it}" for name, it in dict(machine["packages"]).items())  # type: ignore[call-overload]
        + f". Load of the machine {machine['load at the start']:.1f} at the start, "
        f"{machine['load at the end']:.1f} at the end; the clients ran on it, too.",
        "",
        f"A simulated annotator takes {low:g} to {high:g} s for a unit: three clips and four questions. Answers, and "
        "milliseconds until the whole response is there. sqlite: one process, its worker inside. postgresql: "
        f"{web} web processes, a Celery worker, PostgreSQL, Redis. {WATCHERS} WebSockets watch the board meanwhile; "
        f"{FETCHING} of them are pages that fetch it at news.",
        "",
        "| mode | annotators | answers | answers/s | " + " | ".join(f"{it} p50/p95/p99" for it in KINDS)
        + " | board p50/p95/p99 | errors | verdict |",
        "|---" * (len(KINDS) + 7) + "|",
        *(_row(it) for it in stages),
        "",
        "Milliseconds of the processor for an answer, with everything that belongs to it; what the machine did "
        "besides (`others`: the system, Redis, whoever else was on it) as a share of its cores; memory by process.",
        "",
        "| mode | annotators | web | worker | postgresql | client | others | news/s on all sockets | RSS (MB) |",
        "|---" * 9 + "|",
        *(_costs(it) for it in stages),
        "",
        "Acknowledged answers that are not in the database exactly once: "
        + ", ".join(f"{mode} {n}" for mode, n in missing.items()) + ".",
        "",
    ]  # fmt: skip
    return "\n".join(lines)


def _row(stage: Stage) -> str:
    took = " | ".join(_ms(stage.requests[kind]) for kind in KINDS)
    return (
        f"| {stage.mode} | {stage.annotators} | {stage.answers} | {stage.per_second:.1f} | {took} | "
        f"{_ms(stage.board)} | {len(stage.errors)} | {stage.verdict} |"
    )


def _ms(took: dict[str, float]) -> str:
    return " / ".join(f"{took[it] * 1e3:.0f}" for it in ("p50", "p95", "p99")) if took["n"] else "–"


def _costs(stage: Stage) -> str:
    cpu, each = stage.usage.cpu_s, max(stage.answers, 1)
    cells = [
        f"{cpu[who] / each * 1e3:.1f}" if who in cpu else "–" for who in ("web", "worker", "postgresql", "client")
    ]
    others = cpu["others"] / stage.seconds / (os.cpu_count() or 1)
    rss = "; ".join(f"{who} {', '.join(map(str, it))}" for who, it in stage.usage.rss_mb.items())
    return f"| {stage.mode} | {stage.annotators} | {' | '.join(cells)} | {others:.0%} | {stage.news:.0f} | {rss} |"


if __name__ == "__main__":
    main()
