"""`manage.py import_metric_scores FILE --dataset SLUG`."""

from typing import Any

from corpus.models import Dataset
from measurements.imported_tables import CheckedTable, ImportCommand
from measurements.scores.tables import import_scores


class Command(ImportCommand):
    help = "Import scores of metrics that were computed elsewhere (CSV, JSON Lines): system, metric, value, item, …"
    rows = "scores"

    def take(self, dataset: Dataset, options: dict[str, Any]) -> CheckedTable[Any, Any]:
        return import_scores(dataset, options["file"])
