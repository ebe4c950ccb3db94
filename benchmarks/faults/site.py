"""An installation with people at it, as a fault finds it."""

import json
import random
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.faults.installation import Installation
from benchmarks.faults.people import Labeller, Owner, Said, Voter
from benchmarks.faults.services import Postgres, Redis, until
from benchmarks.server.crowd import Crowd

#: So long the load of one fault may last in all (s).
LONGEST_S = 240.0
FILL = """
import json
from benchmarks.faults.study import fill
print(json.dumps(fill(model_url={url!r})))
"""
START = "from benchmarks.faults.study import start_judging; print(start_judging({slug!r}))"


@dataclass
class Site:
    """`made` is what benchmarks.faults.study has put in; `notes` is what a blow has to tell beside the figures."""

    installation: Installation
    made: dict[str, Any]
    rng: random.Random
    postgres: Postgres | None = None
    redis: Redis | None = None
    said: Said = field(default_factory=Said)
    people: list[Labeller] = field(default_factory=list)
    crowd: Crowd | None = None
    owner: Owner | None = None
    run: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def labellers(self) -> list[Labeller]:
        return [it for it in self.people if not isinstance(it, Voter)]

    @property
    def voters(self) -> list[Labeller]:
        return [it for it in self.people if isinstance(it, Voter)]

    def begin(self) -> None:
        """Server, worker, people, a run of a judge, and its owner who looks on."""
        site, made, until_ = self.installation, self.made, time.monotonic() + LONGEST_S
        self.run = start_judging(self, made["judged"])
        site.begin_all()
        for kind, slug, sessions in ((Labeller, "labelled", "labellers"), (Voter, "arena", "voters")):
            self.people += [kind(site, made[slug], it, self.said, until_) for it in made[sessions]]
        pages = [f"/campaigns/{made['labelled']}/board/", f"/campaigns/{made['judged']}/runs/{self.run}/"]
        self.owner = Owner(site, made["owner"], pages, self.said)
        self.crowd = Crowd(site.url, made["heard"], made["listeners"], think=(2.4, 4.0), timeout_s=LONGEST_S)
        for thread in (*self.people, self.crowd, self.owner):
            thread.start()

    def acknowledged(self) -> dict[str, str]:
        """What was clicked under "overall" in each unit that the server said yes to."""
        clicked = {unit: said for person in self.people for unit, said in list(person.acknowledged.items())}
        heard = list(self.crowd.acknowledged) if self.crowd else []
        return clicked | {said.assignment: said.values["overall"] for said in heard}

    def wait_a_moment(self, least: float = 0.7, most: float = 3.0) -> None:
        time.sleep(self.rng.uniform(least, most))

    def settle(self) -> None:
        """Everybody comes to an end, and so does the run; boards know all votes. Raises TimeoutError."""
        crowd = self.crowd
        assert crowd
        after, heard = {it: len(it.acknowledged) for it in self.voters}, len(crowd.acknowledged)
        left = LONGEST_S
        until(lambda: not any(it.is_alive() for it in self.labellers), "everybody has answered everything", left)
        until(lambda: all(len(it.acknowledged) > n or it.stopped for it, n in after.items()), "voters go on", left)
        more = heard + len(self.made["listeners"])
        until(lambda: len(crowd.acknowledged) > more or not crowd.is_alive(), "listeners go on", left)
        crowd.stopping = True
        for it in self.voters:
            it.over = True
        until(lambda: not any(it.is_alive() for it in self.voters), "voters stop", left)
        until(lambda: not crowd.is_alive(), "listeners stop", left)
        until(lambda: self.is_over(self.run), "the run ends", left)

    def is_over(self, run: int) -> bool:
        status = self.installation.rows(f"SELECT status FROM judges_run WHERE id = {run}")[0][0]
        return status not in ("queued", "running")

    def judged(self) -> int:
        return int(self.installation.rows("SELECT COUNT(*) FROM judges_verdict WHERE status = 'ok'")[0][0])

    def end(self) -> None:
        for it in self.people:
            it.until, it.over = 0.0, True
        if self.owner:
            self.owner.over.set()
        if self.crowd:
            self.crowd.stopping, self.crowd.timeout_s = True, 0.0
        self.installation.end_all()
        for thread in (*self.people, self.crowd, self.owner):
            if thread and thread.ident is not None:
                thread.join(40)

    def restart(self, part: str) -> None:
        self.installation.end(part)
        self.installation.begin(part)


def start_judging(site: Site, slug: str) -> int:
    """The id of a run over the campaign."""
    return int(site.installation.shell(START.format(slug=slug)))


@dataclass
class Templates:
    """Installations that are filled once and copied for each fault."""

    folder: Path
    model_url: str
    postgres: Postgres | None = None
    redis: Redis | None = None
    _made: dict[str, dict[str, Any]] = field(default_factory=dict)

    @contextmanager
    def copied(
        self,
        name: str,
        rng: random.Random,
        *,
        scaled: bool,
        data: Path | None = None,
        postgres: Postgres | None = None,
        clock: Path | None = None,
    ) -> Iterator[Site]:
        """A fresh copy, with files in a folder and rows in a PostgreSQL of its own where they are given."""
        kind = "scaled" if scaled else "embedded"
        made = self._made.get(kind) or self._fill(kind)
        data = data or self.folder / name.replace(" ", "-")
        shutil.copytree(self.folder / kind, data, dirs_exist_ok=True)
        database = redis = ""
        if scaled:
            assert self.postgres
            assert self.redis
            self.redis.flush()
            database, redis = self._database(name.replace(" ", "-"), postgres), self.redis.url
        installation = Installation(data, database=database, redis=redis, clock=clock)
        site = Site(installation, made, rng, postgres or self.postgres, self.redis)
        try:
            yield site
        finally:
            site.end()

    def _database(self, name: str, postgres: Postgres | None) -> str:
        assert self.postgres
        if postgres is None:
            return self.postgres.make(name, template="scaled")
        return postgres.take(name, source=self.postgres.url("scaled"))

    def _fill(self, kind: str) -> dict[str, Any]:
        data = self.folder / kind
        shutil.rmtree(data, ignore_errors=True)  # of a fault before, if that was too slow to fill it
        data.mkdir()
        database = redis = ""
        if kind == "scaled":
            assert self.postgres
            assert self.redis
            database, redis = self.postgres.make(kind), self.redis.url
        fresh = Installation(data, database=database, redis=redis)
        fresh.manage("migrate", "--verbosity", "0")
        fresh.manage("collectstatic", "--no-input", "--verbosity", "0")
        made: dict[str, Any] = json.loads(fresh.shell(FILL.format(url=self.model_url)))
        self._made[kind] = made
        return made
