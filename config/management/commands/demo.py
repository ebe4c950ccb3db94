"""`manage.py demo`: everything from an empty folder to a served demo, in one process."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand

from config.operations.installation import prepare_installation


class Command(BaseCommand):
    help = "Migrate, collect static files, seed the demo and serve it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port to listen at")
        parser.add_argument("--clips", type=Path, help="folder of recordings to add, with its manifest.csv")

    def handle(self, *args: Any, **options: Any) -> None:
        prepare_installation()
        call_command("seed_demo", clips=options["clips"])
        call_command("serve", port=options["port"])
