"""`manage.py import_study FOLDER_OR_ZIP --dataset NAME --user NAME`: a study as it was exported for Hugging Face."""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from analytics.study_imports.uploads import look_at_study, take_in
from corpus.imports.checks.result import Report
from corpus.imports.files.audio_files import MissingAudio, UnusableArchive
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.uploads.actions import PEOPLE
from corpus.imports.writing import ArchivedDataset, Destination, PlanRefused, require_open_dataset

MAX_NAME = 200


class Command(BaseCommand):
    help = "Take in a whole study: the export for Hugging Face, as a ZIP or unpacked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", type=Path, help="the ZIP, or the folder that was in it")
        parser.add_argument("--dataset", required=True, help="name of the dataset that is made")
        parser.add_argument("--labels", default=PEOPLE, help="name of the labels of its people")
        parser.add_argument("--user", required=True, help="username of the owner")
        parser.add_argument("--dry-run", action="store_true", help="check everything and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        for name in ("dataset", "labels"):
            if not 0 < len(options[name]) <= MAX_NAME:
                raise CommandError(f"--{name} is to have 1 to {MAX_NAME} characters.")
        destination = Destination(options["dataset"], options["labels"], user)
        Path(settings.MEDIA_ROOT).mkdir(parents=True, exist_ok=True)
        try:
            require_open_dataset(destination.dataset_name, user)
            with tempfile.TemporaryDirectory(dir=settings.MEDIA_ROOT, prefix=".unfinished-") as work:
                self._take_in(options["study"], Path(work), destination, dry_run=options["dry_run"])
        except (
            UnreadableManifest, UnusableArchive, MissingAudio, PlanRefused, PermissionDenied, ArchivedDataset, OSError
        ) as refusal:  # fmt: skip
            raise CommandError(f"{refusal} Nothing was written.") from refusal

    def _take_in(self, study: Path, work: Path, destination: Destination, *, dry_run: bool) -> None:
        files, checked = look_at_study(study, work, dataset_name=destination.dataset_name, progress=self._show)
        self._show_report(checked.report())
        if checked.errors:
            raise CommandError(f"{len(checked.errors)} errors: nothing was written.")
        if not dry_run:
            dataset = take_in(files, checked, destination, self._show)
            campaign = dataset.campaigns.get()
            self.stdout.write(self.style.SUCCESS(f"Imported into dataset {dataset.slug}, campaign {campaign.slug}."))

    def _show(self, done: int, total: int, note: str) -> None:
        if done == total or done % 1000 == 0:
            self.stderr.write(f"{note}: {done} of {total}")

    def _show_report(self, report: Report) -> None:
        for problem in report["problems"]:
            place = f"row {problem['row']}" if problem["row"] else "file"
            self.stdout.write(f"{problem['severity']}: {place}, {problem['field']}: {problem['message']}")
        counts = ("items", "responses", "units", "clips", "annotators", "annotations", "runs", "verdicts")
        self.stdout.write(", ".join(f"{report[name]} {name}" for name in counts))
