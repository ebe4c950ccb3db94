"""`manage.py import_verdicts TABLE --campaign SLUG --user NAME`: verdicts of a judge that ran elsewhere."""

import json
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from celery import current_app
from django.core.exceptions import PermissionDenied
from django.core.files import File
from django.core.management.base import BaseCommand, CommandError
from django.http import Http404

from accounts.models import User
from campaigns.access import Right, campaign_for
from campaigns.models import Campaign
from corpus.imports.files.rows import UnreadableManifest, place_in
from corpus.imports.mapping.encodings import table_rows
from corpus.imports.mapping.mapping import UnusableMapping
from corpus.imports.mapping.page.recipes import mapping_of
from infrastructure.background.jobs import run_job
from infrastructure.models import Job
from judges.imported.columns import KNOWN_COLUMNS, UnusableColumns
from judges.imported.reading import Options, plan_table
from judges.imported.uploads import KIND, ImportRefused, begin_verdict_import
from judges.imported.writing import title_of
from judges.models import VerdictImport

MOST_SHOWN = 20
WATCH_S = 1.0


def _mapping(path: Path) -> dict[str, Any]:
    """Raises OSError, UnusableMapping, and CommandError where it is no JSON."""
    try:
        return mapping_of(json.loads(path.read_text(encoding="utf-8"))).as_json()
    except ValueError as error:
        if isinstance(error, UnusableMapping):
            raise
        raise CommandError(f"{path} is not JSON: {error}") from error


class Command(BaseCommand):
    help = "Import a table of verdicts (CSV, JSON, JSON Lines): one row per judge, unit, order and aspect."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("table", type=Path, help="CSV, JSON or JSON Lines")
        parser.add_argument("--campaign", required=True, help="slug of the campaign whose units were judged")
        parser.add_argument("--user", required=True, help="username of an account that manages the campaign")
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
        parser.add_argument(
            "--unknown-as-missing",
            action="store_true",
            help="count values that the scale does not have as missing, rather than as faults",
        )
        parser.add_argument(
            "--mapping", type=Path, help="a JSON file: what each column becomes, or a recipe that was downloaded"
        )
        parser.add_argument("--dry-run", action="store_true", help="check everything and write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        row = None
        try:
            campaign = campaign_for(user, options["campaign"], Right.MANAGE)
            asked = Options(
                judge=options["judge"],
                order=options["order"],
                columns=dict(pair.split("=", 1) for pair in options["column"]),
                settings=tuple(filter(None, options["settings_columns"].split(","))),
                unknown_as_missing=options["unknown_as_missing"],
                mapping=_mapping(options["mapping"]) if options["mapping"] else {},
            )
            if options["dry_run"]:
                self._check(campaign, options["table"], asked)
            else:
                with options["table"].open("rb") as file:
                    row = begin_verdict_import(campaign, File(file), options=asked, user=user)
        except (
            Http404, PermissionDenied, OSError, UnreadableManifest, UnusableColumns, UnusableMapping, ImportRefused
        ) as refusal:  # fmt: skip
            raise CommandError(str(refusal)) from refusal
        if row:
            self._wait(row)

    def _check(self, campaign: Campaign, table: Path, asked: Options) -> None:
        plan = plan_table(table_rows(table), asked, campaign)
        self._show([problem.as_json() for problem in plan.problems], place_in(table))
        for key, verdicts in plan.judges.items():
            said = [title_of(key), *([key.condition.title] if key.condition else [])]
            self.stdout.write(f"{', '.join(said)}: {len(verdicts)} verdicts")
        if plan.errors:
            raise CommandError(f"{len(plan.errors)} errors: nothing would be written.")

    def _wait(self, row: VerdictImport) -> None:
        """Do the job, or watch the worker that took it first."""
        job = Job.objects.get(kind=KIND, subject=row.pk)
        current_app.loader.import_default_modules()  # the tasks, which register what jobs do
        run_job(job.pk)
        while Job.objects.get(pk=job.pk).is_active:
            time.sleep(WATCH_S)
        job.refresh_from_db()
        row.refresh_from_db()
        self._show(row.report.get("problems", []), row.report.get("place", "row"))
        if row.status != VerdictImport.Status.IMPORTED:
            raise CommandError(job.error or f"{row.report['errors']} errors: nothing was written.")
        report = row.report
        done = f"{len(report['runs'])} runs: {report['new']} new verdicts, {report['there']} already there."
        self.stdout.write(self.style.SUCCESS(done))

    def _show(self, problems: list[dict[str, Any]], called: str) -> None:
        for problem in problems[:MOST_SHOWN]:
            place = f"{called} {problem['row']}" if problem["row"] else "file"
            self.stdout.write(f"{problem['severity']}: {place}, {problem['field']}: {problem['message']}")
        if (more := len(problems) - MOST_SHOWN) > 0:
            self.stdout.write(f"and {more} more")
