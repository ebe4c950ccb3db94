"""`manage.py import_unit_numbers FILE --dataset SLUG`."""

from argparse import ArgumentParser
from typing import Any

from corpus.models import Dataset
from measurements.imported_tables import CheckedTable, ImportCommand
from measurements.unit_numbers import import_numbers


class Command(ImportCommand):
    help = "Import numbers about units that were found elsewhere (CSV, JSON Lines): the unit's key, and their columns"
    rows = "numbers"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--key", default="", help="the column with the unit's key; else unit, item_id, index, pair"
        )
        parser.add_argument("--columns", nargs="*", default=(), help="the columns to take; else all others")

    def take(self, dataset: Dataset, options: dict[str, Any]) -> CheckedTable[Any, Any]:
        return import_numbers(dataset, options["file"], key=options["key"], columns=options["columns"])
