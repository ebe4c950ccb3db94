"""`manage.py import_likelihoods FILE --dataset SLUG --user NAME`."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.models import User
from corpus.models import Dataset
from measurements.imported_tables import CheckedTable, ImportCommand
from measurements.likelihood.tables import import_likelihoods


class Command(ImportCommand):
    help = "Import per-token log-probabilities (JSON Lines, Parquet): model, pair, side, logprobs, …"
    rows = "sequences"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--user", required=True, help="username of who imports them")

    def take(self, dataset: Dataset, options: dict[str, Any]) -> CheckedTable[Any, Any]:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        return import_likelihoods(dataset, options["file"], user=user)
