"""`manage.py check_seats`: the numbers of taken seats held against the assignments; `--repair` counts them again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.assignment.seat_counts import repair_counts, wrong_counts


class Command(BaseCommand):
    help = (
        "Compare how many seats each unit says are taken with its assignments. The exit status is 1 where a number "
        "is wrong, unless --repair counts it again. People may go on labelling meanwhile."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="count again what is wrong")

    def handle(self, *args: Any, **options: Any) -> None:
        repair = bool(options["repair"])
        wrong = repair_counts() if repair else wrong_counts()
        for one in wrong:
            self.stdout.write(f"unit {one.unit}: {one.kept} seats stored as taken, {one.counted} counted")
        if wrong and not repair:
            raise CommandError(f"The seats of {len(wrong)} units are counted wrongly; --repair counts them again.")
        self.stdout.write(f"Counted again: {len(wrong)} units." if repair else "All seats are counted right.")
