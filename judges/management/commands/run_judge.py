"""`manage.py run_judge CAMPAIGN JUDGE [--orders both] [--samples 3] [--budget 5] [--here]`."""

from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.http import Http404

from accounts.models import User
from campaigns.access import Right, campaign_for
from infrastructure.whole_numbers import whole_number
from judges.definitions.judges import judges_for, make_judge
from judges.kinds import KINDS
from judges.models import ACTIVE, Judge, Run
from judges.runs.baselines import start_baselines
from judges.runs.lifecycle import CannotRun, Plan, start_run
from judges.runs.progress import progress_of
from judges.runs.worker import work_in_slot

ALL_OFFLINE = "offline"


class Command(BaseCommand):
    help = (
        "Have a judge judge every unit of a campaign. JUDGE is the number or the title of a judge, or the name of a "
        "kind that needs no model and has its usual settings; `offline` means every judge that the demo starts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's name in addresses")
        parser.add_argument(
            "judge", help="its title or its number, a kind that asks no model, or offline for all of those"
        )
        parser.add_argument("--user", required=True, help="username of the account that runs it")
        parser.add_argument(
            "--orders", choices=Run.Orders.values, default=Run.Orders.BOTH, help="in which units are put"
        )
        parser.add_argument("--samples", type=int, default=1, help="how often each unit in each order")
        parser.add_argument("--budget", help="US dollars")
        parser.add_argument("--here", action="store_true", help="work in this process until the run ends")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["user"]).first()
        if user is None:
            raise CommandError(f"There is no user {options['user']!r}.")
        try:
            campaign = campaign_for(user, options["campaign"], Right.MANAGE)
            plan = Plan(
                orders=options["orders"], samples=options["samples"], budget_usd=self._budget(options["budget"])
            )
            if options["judge"] == ALL_OFFLINE:
                runs = start_baselines(campaign, user=user, plan=plan)
            else:
                runs = [start_run(campaign, self._judge(options["judge"], user), plan=plan, user=user)]
        except (CannotRun, PermissionDenied, Http404) as refusal:
            raise CommandError(str(refusal)) from refusal
        for run in runs:
            self.stdout.write(f"Run {run.pk}, {run.judge}: {run.verdicts.count()} verdicts to do.")
        if not runs:
            self.stdout.write("Every judge that needs no key and fits this protocol has a run already.")
        for run in runs if options["here"] else ():
            self._work(run)

    def _judge(self, name: str, user: User) -> Judge:
        rows = judges_for(user)
        number = whole_number(name)
        found = rows.filter(title=name) if number is None else rows.filter(pk=number)
        if judge := found.first():
            return judge
        if (kind := KINDS.get(name)) and not kind.asks_model:
            return make_judge(kind, title=kind.title, settings={}, language_model=None, user=user)
        known = ", ".join(f"{row.pk} ({row.title})" for row in rows) or "none"
        raise CommandError(f"There is no judge {name!r} among yours; there are: {known}.")

    def _budget(self, text: str | None) -> Decimal | None:
        try:
            return Decimal(text) if text else None
        except InvalidOperation as error:
            raise CommandError(f"{text!r} is no number of dollars.") from error

    def _work(self, run: Run) -> None:
        """As a worker would, side by side with others that may be there."""
        while run.status in ACTIVE:
            said = sum(work_in_slot(pk) for pk in run.worker_slots.values_list("pk", flat=True))
            run.refresh_from_db()
            if not said and run.status in ACTIVE:
                self.stderr.write("Another worker is at it; this one leaves it to that.")
                return
        progress = progress_of(run)
        self.stdout.write(
            f"{run.get_status_display()}: {progress.read} read, {progress.missing} missing of {progress.total}; "
            f"${run.spent_usd:.4f}. {run.message}".strip()
        )
