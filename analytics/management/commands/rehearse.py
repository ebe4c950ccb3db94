"""`manage.py rehearse`: a simulated panel answers a copy of a campaign, and the rules show what they catch."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from analytics.quality.evaluate import see
from analytics.quality.rules import rules_of
from analytics.simulation.rehearsal.database_copy import NoRoom, on_a_copy
from analytics.simulation.rehearsal.demo import demo_campaign
from analytics.simulation.rehearsal.playing import Player, play
from analytics.simulation.rehearsal.report import Report, by_kind, lines
from analytics.simulation.rehearsal.stage import copy_of, keep, owner_for_rehearsal, remove, remove_abandoned
from analytics.simulation.session import simulate
from campaigns.models import Campaign

EACH, UNITS = 10, 100


class Command(BaseCommand):
    help = (
        "Let ten of each kind of simulated annotator answer a copy of a campaign (or one made of the demo's script), "
        "and report whom its quality rules catch. The copy is removed afterwards; no real answer is touched. "
        "With SQLite all of it happens in a copy of the database, so that nobody waits for it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--campaign", metavar="SLUG", help="the campaign whose copy is rehearsed")
        parser.add_argument("--seed", type=int, default=0, help="the same seed plays the same panel")
        parser.add_argument("--each", type=int, default=EACH, help="annotators of each kind")
        parser.add_argument("--units", type=int, default=UNITS, help="units for each annotator")
        parser.add_argument("--sessions", type=int, default=0, help="also simulate so many sessions in memory alone")
        parser.add_argument("--keep", action="store_true", help="do not remove the copy, to look at its pages")
        parser.add_argument(
            "--output", type=Path, help="folder for the report; the data folder's rehearsals/ if not said"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        folder = options["output"] or settings.DATA_DIR / "rehearsals"
        name = options["campaign"] or "the demo's script"
        stem = folder / f"{name.replace(' ', '-').replace(chr(39), '')}-{options['seed']}"
        kept = stem.with_suffix(".sqlite3") if options["keep"] else None
        try:
            with on_a_copy(keep_as=kept):
                report, campaign = self._rehearsed(name, options)
        except NoRoom as refusal:
            raise CommandError(str(refusal)) from refusal
        self._print_report(report, stem)
        if kept:
            self.stdout.write(f"Kept as {campaign.slug}{_where_kept(kept)}")

    def _rehearsed(self, name: str, options: dict[str, Any]) -> tuple[Report, Campaign]:
        """The report, and the campaign that was played, which is gone unless it is kept."""
        remove_abandoned()
        campaign = self._stage(options["campaign"], seats=options["each"] * 6, seed=options["seed"])
        try:
            players = play(
                campaign, seed=options["seed"], each=options["each"], units=options["units"], progress=self._progress
            )
            return self._report(campaign, name, players, options), campaign
        finally:
            if options["keep"]:
                keep(campaign)
            else:
                remove(campaign)

    def _stage(self, slug: str | None, *, seats: int, seed: int) -> Campaign:
        if slug is None:
            return demo_campaign(owner_for_rehearsal(), seats=seats, seed=seed)
        original = Campaign.objects.filter(slug=slug).first()
        if original is None:
            raise CommandError(f"There is no campaign {slug!r}; its slug is the end of its address.")
        return copy_of(original, seats=seats)

    def _report(self, campaign: Campaign, name: str, players: list[Player], options: dict[str, Any]) -> Report:
        found = see(campaign).found
        rules = rules_of(campaign)
        sessions = []
        for seed in range(options["seed"], options["seed"] + options["sessions"]):
            kinds = by_kind(simulate(seed, rules=rules, each=options["each"]))
            sessions.append({kind.kind: kind.caught for kind in kinds})
        return Report(
            campaign=name,
            seed=options["seed"],
            units=options["units"],
            kinds=by_kind(player.caught() for player in players),
            silent=tuple(name for name, said in found.items() if all(one.value is None for one in said)),
            refused=sum(player.refused for player in players),
            sessions=tuple(sessions),
            each=options["each"],
        )

    def _print_report(self, report: Report, stem: Path) -> None:
        text = "\n".join(lines(report)) + "\n"
        stem.parent.mkdir(parents=True, exist_ok=True)
        stem.with_suffix(".txt").write_text(text, encoding="utf-8")
        stem.with_suffix(".json").write_text(json.dumps(report.document(), indent=2), encoding="utf-8")
        self.stdout.write(text)
        self.stdout.write(f"Saved as {stem}.txt and {stem}.json")

    def _progress(self, done: int, total: int) -> None:
        if done % 10 == 0 or done == total:
            self.stderr.write(f"{done} of {total} units")


def _where_kept(database: Path) -> str:
    """How to look at its pages, where they are in a copy of the database."""
    if not database.exists():
        return ""
    serve = "python manage.py serve --no-worker --no-prepare --port 8001"
    return f" in a copy of the database. To look at it: DATABASE_URL=sqlite:///{database.absolute()} {serve}"
