"""`manage.py seed_demo_people`: simulated people have labelled the demo's first campaign, and its labels say so."""

from typing import Any

from django.core.management.base import BaseCommand

from analytics.simulation.demo_people import label_as_simulated_people
from campaigns.models import Campaign

TITLE = "Demo: which answer is better?"


class Command(BaseCommand):
    help = "Give the demo's first campaign the labels of simulated people. Run again, it changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        campaign = Campaign.objects.select_related("dataset__created_by").get(title=TITLE)
        label_as_simulated_people(campaign, user=campaign.dataset.created_by)
