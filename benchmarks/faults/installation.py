"""One installation of the product, whose web process and worker can be killed one by one."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from benchmarks.faults.services import children_of, is_alive, until
from tests.browser.server import Server, free_port, wait_for
from tests.paths import PROJECT

WEB, WORKER = "web", "worker"
#: A busy machine takes so long to start a web process, at most (s).
STARTS_S = 120.0
#: And so long to fill a database, at most (s).
FILLS_S = 600.0


class Installation(Server):
    """Embedded, or scaled where addresses of PostgreSQL and Redis are given. Everything goes to one log."""

    def __init__(self, data: Path, *, database: str = "", redis: str = "", clock: Path | None = None) -> None:
        self.data, self.clock = data, clock
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        given = {"DATABASE_URL": database, "REDIS_URL": redis, "EARSHOT_DATA": str(data)}
        self.env = {name: it for name, it in os.environ.items() if name not in (*given, "DJANGO_SETTINGS_MODULE")}
        self.env |= {name: it for name, it in given.items() if it}
        self.env |= {"SECRET_KEY": "only-for-faults", "LOG_LEVEL": "WARNING", "MODELS_ON_PRIVATE_ADDRESSES": "true"}
        self.parts: dict[str, subprocess.Popen[bytes]] = {}
        self.log = data.parent / f"{data.name}.log"

    @property
    def is_scaled(self) -> bool:
        return "REDIS_URL" in self.env

    def begin(self, part: str) -> None:
        """Start the web process, and wait until it answers; or a worker."""
        if part == WEB:
            self._part(WEB, "serve", "--port", str(self.port))
            wait_for(self.url + "/healthz", STARTS_S)
        elif self.is_scaled:
            beat = ("--beat", "--schedule", str(self.data / "beat"))
            self._part(WORKER, "celery", "-A", "config", "worker", *beat, "-c", "4", "-l", "WARNING")

    def shell(self, code: str) -> str:
        """What the code prints. Raises RuntimeError with what it said where it fails."""
        command = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
        done = subprocess.run(
            command, cwd=PROJECT, env=self.env, capture_output=True, text=True, check=False, timeout=FILLS_S
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-1500:])
        return done.stdout

    def begin_all(self) -> None:
        self.begin(WORKER)
        self.begin(WEB)

    def end(self, part: str) -> None:
        """SIGKILL, and for all that it has started: a worker has processes of its own."""
        process = self.parts.pop(part)
        children = children_of(process.pid)
        with suppress(ProcessLookupError):  # it may have ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        until(lambda: not any(is_alive(pid) for pid in children), "processes of the worker are gone")

    def end_all(self) -> None:
        for part in list(self.parts):
            self.end(part)

    def is_up(self, part: str) -> bool:
        return part in self.parts and self.parts[part].poll() is None

    def _part(self, name: str, *command: str) -> None:
        env = self.env if self.clock is None else self.env | {"FAULTS_CLOCK": str(self.clock)}
        with self.log.open("ab") as log:
            self.parts[name] = subprocess.Popen(
                [sys.executable, "-m", "benchmarks.faults.hurried", *command],
                cwd=PROJECT,
                env=env,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
