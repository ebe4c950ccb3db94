"""The machine that a benchmark ran on, and what a server's processes use of it."""

import os
import platform
import sys
import time
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

from tests.browser.server import Server

TICKS = os.sysconf("SC_CLK_TCK")
PACKAGES = ("Django", "uvicorn", "channels", "celery", "psycopg")


@dataclass
class Usage:
    """Seconds of the processor by who used them, and the memory they hold (RSS in MB, of each process)."""

    cpu_s: dict[str, float] = field(default_factory=dict)
    rss_mb: dict[str, list[int]] = field(default_factory=dict)

    def __sub__(self, before: "Usage") -> "Usage":
        return Usage({who: used - before.cpu_s.get(who, 0.0) for who, used in self.cpu_s.items()}, self.rss_mb)


def described() -> dict[str, object]:
    """Cores, memory, processor, versions and how busy it was."""
    cpu = next(line for line in _read("/proc/cpuinfo").splitlines() if line.startswith("model name"))
    memory = int(_read("/proc/meminfo").split()[1]) / 1024**2
    return {
        "cores": os.cpu_count(),
        "memory_gb": round(memory, 1),
        "processor": cpu.partition(": ")[2],
        "system": platform.platform(),
        "python": sys.version.split()[0],
        "packages": {name: version(name) for name in PACKAGES},
        "day": time.strftime("%Y-%m-%d"),
        "load at the start": os.getloadavg()[0],
    }


def usage_of(server: Server) -> Usage:
    """So far. `client` is this process; `others` all else that it did, its own upkeep included."""
    usage = Usage()
    for pid, who in sorted(_processes(server).items()):
        usage.cpu_s[who] = usage.cpu_s.get(who, 0.0) + _cpu_s(pid)
        usage.rss_mb.setdefault(who, []).append(_rss_mb(pid))
    usage.cpu_s["client"] = time.process_time()
    # user, nice, system, (idle, iowait,) irq, softirq, steal: what could not be had is no less gone.
    ticks = [int(it) for it in _read("/proc/stat").split()[1:9]]
    usage.cpu_s["others"] = sum(ticks[:3] + ticks[5:]) / TICKS - sum(usage.cpu_s.values())
    return usage


def _processes(server: Server) -> dict[int, str]:
    """The server's processes with all that they started, and PostgreSQL's that serve its database."""
    groups = {process.pid: "worker" if "celery" in str(process.args) else "web" for process in server.processes}
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and (stat := _stat(int(folder.name))) and int(stat[2]) in groups:
            found[int(folder.name)] = groups[int(stat[2])]
    if "DATABASE_URL" in server.env:
        backends = server.rows("SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
        found |= {int(pid): "postgresql" for (pid,) in backends if _stat(pid)}
    return found


def _stat(pid: int) -> list[str]:
    """What follows the name in /proc/pid/stat; nothing where the process is gone."""
    try:
        return _read(f"/proc/{pid}/stat").rsplit(")", 1)[1].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def _cpu_s(pid: int) -> float:
    stat = _stat(pid)
    return (int(stat[11]) + int(stat[12])) / TICKS if stat else 0.0


def _rss_mb(pid: int) -> int:
    stat = _stat(pid)
    return int(stat[21]) * os.sysconf("SC_PAGE_SIZE") // 1024**2 if stat else 0


def _read(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
