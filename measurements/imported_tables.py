"""Tables of facts that were computed elsewhere: what a table brings, and the command that takes one in."""

from argparse import ArgumentParser
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from django.core.management.base import BaseCommand, CommandError

from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.plan import Problem
from corpus.imports.reasons import INTO_ARCHIVED
from corpus.models import Dataset
from infrastructure.wording.reasons import Reasoned

Key = TypeVar("Key")
Made = TypeVar("Made")


class FaultyRow(Reasoned, ValueError):
    """A row that cannot be taken."""


@dataclass
class CheckedTable(Generic[Key, Made]):
    """The rows of a table that are new, how many were there already, and what is wrong, row by row.

    `n_left_out` scores are no numbers, in a file in which that is usual. `unused` columns are none of scores.
    """

    new: dict[Key, Made] = field(default_factory=dict)
    n_known: int = 0
    n_left_out: int = 0
    problems: list[Problem] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    @property
    def n_new(self) -> int:
        return len(self.new)


class ImportCommand(BaseCommand):
    """Takes a file of facts about a dataset; `rows` is what they are called."""

    rows = ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="CSV, JSON Lines or Parquet")
        parser.add_argument("--dataset", required=True, help="the dataset's short name, as in its address")

    def take(self, dataset: Dataset, options: dict[str, Any]) -> CheckedTable[Any, Any]:
        """Write the rows of the file, or none where one is at fault."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - as Django calls it
        dataset = Dataset.objects.filter(slug=options["dataset"]).first()
        if dataset is None:
            raise CommandError(f"There is no dataset {options['dataset']!r}.")
        if dataset.archived_at is not None:
            raise CommandError(INTO_ARCHIVED(name=dataset.name))
        try:
            checked = self.take(dataset, options)
        except (UnreadableManifest, OSError) as refusal:
            raise CommandError(str(refusal)) from refusal
        for problem in checked.problems:
            self.stdout.write(f"row {problem.row or '–'}: {problem.message}")
        if checked.problems:
            raise CommandError(f"{len(checked.problems)} faulty rows: nothing was written.")
        left_out = f" {checked.n_left_out} are no numbers, and are left out." if checked.n_left_out else ""
        unused = f" Columns that are not used: {', '.join(checked.unused)}." if checked.unused else ""
        self.stdout.write(f"{checked.n_new} {self.rows} written, {checked.n_known} were there.{left_out}{unused}")
