"""`manage.py import_likelihoods FILE --dataset SLUG --user NAME`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from campaigns.imports.rows import UnreadableManifest
from campaigns.models import Dataset
from measurements.likelihood.tables import import_likelihoods


class Command(BaseCommand):
    help = "Import per-token log-probabilities (JSON Lines, Parquet): model, pair, side, logprobs, …"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="JSON Lines or Parquet")
        parser.add_argument("--dataset", required=True, help="the dataset's short name, as in its address")
        parser.add_argument("--user", required=True, help="username of who imports them")

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']!r}.")
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        try:
            checked = import_likelihoods(dataset, options["file"], user=user)
        except (UnreadableManifest, OSError) as refusal:
            raise CommandError(str(refusal)) from refusal
        for problem in checked.problems:
            self.stdout.write(f"row {problem.row or '–'}: {problem.message}")
        if checked.problems:
            raise CommandError(f"{len(checked.problems)} faulty rows: nothing was written.")
        self.stdout.write(f"{len(checked.new)} sequences written, {checked.n_known} were there.")
