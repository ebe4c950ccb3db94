"""PostgreSQL, Redis and a small disk that nobody else uses, to be killed, flushed and filled."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import redis

from tests.browser.server import free_port

#: The system's user of PostgreSQL, which refuses to run as root.
POSTGRES = "postgres"
IS_ROOT = os.geteuid() == 0
TIMEOUT_S = 30.0


class NotHere(RuntimeError):
    """This machine lacks something that a fault needs. The message says what."""


class Postgres:
    """A cluster of its own."""

    def __init__(self, folder: Path, *, log: Path | None = None, options: Sequence[str] = ()) -> None:
        self.folder, self.port = folder / "cluster", free_port()
        self.log, self.options = log or folder / "postgres.log", options
        self.process: subprocess.Popen[bytes] | None = None
        give_to_postgres(folder)
        self._run("initdb", "--auth=trust", "--username=postgres", "--no-sync", str(self.folder))

    def url(self, name: str) -> str:
        return f"postgres://postgres@127.0.0.1:{self.port}/{name}"

    def start(self) -> None:
        """Start, after a kill with recovery, and wait until it answers."""
        places = ("-D", str(self.folder), "-p", str(self.port), "-h", "127.0.0.1")
        sockets = f"--unix_socket_directories={self.folder.parent}"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [_program("postgres"), *places, sockets, *self.options],
                stdout=log,
                stderr=log,
                start_new_session=True,
                **_as_postgres(),
            )
        until(self._answers, "PostgreSQL answers")

    def kill(self) -> None:
        """All its processes at once, as a power cut would."""
        assert self.process is not None
        pids = [self.process.pid, *children_of(self.process.pid)]
        for pid in pids:
            _kill(pid)
        self.process.wait()
        until(lambda: not any(is_alive(pid) for pid in pids), "PostgreSQL is gone")

    @property
    def ended_itself(self) -> bool:
        return self.process is not None and self.process.poll() is not None

    def make(self, name: str, *, template: str = "template1") -> str:
        """A new database; return its address.

        Without the checkpoint PostgreSQL 15 does not log the next values of a copied database's sequences, and gives
        them out again after a crash.
        """
        with psycopg.connect(self.url("postgres"), autocommit=True) as line:
            line.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
            line.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
            line.execute("CHECKPOINT")
        return self.url(name)

    def take(self, name: str, *, source: str) -> str:
        """A database with what the one at that address has; return its address."""
        address = self.make(name)
        dumped = subprocess.run([_program("pg_dump"), "--dbname", source], check=True, capture_output=True)
        psql = [_program("psql"), "--quiet", "--set", "ON_ERROR_STOP=1", "--dbname", address]
        subprocess.run(psql, input=dumped.stdout, check=True, capture_output=True)
        return address

    def _answers(self) -> bool:
        if self.ended_itself:
            raise NotHere(f"PostgreSQL ended: {self.log.read_text(encoding='utf-8')[-500:]}")
        try:
            psycopg.connect(self.url("postgres"), connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run([_program(program), *arguments], check=True, capture_output=True, **_as_postgres())


class Redis:
    """A server without files: what it had is gone with it."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        if (program := shutil.which("redis-server")) is None:
            raise NotHere("redis-server is not installed")
        self.process = subprocess.Popen(
            [program, "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        until(self._answers, "Redis answers")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def flush(self) -> None:
        with redis.Redis.from_url(self.url) as line:
            line.flushall()

    def _answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url) as line:
                return bool(line.ping())
        except redis.ConnectionError:
            return False


class SmallDisk:
    """A file system of so many MB in memory, with a file that takes all the room that is left."""

    def __init__(self, folder: Path, *, megabytes: int) -> None:
        self.folder, self.megabytes = folder, megabytes

    def fill(self) -> None:
        """Until not one block is left: what is freed meanwhile is taken too."""
        with self._ballast.open("ab", buffering=0) as file:
            for size in (1 << 20, 1 << 12):
                try:
                    while True:
                        file.write(bytes(size))
                except OSError:
                    continue

    def make_room(self) -> None:
        self._ballast.unlink(missing_ok=True)

    @property
    def _ballast(self) -> Path:
        return self.folder / "ballast"


@contextmanager
def small_disk(folder: Path, *, megabytes: int) -> Iterator[SmallDisk]:
    """Mounted at the folder, and taken away at the end. Raises NotHere for somebody who may not mount."""
    folder.mkdir(exist_ok=True)
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "earshot-faults", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        raise NotHere(f"no small file system can be mounted here, only root may: {made.stderr.strip()}")
    try:
        yield SmallDisk(folder, megabytes=megabytes)
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def give_to_postgres(folder: Path) -> None:
    """PostgreSQL of a root user runs as another one, who has to get there."""
    if IS_ROOT:
        shutil.chown(folder, POSTGRES)
        for above in (folder, *folder.parents):
            above.chmod(above.stat().st_mode | 0o011) if above != Path("/") else None


def children_of(pid: int) -> list[int]:
    """Of what is gone already: none."""
    try:
        return [int(it) for it in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """What died and was not fetched by its parent, as in a container without an init, is dead, too."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def until(true: Callable[[], bool], what: str, seconds: float = TIMEOUT_S) -> None:
    """Raises TimeoutError, which names what was waited for."""
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds:.0f} s for this: {what}")
        time.sleep(0.05)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def _program(name: str) -> str:
    places = [shutil.which(name), *sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)]
    if found := next((str(it) for it in places if it), None):
        return found
    raise NotHere(f"{name} of PostgreSQL is not installed")


def _as_postgres() -> dict[str, Any]:
    return {"user": POSTGRES, "group": POSTGRES} if IS_ROOT else {}
