"""`manage.py import_verdicts TABLE --campaign SLUG --user NAME`: verdicts of a judge that ran elsewhere."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.http import Http404

from accounts.models import User
from campaigns.access import Right, campaign_for
from campaigns.imports.rows import UnreadableManifest, stream_rows
from judges.imported.plan import (
    KNOWN_COLUMNS,
    UnusableColumns,
    VerdictsPlan,
    find_columns,
    plan_verdicts,
    rows_of_judges,
)
from judges.imported.writing import VerdictsRefused, units_by_key, write_verdicts

MOST_SHOWN = 20


class Command(BaseCommand):
    help = "Import a table of verdicts (CSV, JSON, JSON Lines): one row per judge, unit, order and aspect."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, JSON or JSON Lines")
        parser.add_argument("--campaign", required=True, help="slug of the campaign whose units were judged")
        parser.add_argument("--user", required=True, help="username of somebody who manages the campaign")
        parser.add_argument("--judge", default="", help="name of the judge, where no column has it")
        parser.add_argument("--order", default="", choices=["ab", "ba"], help="where no column has it")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="PART=NAME",
            help=f"which column holds a part ({', '.join(KNOWN_COLUMNS)})",
        )
        parser.add_argument("--settings-columns", default="", help="columns that tell judges apart, with commas")
        parser.add_argument("--dry-run", action="store_true", help="check everything and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        try:
            campaign = campaign_for(user, options["campaign"], Right.MANAGE)
            plan = plan_verdicts(
                rows := rows_of_judges(stream_rows(options["table"])),
                find_columns(
                    rows,
                    named=dict(pair.split("=", 1) for pair in options["column"]),
                    settings=tuple(filter(None, options["settings_columns"].split(","))),
                    judge=options["judge"],
                    order=options["order"],
                ),
                protocol=campaign.protocol,
                units=units_by_key(campaign),
            )
            self._show(plan)
            if plan.errors:
                raise CommandError(f"{len(plan.errors)} errors: nothing was written.")
            if not options["dry_run"]:
                done = write_verdicts(campaign, plan, user=user)
                self.stdout.write(
                    self.style.SUCCESS(f"{len(done.runs)} runs: {done.new} verdicts came, {done.there} were there.")
                )
        except (Http404, PermissionDenied, OSError, UnreadableManifest, UnusableColumns, VerdictsRefused) as refusal:
            raise CommandError(str(refusal)) from refusal

    def _show(self, plan: VerdictsPlan) -> None:
        for problem in plan.problems[:MOST_SHOWN]:
            place = f"row {problem.row}" if problem.row else "file"
            self.stdout.write(f"{problem.severity}: {place}, {problem.field}: {problem.message}")
        if (more := len(plan.problems) - MOST_SHOWN) > 0:
            self.stdout.write(f"and {more} more")
        for (name, settings), verdicts in plan.judges.items():
            said = ", ".join([name, *(f"{it} {value}" for it, value in settings if value)])
            self.stdout.write(f"{said}: {len(verdicts)} verdicts")
