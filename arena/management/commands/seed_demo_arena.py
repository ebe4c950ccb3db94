"""`manage.py seed_demo_arena`: an arena over the dataset of `seed_demo_studies`."""

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.models import User
from arena.settings.setup import Terms, arena_of, set_arena
from arena.staff.demo_votes import seed_votes
from campaigns.demo.campaigns import draft_demo, launch_demo
from campaigns.models import Campaign
from corpus.datasets.units import pairs_of_systems
from corpus.demo.speech import DEMO_DATASET
from corpus.models import Dataset

TITLE = "Demo: arena with simulated voters"


class Command(BaseCommand):
    help = "Seed the arena of the demo, of every pair of systems on every item, with votes for its board to show."

    def handle(self, *args: Any, **options: Any) -> None:
        dataset = Dataset.objects.get(name=DEMO_DATASET)
        campaign = Campaign.objects.filter(title=TITLE).first() or self._draft(dataset)
        launch_demo(campaign, annotator=User.objects.get(username="annotator"))
        campaign.refresh_from_db()
        if (arena := arena_of(campaign)) and campaign.takes_answers:
            seed_votes(arena)

    @transaction.atomic
    def _draft(self, dataset: Dataset) -> Campaign:
        units, user = pairs_of_systems(dataset), dataset.created_by
        campaign = draft_demo(dataset, title=TITLE, protocol="blind_overall", units=units, user=user)
        set_arena(campaign, terms=Terms())
        # In lists, whose first is the newest, it comes after the study that people and judges have answered.
        Campaign.objects.filter(pk=campaign.pk).update(created_at=dataset.created_at)
        return campaign
