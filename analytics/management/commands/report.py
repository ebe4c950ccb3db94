"""`manage.py report CAMPAIGN KIND [--set category=news …] [--format csv --figure KEY]`: a report on the terminal."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.reports.kinds import KINDS
from analytics.reports.output.files import csv_of, json_of, latex_of
from analytics.reports.pages.settings import no_choices, read_settings
from analytics.reports.storage import figures_of, report_of
from campaigns.models import Campaign


class Command(BaseCommand):
    help = "Compute a report of a campaign, or take the one that is kept, and write it as JSON, LaTeX or CSV."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's name in addresses")
        parser.add_argument("kind", choices=list(KINDS), help="as in the report's address")
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a filter or a choice, as addresses say it",
        )
        parser.add_argument("--format", choices=["json", "tex", "csv"], default="json", help="of what is written")
        parser.add_argument("--figure", help="one figure alone, by its key; a CSV has to have one")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = Campaign.objects.select_related("dataset").filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        kind = KINDS[options["kind"]]
        if why := kind.why_not(campaign):
            raise CommandError(why)
        said = dict(_pair(it) for it in options["set"])
        for _name, wrong in no_choices(campaign, kind, said):
            raise CommandError(wrong)
        report = report_of(campaign, kind, read_settings(campaign, kind, said))
        figures = [it for it in figures_of(report) if options["figure"] in (None, it.key)]
        if not figures:
            raise CommandError(f"This report has no figure {options['figure']!r}.")
        if options["format"] == "csv" and options["figure"] is None:
            raise CommandError(f"Name a --figure: {', '.join(it.key for it in figures)}.")
        written = {"json": lambda: json_of(report, figures), "tex": lambda: latex_of(figures, report)}
        self.stdout.write(csv_of(figures[0]) if options["format"] == "csv" else written[options["format"]]())


def _pair(said: str) -> tuple[str, str]:
    name, found, value = said.partition("=")
    if not found:
        raise CommandError(f"{said!r} does not say NAME=VALUE.")
    return name, value
