"""`manage.py seed_demo_judges`: the baselines of the demo are started; workers judge once the server is there."""

from typing import Any

from django.core.management.base import BaseCommand

from campaigns.models import Campaign
from judges.management.commands.seed_demo_studies import CAMPAIGNS, REAL_CAMPAIGN
from judges.models import Judge, Run
from judges.runs.baselines import start_baselines

JUDGED = (CAMPAIGNS["hcot"], REAL_CAMPAIGN)


class Command(BaseCommand):
    help = "Start the judges that need no key over the demo's first campaign, and over one of your own recordings."

    def handle(self, *args: Any, **options: Any) -> None:
        stopped = Campaign.objects.filter(runs__status=Run.Status.CANCELLED)
        for campaign in Campaign.objects.filter(title__in=JUDGED).exclude(pk__in=stopped.values("pk")):
            start_baselines(campaign, user=campaign.created_by)
            Judge.objects.filter(runs__campaign=campaign, created_by__is_demo=True).update(is_demo=True)
