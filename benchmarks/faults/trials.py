"""Every fault with where it strikes and what must be said, and how one of them is tried."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from benchmarks.faults import blows
from benchmarks.faults.invariants import (
    after_a_blow,
    broken_answers,
    broken_campaigns,
    broken_refusals,
    broken_seats,
    broken_standings,
    broken_verdicts,
    unsaid,
)
from benchmarks.faults.model import WAYS, ill, well
from benchmarks.faults.people import Owner
from benchmarks.faults.services import Postgres, small_disk, until
from benchmarks.faults.site import Site, Templates, start_judging
from benchmarks.faults.sizes import FEW
from tests.judges.server import FakeServer

#: Of an embedded installation with its files, and of PostgreSQL, which takes 16 MB of log at a time.
DISK_MB, POSTGRES_MB = 160, 220
#: A server that hangs is asked five times (s).
ILL_S = 180.0
SMALL_WAL = ("-c", "max_wal_size=48MB", "-c", "min_wal_size=32MB")


@dataclass
class Result:
    """What one fault did: figures, what no longer held, and what people were shown."""

    name: str
    where: str
    blows: list[str] = field(default_factory=list)
    acknowledged: int = 0
    refused: int = 0
    longest_wait_s: float = 0.0
    judged: int = 0
    broken: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    said: list[dict[str, str | int]] = field(default_factory=list)
    not_run: str = ""
    seconds: float = 0.0
    at: str = ""
    load: float = 0.0
    seed: int = 0
    machine: str = ""


#: How a fault is tried, whatever it is.
Try = Callable[["Trial", Templates, FakeServer, random.Random], Result]


def under_load(trial: "Trial", templates: Templates, _model: FakeServer, rng: random.Random) -> Result:
    """People and a judge at work, and the blows."""
    with templates.copied(trial.name, rng, scaled=trial.scaled) as site:
        assert trial.strikes
        return struck(trial, site, trial.strikes(site))


def on_a_full_disk(trial: "Trial", templates: Templates, _model: FakeServer, rng: random.Random) -> Result:
    with (
        small_disk(templates.folder / "small", megabytes=DISK_MB) as disk,
        templates.copied(trial.name, rng, scaled=False, data=disk.folder / "data") as site,
    ):
        return struck(trial, site, blows.disk_full(site, disk))


def on_a_full_disk_of_postgres(
    trial: "Trial", templates: Templates, _model: FakeServer, rng: random.Random
) -> Result:
    with small_disk(templates.folder / "small", megabytes=POSTGRES_MB) as disk:
        postgres = Postgres(disk.folder, log=templates.folder / "small.log", options=SMALL_WAL)
        postgres.start()
        try:
            with templates.copied(trial.name, rng, scaled=True, postgres=postgres) as site:
                return struck(trial, site, blows.disk_full(site, disk))
        finally:
            postgres.kill()


def on_a_clock_that_moves(trial: "Trial", templates: Templates, _model: FakeServer, rng: random.Random) -> Result:
    clock = templates.folder / "clock"
    clock.write_text("0", encoding="ascii")
    with templates.copied(trial.name, rng, scaled=False, clock=clock) as site:
        return struck(trial, site, blows.clock_moved(site))


def with_an_ill_model(trial: "Trial", templates: Templates, model: FakeServer, rng: random.Random) -> Result:
    """A run for each way to be ill; then the server is well, and a person asks for the failed ones again."""
    result = Result(trial.name, trial.where)
    with templates.copied(trial.name, rng, scaled=True) as site:
        ways = dict(zip(site.made["few"], WAYS, strict=True))
        runs = {slug: start_judging(site, slug) for slug in ways}
        owner = Owner(site.installation, site.made["owner"], [], site.said)
        model.steps = [partial(ill, ways)]
        site.installation.begin_all()
        for run in runs.values():
            until(partial(site.is_over, run), "the run over an ill server ends", ILL_S)
        for slug, run in runs.items():
            result.blows.append(f"the server {ways[slug]}")
            result.notes.append(f"the server {ways[slug]}: {owner.faults_of(slug, run)}")
        result.broken += [f"nothing is said: {it}" for it in result.notes if it.endswith(": ")]
        model.steps = [well]
        for slug, run in runs.items():
            owner.post(f"/campaigns/{slug}/runs/{run}/turn/again/")
        for run in runs.values():
            until(partial(site.is_over, run), "the run over a well server ends", ILL_S)
            result.broken += broken_verdicts(site, run=run, verdicts=2 * FEW)
        result.judged = site.judged()
    return result


@dataclass(frozen=True)
class Trial:
    """`must_say` has who has to be told what by the end, whichever blow brings it about."""

    name: str
    scaled: bool
    strikes: Callable[[Site], blows.Blows] | None = None
    must_say: tuple[blows.Told, ...] = ()
    tried: Try = under_load

    @property
    def where(self) -> str:
        return "PostgreSQL + Redis" if self.scaled else "SQLite"


def struck(trial: Trial, site: Site, strikes: blows.Blows) -> Result:
    """All blows, with a look after each at what holds under load; then everybody ends, and all is looked at."""
    result = Result(trial.name, trial.where)
    site.begin()
    seen, judged = dict(site.said.seen), 0
    for blow in strikes:
        result.blows.append(blow.what)
        wrong = [*after_a_blow(site, judged_before=judged), *unsaid(site.said.since(seen), blow.told)]
        result.broken += [f"after blow {len(result.blows)}: {it}" for it in wrong]
        seen, judged = dict(site.said.seen), site.judged()
    try:
        site.settle()
    except TimeoutError as error:
        result.broken.append(str(error))
    result.broken += broken_answers(site) + broken_seats(site) + broken_verdicts(site, run=site.run)
    result.broken += broken_standings(site) + broken_campaigns(site) + broken_refusals(site)
    result.broken += unsaid(set(site.said.seen), trial.must_say)
    fill_in(result, site)
    return result


def fill_in(result: Result, site: Site) -> None:
    refused = [it for person in site.people for it in person.refused]
    result.acknowledged = len(site.acknowledged())
    result.refused = len(refused)
    result.longest_wait_s = round(max(it.waited_s for it in site.people), 2)
    result.judged = site.judged()
    result.notes = [*site.notes, *(f"refused, and said so: {it}" for it in dict.fromkeys(refused))]
    result.said = site.said.rows()


TRIALS = (
    Trial("web killed", False, blows.web_killed),
    Trial("disk full", False, None, (blows.NOT_STORED, blows.DISK_FULL), on_a_full_disk),
    Trial("clock moved", False, None, (), on_a_clock_that_moves),
    Trial("web killed, scaled", True, blows.web_killed),
    Trial("worker killed", True, blows.worker_killed),
    Trial("PostgreSQL killed", True, blows.postgres_killed, (blows.NO_DATABASE,)),
    Trial("Redis lost", True, blows.redis_lost),
    Trial("PostgreSQL's disk full", True, None, (blows.NOT_STORED,), on_a_full_disk_of_postgres),
    Trial("judge's server ill", True, None, (), with_an_ill_model),
)
