"""`manage.py rebuild_standings`: every board's standing from its votes again; `--check` only compares."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from arena.standings import check_latest, write_rebuilt


class Command(BaseCommand):
    help = (
        "Compute every board's latest standing from its votes again, and append what differs. With --check nothing "
        "is written, and the exit status is 1 unless each is equal bit by bit or only behind new votes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare, and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(check_latest())
        for it in found:
            said = "equal" if it.equal else "behind" if it.behind else "WRONG"
            self.stdout.write(f"{said}: {it.standing}, made {it.standing.created_at:%Y-%m-%d %H:%M}")
        wrong = [it for it in found if not it.equal and not it.behind]
        if options["check"] and wrong:
            raise CommandError(f"{len(wrong)} of {len(found)} standings are not what their votes give.")
        if not options["check"]:
            for it in found:
                if not it.equal:
                    write_rebuilt(it)
