"""`manage.py export CAMPAIGN FORMAT [--to FILE]`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analytics.data.inclusion import MORE
from analytics.exports.formats.registry import FORMATS, formats_for
from analytics.exports.making import ExportRefused, file_name, require_names_shown, write_export
from analytics.exports.request import PSEUDONYMS, Wanted
from analytics.exports.source import Source
from campaigns.models import Campaign


class Command(BaseCommand):
    help = "Write the answers of a campaign to a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="its short name")
        parser.add_argument("format", choices=list(FORMATS), help="of the file")
        parser.add_argument(
            "--to", type=Path, help="the file; in this folder and named after the campaign if not said"
        )
        parser.add_argument(
            "--with", dest="more", action="append", default=[], choices=MORE, help="beside used answers"
        )
        parser.add_argument("--judges", action="store_true", help="with judges' verdicts, in the same columns")
        parser.add_argument("--text", action="store_true", help="with written texts")
        parser.add_argument(
            "--pseudonyms", choices=PSEUDONYMS, default="campaign", help="the campaign's, or new ones"
        )
        parser.add_argument("--licence", default="", help="for the dataset card, such as cc-by-4.0")
        parser.add_argument("--language", default="", help="for the dataset card, such as en")

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.select_related("dataset").filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        name = options["format"]
        if name not in {it.name for it in formats_for(campaign)}:
            raise CommandError(f"The answers of {campaign.slug} do not have the shape of {name}.")
        path = options["to"] or Path(file_name(campaign, name))
        wanted = ("text", "judges", "pseudonyms", "licence", "language")
        source = Source(
            campaign, Wanted(more=tuple(options["more"]), **{it: options[it] for it in wanted}), self._show
        )
        try:
            require_names_shown(campaign)
            n = write_export(source, name, path)
        except (ExportRefused, OSError) as refusal:
            raise CommandError(str(refusal)) from refusal
        for reason, count in source.left_out.items():
            self.stdout.write(f"{reason}: {count}")
        self.stdout.write(self.style.SUCCESS(f"{path}: {n} rows, {path.stat().st_size} bytes"))

    def _show(self, done: int, total: int, note: str) -> None:
        if done == total or done % 10_000 == 0:
            self.stderr.write(f"{note}: {done} of {total}")
