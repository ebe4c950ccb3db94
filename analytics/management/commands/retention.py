"""`manage.py retention`: what is not to be kept any longer, and with `--apply` it goes."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from analytics.retention.deletion import carry_out, set_retention, what_is_due
from campaigns.models import Campaign


class Command(BaseCommand):
    help = (
        "Say what is due to be forgotten and deleted in closed campaigns; with --apply do it. "
        "With a campaign and numbers of days, set how long that campaign keeps it."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--apply", action="store_true", help="forget and delete it, which cannot be undone")
        parser.add_argument("--campaign", help="the campaign's name in addresses")
        for name, what in (("identity", "who its annotators were"), ("audio", "its recordings")):
            parser.add_argument(
                f"--{name}-days",
                type=_days,
                metavar="DAYS",
                help=f"how long after its end {what} are kept: a number, 0 for ever, - as the installation has it",
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        if options["campaign"]:
            return self._set(options)
        if options["identity_days"] is not None or options["audio_days"] is not None:
            raise CommandError("Name the --campaign; the installation's numbers are in its settings.")
        now = timezone.now()
        dues = what_is_due(now)
        for due in dues:
            size = filesizeformat(due.file_bytes)
            self.stdout.write(
                f"{due.campaign.slug}: {len(due.people)} people to forget, {len(due.files)} files of sound ({size}) "
                f"and {len(due.exports)} exports to delete"
            )
        if options["apply"]:
            carry_out(dues, now=now)
            return self.stdout.write(f"Done, in {len(dues)} campaigns.")
        return self.stdout.write("Nothing was changed; --apply does it." if dues else "Nothing is due.")

    def _set(self, options: dict[str, Any]) -> None:
        campaign = Campaign.objects.filter(slug=options["campaign"]).first()
        if campaign is None:
            raise CommandError(f"There is no campaign {options['campaign']!r}.")
        kept = getattr(campaign, "retention", None)
        days = {}
        for name in ("identity_days", "audio_days"):
            said = options[name]
            days[name] = getattr(kept, name, None) if said is None else None if said == AS_INSTALLED else said
        row = set_retention(campaign, **days)
        self.stdout.write(f"{campaign.slug}: identities {_said(row.identity_days)}, audio {_said(row.audio_days)}.")


AS_INSTALLED = -1


def _days(text: str) -> int:
    if text == "-":
        return AS_INSTALLED
    if (days := int(text)) < 0:
        raise ValueError("a number of days is not negative")
    return days


def _said(days: int | None) -> str:
    return "as the installation has it" if days is None else f"{days} days" if days else "for ever"
