"""A real server of the product in processes of its own, with a database and a data folder of its own."""

import fcntl
import itertools
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest

from tests.paths import PROJECT

DATABASE, REDIS_DATABASE = "earshot_browser_tests", 9
#: Tests run side by side, and each of their processes has databases of its own.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
#: Where ports of servers begin, and how many each process of the tests has for itself. A run on PostgreSQL has others
#: than one on SQLite that runs at the same time.
FIRST_PORT, PORTS_OF_A_PROCESS, MOST_PROCESSES = 20_000, 700, 8
#: Two runs of the tests side by side rarely begin at the same port, and what one took, the other passes over.
_ports = itertools.count(os.getpid())


class Server:
    """Started, killed and started again as a test likes. On PostgreSQL and Redis a Celery worker runs beside it.

    *like* is a server that was prepared and not started: this one begins with a copy of its files and rows.
    A *shared* one has a database that is not named after the process of the tests; it is made unless it is *there*.
    """

    def __init__(
        self,
        data: Path,
        *,
        name: str = DATABASE,
        redis_database: int = REDIS_DATABASE,
        like: "Server | None" = None,
        shared: bool = False,
        there: bool = False,
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = data
        self.env = os.environ | {"EARSHOT_DATA": str(data), "SECRET_KEY": "browser-tests", "LOG_LEVEL": "WARNING"}
        self.env.pop("DJANGO_SETTINGS_MODULE", None)
        self.is_prepared = like is not None
        self.processes: list[subprocess.Popen[bytes]] = []
        if redis := self.env.get("REDIS_URL"):
            self.env["REDIS_URL"] = urlsplit(redis)._replace(path=f"/{redis_database + int(WORKER[2:])}").geturl()
        if database := self.env.get("DATABASE_URL"):
            own = name if shared else f"{name}_{WORKER}"
            self.env["DATABASE_URL"] = urlsplit(database)._replace(path=f"/{own}").geturl()
            if not there:
                create_database(database, own, like)
        if like and not there:
            shutil.copytree(like.data, data, dirs_exist_ok=True)

    def manage(self, *arguments: str) -> None:
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=PROJECT, env=self.env, check=True)

    def shell(self, code: str) -> str:
        """What the code prints."""
        command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
        return subprocess.run(command, cwd=PROJECT, env=self.env, check=True, capture_output=True, text=True).stdout

    def start(self, *, worker: bool = True) -> None:
        without = ([] if worker else ["--no-worker"]) + (["--no-prepare"] if self.is_prepared else [])
        web = self._spawn(sys.executable, "manage.py", "serve", "--port", str(self.port), *without)
        if "REDIS_URL" in self.env and worker:
            self.start_worker()
        wait_for(self.url + "/accounts/login/", process=web)

    def start_worker(self) -> None:
        """A Celery worker and the beat, on Redis."""
        celery = ("celery", "-A", "config", "worker", "--beat", "--schedule", str(self.data / "beat"))
        self._spawn(sys.executable, "-m", *celery, "--concurrency", "1", "--loglevel", "WARNING")

    def start_web(self, host: str, port: int) -> "subprocess.Popen[bytes]":
        """A web process at this address, which may not answer yet."""
        command = ("serve", "--host", host, "--port", str(port), "--no-worker")
        return self._spawn(sys.executable, "manage.py", *command)

    def start_another(self) -> str:
        """One more web process beside those that run, on a port of its own; return its address."""
        port = free_port()
        web = self.start_web("127.0.0.1", port)
        wait_for(url := f"http://127.0.0.1:{port}/accounts/login/", process=web)
        return url.removesuffix("/accounts/login/")

    def kill(self) -> None:
        """End every process at once, as a power cut would."""
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes = []

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What the database really holds."""
        if "DATABASE_URL" in self.env:
            with psycopg.connect(self.env["DATABASE_URL"]) as database:
                return database.execute(sql).fetchall()  # type: ignore[call-overload]
        database = sqlite3.connect(self.data / "earshot.sqlite3")
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()

    def _spawn(self, *command: str) -> "subprocess.Popen[bytes]":
        self.processes.append(subprocess.Popen(command, cwd=PROJECT, env=self.env, start_new_session=True))
        return self.processes[-1]


def create_database(url: str, name: str, like: Server | None) -> None:
    """On the PostgreSQL of this URL, with what *like* holds; one of this name that is there is dropped."""
    template = urlsplit(like.env["DATABASE_URL"]).path[1:] if like else "template1"
    with psycopg.connect(url, autocommit=True) as database:
        database.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        database.execute(f"CREATE DATABASE {name} TEMPLATE {template}")


def prepared_once(
    factory: pytest.TempPathFactory, name: str, prepare: Callable[[Server], None], like: Server | None = None
) -> Server:
    """A server for others to be `like`, prepared by the first of the tests' processes to come, and never started."""
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    folder = (factory.getbasetemp() if alone else factory.getbasetemp().parent) / name
    ready = folder.with_suffix(".ready")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder.mkdir(exist_ok=True)
        server = Server(folder, name=f"earshot_{name}", like=like, shared=True, there=ready.exists())
        if not ready.exists():
            prepare(server)
            ready.touch()
    return server


def free_port() -> int:
    """A port that nobody listens at and that stays free until it is used.

    It lies below those that the system gives to outgoing connections (32768 and up on Linux): a server is often
    prepared for half a minute before it listens, and any query to PostgreSQL in that time could take such a port.
    Each process of the tests has ports of its own; those of another run lock the same files.
    """
    folder = Path(gettempdir()) / f"earshot-ports-of-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    process = int(WORKER[2:]) % MOST_PROCESSES + MOST_PROCESSES * ("DATABASE_URL" in os.environ)
    first = FIRST_PORT + PORTS_OF_A_PROCESS * process
    for _ in range(PORTS_OF_A_PROCESS):
        port = first + next(_ports) % PORTS_OF_A_PROCESS
        lock = os.open(folder / str(port), os.O_CREAT | os.O_RDWR)  # held until this process ends
        with socket.socket() as probe, suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            probe.bind(("127.0.0.1", port))
            return port
        os.close(lock)
    raise OSError(f"No port is free from {first} to {first + PORTS_OF_A_PROCESS - 1}.")


def wait_for(url: str, seconds: float = 60, process: "subprocess.Popen[bytes] | None" = None) -> None:
    """Until the address answers. A process that ended will never answer, and is named at once."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            urllib.request.urlopen(url, timeout=2).close()
        except OSError as error:
            if process and process.poll() is not None:
                raise RuntimeError(f"The server for {url} ended with status {process.returncode}.") from error
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
