"""`manage.py import_metric_scores FILE --dataset SLUG`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from campaigns.imports.rows import UnreadableManifest
from campaigns.models import Dataset
from measurements.scores.tables import import_scores


class Command(BaseCommand):
    help = "Import scores of metrics that were computed elsewhere (CSV, JSON Lines): system, metric, value, item, …"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="CSV or JSON Lines")
        parser.add_argument("--dataset", required=True, help="the dataset's short name, as in its address")

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']!r}.")
        try:
            checked = import_scores(dataset, options["file"])
        except (UnreadableManifest, OSError) as refusal:
            raise CommandError(str(refusal)) from refusal
        for problem in checked.problems:
            self.stdout.write(f"row {problem.row or '–'}: {problem.message}")
        if checked.problems:
            raise CommandError(f"{len(checked.problems)} faulty rows: nothing was written.")
        self.stdout.write(f"{len(checked.new)} scores written, {checked.n_known} were there.")
