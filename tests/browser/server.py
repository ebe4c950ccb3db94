"""A real server of the product in processes of its own, with a database and a data folder of its own."""

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
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg

from tests.paths import PROJECT

DATABASE, REDIS_DATABASE = "earshot_browser_tests", 9
#: Tests run side by side, and each of their processes has databases of its own.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0")
#: Where ports of servers begin, and how many each process of the tests has for itself.
FIRST_PORT, PORTS_OF_A_PROCESS = 20_000, 1_000
#: Two runs of the tests side by side rarely begin at the same port.
_ports = itertools.count(os.getpid())


class Server:
    """Started, killed and started again as a test likes. On PostgreSQL and Redis a Celery worker runs beside it.

    *like* is a server that was prepared and not started: this one begins with a copy of its files and rows.
    """

    def __init__(
        self,
        data: Path,
        *,
        name: str = DATABASE,
        redis_database: int = REDIS_DATABASE,
        like: "Server | None" = None,
    ) -> None:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.data = data
        self.env = os.environ | {"EARSHOT_DATA": str(data), "SECRET_KEY": "browser-tests", "LOG_LEVEL": "WARNING"}
        self.env.pop("DJANGO_SETTINGS_MODULE", None)
        self.processes: list[subprocess.Popen[bytes]] = []
        if redis := self.env.get("REDIS_URL"):
            self.env["REDIS_URL"] = urlsplit(redis)._replace(path=f"/{redis_database + int(WORKER[2:])}").geturl()
        if database := self.env.get("DATABASE_URL"):
            template = urlsplit(like.env["DATABASE_URL"]).path[1:] if like else "template1"
            self.env["DATABASE_URL"] = self._own_database(database, f"{name}_{WORKER}", template)
        if like:
            shutil.copytree(like.data, data, dirs_exist_ok=True)

    def manage(self, *arguments: str) -> None:
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=PROJECT, env=self.env, check=True)

    def shell(self, code: str) -> str:
        """What the code prints."""
        command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
        return subprocess.run(command, cwd=PROJECT, env=self.env, check=True, capture_output=True, text=True).stdout

    def start(self, *, worker: bool = True) -> None:
        without = [] if worker else ["--no-worker"]
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

    def _own_database(self, url: str, name: str, template: str) -> str:
        with psycopg.connect(url, autocommit=True) as database:
            database.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            database.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return urlsplit(url)._replace(path=f"/{name}").geturl()


def free_port() -> int:
    """A port that nobody listens at and that stays free until it is used.

    It lies below those that the system gives to outgoing connections (32768 and up on Linux): a server is often
    prepared for half a minute before it listens, and any query to PostgreSQL in that time could take such a port.
    Each process of the tests has ports of its own.
    """
    first = FIRST_PORT + PORTS_OF_A_PROCESS * (int(WORKER[2:]) % 8)
    for _ in range(PORTS_OF_A_PROCESS):
        port = first + next(_ports) % PORTS_OF_A_PROCESS
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
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
