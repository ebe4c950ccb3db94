"""`manage.py serve`: the web server, with the worker inside it in the embedded mode."""

import errno
import socket
from argparse import ArgumentParser
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand

from accounts.setup.first_administrator import has_administrator, new_setup_code
from config.celery import app
from config.operations.installation import prepare_installation
from config.operations.private_files import tighten
from config.serving.requests.addresses import local_address, setup_address
from config.serving.requests.request_heads import BoundedHeads
from config.serving.worker import start_in_process_worker
from config.sqlite.statistics import analyse
from infrastructure.background.leases import release_all
from infrastructure.live.consumer import LONGEST_MESSAGE
from infrastructure.tasks import beat_task

#: Exit status where it could not listen, as uvicorn's own command has it.
STARTUP_FAILURE = 3


class AnnouncingServer(uvicorn.Server):
    """Says where it is once it listens there, and not before: an address that is printed can be opened."""

    def __init__(self, config: uvicorn.Config, *, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._announce()


class Command(BaseCommand):
    help = (
        "Prepare what is missing (tables, static files, translations) and serve Earshot. "
        "Without REDIS_URL a worker runs inside this process; with it, start Celery workers."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
        parser.add_argument("--port", type=int, default=8000, help="port to listen at")
        parser.add_argument("--no-worker", action="store_true", help="serve pages only, in the embedded mode too")
        parser.add_argument(
            "--no-prepare", action="store_true", help="do not migrate or collect static files; something else does"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        self._require_free(options["host"], options["port"])
        if changed := tighten():
            self._say(f"Now for this user alone: {', '.join(map(str, changed))}")
        if not options["no_prepare"]:
            prepare_installation(self._say)
        if settings.EMBEDDED and not options["no_worker"]:
            analyse()
            release_all()
            start_in_process_worker(app)
            beat_task.delay()  # the first page should not say that no worker runs
        address = local_address(options["host"], options["port"])
        told = [f"Earshot is at {address} (Ctrl+C stops it; nothing is lost)"]
        if not options["no_prepare"]:
            told += self._how_to_begin(address)
        config = uvicorn.Config(
            "config.asgi:application",
            host=options["host"],
            port=options["port"],
            http=BoundedHeads,  # without it one request of 100 MB of headers takes a minute and 700 MB of memory
            lifespan="off",
            log_level="warning",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # config/asgi.py reads them
            server_header=False,
            ws_max_size=LONGEST_MESSAGE,
        )
        server = AnnouncingServer(config, announce=lambda: self._say("\n".join(told)))
        with suppress(KeyboardInterrupt):
            server.run()
        if not server.started:
            raise SystemExit(STARTUP_FAILURE)

    def _require_free(self, host: str, port: int) -> None:
        """Before anything is prepared, which takes a while. Raises SystemExit."""
        try:
            family, kind, *_rest, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            with socket.socket(family, kind) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind(address)
        except OSError as error:
            told = f"Cannot listen at {host}, port {port}: {error.strerror}."
            if error.errno == errno.EADDRINUSE:
                told += " Another program does; choose another port with --port, or PORT=… with make."
            self.stderr.write(told)
            raise SystemExit(STARTUP_FAILURE) from error

    def _how_to_begin(self, address: str) -> list[str]:
        """The one-time address, while there is no administrator. Logs of the scaled mode are gathered elsewhere."""
        if has_administrator():
            return []
        if not settings.EMBEDDED:
            told = "`python manage.py first_administrator` prints a one-time address"
            return [f"There is no administrator yet. To become it, {told}."]
        told = f"open this address within a day, once:\n\n    {setup_address(address, new_setup_code())}\n"
        return [f"There is no administrator yet. To become it, {told}"]

    def _say(self, told: str) -> None:
        """At once: what follows may take long, or for ever."""
        self.stdout.write(told)
        self.stdout.flush()
