"""`manage.py serve`: the web server, with the worker inside it in the embedded mode."""

from argparse import ArgumentParser
from typing import Any

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand

from config.celery import app
from config.private_files import tighten
from config.sqlite.statistics import analyse
from config.worker import start_in_process_worker


class Command(BaseCommand):
    help = "Serve Earshot. Without REDIS_URL a worker runs inside this process; with it, start Celery workers."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen at")
        parser.add_argument("--port", type=int, default=8000, help="port to listen at")
        parser.add_argument("--no-worker", action="store_true", help="serve pages only, in the embedded mode too")

    def handle(self, *args: Any, **options: Any) -> None:
        if changed := tighten():
            self.stdout.write(f"Now for this user alone: {', '.join(map(str, changed))}")
        if settings.EMBEDDED and not options["no_worker"]:
            analyse()
            start_in_process_worker(app)
        self.stdout.write(
            f"Earshot is at http://{options['host']}:{options['port']} (Ctrl+C stops it; nothing is lost)"
        )
        uvicorn.run(
            "config.asgi:application",
            host=options["host"],
            port=options["port"],
            lifespan="off",
            log_level="warning",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # config/asgi.py reads them
            server_header=False,
        )
