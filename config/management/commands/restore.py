"""`manage.py restore <folder>`: a backup into an empty installation, compared with what it was."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.operations.backup_manifest import BackupFailed
from config.operations.backups import restore


class Command(BaseCommand):
    help = "Put a backup into this installation, which must be empty and stopped, and compare the two."
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where the backup is")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            held = restore(options["folder"])
        except BackupFailed as failure:
            raise CommandError(str(failure)) from failure
        rows, files = sum(held.rows.values()), len(held.files)
        self.stdout.write(f"{rows} rows and {files} files are back, each table and file as on {held.made_at}.")
