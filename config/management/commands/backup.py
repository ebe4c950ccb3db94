"""`manage.py backup <folder> [--check] [--keep N]`: database and files, while everything runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config.operations.backup_manifest import BackupFailed
from config.operations.backups import back_up, check, thin


class Command(BaseCommand):
    help = (
        "Copy database and files into a new folder while Earshot runs. Files in earlier backups beside it are shared."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="where the backup goes")
        parser.add_argument(
            "--check",
            action="store_true",
            help="then restore it to a scratch place and compare; of a folder that is there, this alone",
        )
        parser.add_argument("--keep", type=int, metavar="N", help="then remove all but the newest N beside it")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        if options["keep"] is not None and options["keep"] < 1:
            raise CommandError("Keep at least one.")
        try:
            if not (options["check"] and folder.exists()):
                made = back_up(folder)
                self.stdout.write(f"{sum(made.rows.values())} rows and {len(made.files)} files are in {folder}.")
            if options["check"]:
                held = check(folder)
                self.stdout.write(f"Restored aside and compared: {len(held.rows)} tables, {len(held.files)} files.")
            if options["keep"]:
                self.stdout.write(f"{len(thin(folder.parent, keep=options['keep']))} older backups were removed.")
        except BackupFailed as failure:
            raise CommandError(str(failure)) from failure
