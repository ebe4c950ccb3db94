"""`manage.py backup <folder>`: database and files, while everything runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.backups import BackupFailed, back_up


class Command(BaseCommand):
    help = (
        "Copy database and files into a new folder while Earshot runs. Files in earlier backups beside it are shared."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            made = back_up(options["folder"])
        except BackupFailed as failure:
            raise CommandError(str(failure)) from failure
        self.stdout.write(f"{sum(made.rows.values())} rows and {len(made.files)} files are in {options['folder']}.")
