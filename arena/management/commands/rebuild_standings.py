"""`manage.py rebuild_standings`: kept counts and every board's standing from the answers; `--check` only compares."""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.data.votes.counts import Repaired, campaigns_with_answers, faults, repair
from arena.standings.refresh import check_latest, write_rebuilt
from campaigns.models import Campaign


class Command(BaseCommand):
    help = (
        "Count the votes of every campaign from its answers again, and compute every board's latest standing; write "
        "what differs. With --check nothing is written, and the exit status is 1 unless the counts are those of the "
        "answers and each standing is equal bit by bit or only behind new votes."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="compare, and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        check = bool(options["check"])
        counts = self._counts(faults if check else repair)
        found = list(check_latest())
        for it in found:
            said = "equal" if it.equal else "behind" if it.behind else "WRONG"
            self.stdout.write(f"{said}: {it.standing}, made {it.standing.created_at:%Y-%m-%d %H:%M}")
        wrong = [it for it in found if not it.equal and not it.behind]
        if check and counts:
            raise CommandError(f"The kept counts of {counts} campaigns are not those of their answers.")
        if check and wrong:
            raise CommandError(f"{len(wrong)} of {len(found)} standings are not what their votes give.")
        if not check:
            for it in found:
                if not it.equal:
                    write_rebuilt(it)

    def _counts(self, look: Callable[[Campaign], Repaired]) -> int:
        """Say what is wrong with whose counts; return how many they are."""
        wrong = [(campaign, found) for campaign in campaigns_with_answers() if (found := look(campaign))]
        for campaign, found in wrong:
            said = f"{found.votes} votes were not written down as they are, {found.counts} counts were no sums"
            self.stdout.write(f"COUNTS WRONG: {campaign}: {said}")
        return len(wrong)
