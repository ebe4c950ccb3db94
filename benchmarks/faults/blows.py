"""The faults themselves: each strikes some time into the load, is mended, and strikes again. A blow is yielded."""

import time
from collections.abc import Iterator

from benchmarks.faults.installation import WEB, WORKER
from benchmarks.faults.people import Visitor
from benchmarks.faults.services import SmallDisk
from benchmarks.faults.site import Site

Blows = Iterator[str]


def web_killed(site: Site) -> Blows:
    for _blow in range(4):
        site.wait_a_moment()
        site.installation.end(WEB)
        site.wait_a_moment(0.3, 1.0)
        site.installation.begin(WEB)
        yield "SIGKILL of the web process"


def worker_killed(site: Site) -> Blows:
    for _blow in range(3):
        site.wait_a_moment()
        site.restart(WORKER)
        yield "SIGKILL of the worker and its processes"
    site.wait_a_moment()
    site.installation.end(WORKER)
    time.sleep(18)  # after 15 s pages say that nobody is there
    site.installation.begin(WORKER)
    yield "SIGKILL of the worker, gone for 18 s"


def postgres_killed(site: Site) -> Blows:
    assert site.postgres
    for away in (0.0, 1.0, 5.0):
        site.wait_a_moment()
        site.postgres.kill()
        time.sleep(away)
        site.postgres.start()
        yield f"SIGKILL of all of PostgreSQL, gone for {away:g} s and its recovery"


def redis_lost(site: Site) -> Blows:
    assert site.redis
    for _blow in range(2):
        site.wait_a_moment()
        site.redis.flush()
        yield "FLUSHALL"
    for away in (0.5, 18.0):
        site.wait_a_moment()
        site.redis.kill()
        time.sleep(away)
        site.redis.start()
        yield f"SIGKILL of Redis, gone with all it had for {away:g} s"


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
        yield f"disk full for {full:g} s"


def clock_moved(site: Site) -> Blows:
    """By what is written into the file that the installation's clock reads."""
    for hours in (26, -3):
        site.wait_a_moment()
        _set(site, hours)
        site.wait_a_moment(3.0, 5.0)
        _set(site, 0)
        yield f"clock moved by {hours:+} hours and back"
    site.wait_a_moment()
    _set(site, 26)
    site.wait_a_moment(3.0, 5.0)
    status, _page = Visitor(site.installation, site.made["leaver"]).fetch(f"/label/{site.made['labelled']}/")
    site.notes.append(f"somebody took a unit while the clock was ahead, and left ({status})")
    site.installation.end(WEB)
    _set(site, 0)
    site.installation.begin(WEB)
    yield "clock 26 hours ahead, SIGKILL of the web process, clock set back"


def _set(site: Site, hours: int) -> None:
    assert site.installation.clock
    site.installation.clock.write_text(str(3600 * hours), encoding="ascii")
