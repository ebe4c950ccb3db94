"""The faults themselves: each strikes some time into the load, is mended, and strikes again. A blow is yielded."""

import time
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.faults.installation import WEB, WORKER
from benchmarks.faults.people import Visitor
from benchmarks.faults.services import SmallDisk
from benchmarks.faults.site import Site

#: Who is told what, as a pattern.
Told = tuple[str, str]
NOT_REACHED: Told = ("annotator", "server could not be reached. Your choices are still here")
NOT_STORED: Told = ("annotator", "cannot store anything at the moment")
NO_DATABASE: Told = ("annotator", "database does not answer")
DISK_FULL: Told = ("annotator", "disk is full")
NO_WORKER: Told = ("researcher", "No worker is running")
NO_REDIS: Told = ("researcher", "Redis cannot be reached")


#: So long a fault has to last that somebody certainly meets it (s).
LONG_S = 4.0


class Blow(NamedTuple):
    """What was done and is over, and what people have to have been told meanwhile."""

    what: str
    told: tuple[Told, ...] = ()


Blows = Iterator[Blow]


def web_killed(site: Site) -> Blows:
    for _blow in range(4):
        site.wait_a_moment()
        site.installation.end(WEB)
        site.wait_a_moment(0.3, 1.0)
        site.installation.begin(WEB)
        yield Blow("SIGKILL of the web process", (NOT_REACHED,))


def worker_killed(site: Site) -> Blows:
    for _blow in range(3):
        site.wait_a_moment()
        site.restart(WORKER)
        yield Blow("SIGKILL of the worker and its processes")
    site.wait_a_moment()
    site.installation.end(WORKER)
    time.sleep(18)  # after 15 s pages say that nobody is there
    site.installation.begin(WORKER)
    yield Blow("SIGKILL of the worker, gone for 18 s", (NO_WORKER,))


def postgres_killed(site: Site) -> Blows:
    assert site.postgres
    for away in (0.0, 1.0, 5.0):
        site.wait_a_moment()
        site.postgres.kill()
        time.sleep(away)
        site.postgres.start()
        said = (NO_DATABASE,) if away >= LONG_S else ()
        yield Blow(f"SIGKILL of all of PostgreSQL, gone for {away:g} s and its recovery", said)


def redis_lost(site: Site) -> Blows:
    assert site.redis
    for _blow in range(2):
        site.wait_a_moment()
        site.redis.flush()
        yield Blow("FLUSHALL")
    for away in (0.5, 18.0):
        site.wait_a_moment()
        site.redis.kill()
        time.sleep(away)
        site.redis.start()
        said = (NO_REDIS,) if away >= 18 else ()
        yield Blow(f"SIGKILL of Redis, gone with all it had for {away:g} s", said)


def disk_full(site: Site, disk: SmallDisk) -> Blows:
    """Whatever the disk holds: all of an embedded installation, or PostgreSQL, which may end itself over it."""
    for full in (2.0, 4.0, 6.0):
        site.wait_a_moment()
        disk.fill()
        time.sleep(full)
        disk.make_room()
        if site.postgres and site.postgres.ended_itself:
            site.notes.append(f"PostgreSQL ended itself on the full disk ({full:g} s), and was started again")
            site.postgres.start()
        yield Blow(f"disk full for {full:g} s")  # both databases write on for a while in files that they have


def clock_moved(site: Site) -> Blows:
    """By what is written into the file that the installation's clock reads."""
    for hours in (26, -3):
        site.wait_a_moment()
        _set(site, hours)
        site.wait_a_moment(3.0, 5.0)
        _set(site, 0)
        yield Blow(f"clock moved by {hours:+} hours and back")
    site.wait_a_moment()
    _set(site, 26)
    site.wait_a_moment(3.0, 5.0)
    status, _page = Visitor(site.installation, site.made["leaver"]).fetch(f"/label/{site.made['labelled']}/")
    site.notes.append(f"somebody took a unit while the clock was ahead, and left ({status})")
    site.installation.end(WEB)
    _set(site, 0)
    site.installation.begin(WEB)
    yield Blow("clock 26 hours ahead, SIGKILL of the web process, clock set back", (NOT_REACHED,))


def _set(site: Site, hours: int) -> None:
    assert site.installation.clock
    site.installation.clock.write_text(str(3600 * hours), encoding="ascii")
