"""`manage.py seed_demo [--clips FOLDER] [--no-arena]`: speech with planted defects, campaigns, an arena, people."""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from accounts.models import User
from arena.demo import seed_votes
from arena.settings.setup import Terms, arena_of, set_arena
from campaigns.background.jobs import JobFailed
from campaigns.clips.audio_delivery import highest_target_for_all, prepare_audio_of
from campaigns.datasets.planted_labels import label_what_was_planted
from campaigns.datasets.units import imported_pairs, pairs_of_systems
from campaigns.demo.speech import write_demo_dataset
from campaigns.imports.audio_files import FolderAudio
from campaigns.imports.uploads import check_manifest
from campaigns.imports.writing import Destination, write
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.models import Campaign, Dataset, Role
from campaigns.people.members import add_member
from judges.runs.keyless import start_offline_judges
from protocols import SHIPPED

DATASET = "Demo: six synthetic voices"
PASSWORD = "listen-closely"  # noqa: S105 - printed at every start, for a server on the loopback alone
PEOPLE = ("annotator", "researcher", "admin")
#: What `--clips` makes of a folder of recordings, and of the labels that its table may have.
TABLE = "manifest.csv"
REAL, REAL_LABELS, REAL_CAMPAIGN = "Demo: real recordings", "People", "Demo: real recordings, side by side"
ARENA = "Demo: arena with simulated voters"
CAMPAIGNS = {"hcot": "Demo: which answer is better?", "hcot_guided": "Demo: step by step"}


class Command(BaseCommand):
    help = "Seed the demo. Run again, it changes nothing; run after a kill, it completes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-arena", action="store_false", dest="arena", help="leave out the arena and its voters"
        )
        parser.add_argument("--clips", type=Path, help="folder with a manifest.csv and the recordings that it names")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["clips"] and not (options["clips"] / TABLE).is_file():
            raise CommandError(f"There is no {TABLE} in {options['clips']}.")
        people = {name: self._person(name) for name in PEOPLE}
        dataset = Dataset.objects.filter(name=DATASET).first() or self._import(people["researcher"])
        for protocol, title in CAMPAIGNS.items():
            campaign = Campaign.objects.filter(title=title).first()
            campaign = campaign or self._draft(dataset, protocol, title, people["researcher"])
            add_member(campaign, user=people["annotator"], role=Role.ANNOTATOR)
            self._launch(campaign)
            label_what_was_planted(campaign, user=people["researcher"])
        if options["arena"]:
            self._open_arena(dataset, people)
        # The first one is judged in the background, once the server is there; the demo starts no later for it.
        judged = Campaign.objects.get(title=next(iter(CAMPAIGNS.values())))
        start_offline_judges(judged, user=people["researcher"])
        if options["clips"]:
            self._add_recordings(options["clips"], people)
        self.stdout.write(f"Log in as {', '.join(PEOPLE)}; the password of each is {PASSWORD}")

    def _person(self, name: str) -> User:
        existing = User.objects.filter(username=name).first()
        return existing or User.objects.create_user(
            username=name, password=PASSWORD, is_researcher=name == "researcher", is_superuser=name == "admin"
        )

    def _import(self, user: User) -> Dataset:
        with tempfile.TemporaryDirectory() as folder:
            manifest = write_demo_dataset(Path(folder))
            files = FolderAudio(Path(folder))
            checked = check_manifest(manifest, files, dataset_name=DATASET, label_set_name="", progress=_quiet)
            if checked.errors:
                raise CommandError(f"The demo speech is faulty: {checked.errors[0].message}")
            return write(checked, files, Destination(DATASET, "", user), progress=_quiet)

    def _add_recordings(self, folder: Path, people: dict[str, User]) -> None:
        """A second dataset from somebody's folder, imported as any other is; its pairs in a campaign, judged too."""
        manifest, user = folder / TABLE, people["researcher"]
        if not Dataset.objects.filter(name=REAL).exists():
            known_by = {"dataset": REAL, "labels": REAL_LABELS, "user": user.username}
            call_command("import_dataset", manifest, audio=folder, stdout=self.stdout, stderr=self.stderr, **known_by)
        campaign = Campaign.objects.filter(title=REAL_CAMPAIGN).first()
        campaign = campaign or self._draft(Dataset.objects.get(name=REAL), "hcot", REAL_CAMPAIGN, user)
        add_member(campaign, user=people["annotator"], role=Role.ANNOTATOR)
        self._launch(campaign)
        start_offline_judges(Campaign.objects.get(pk=campaign.pk), user=user)

    def _open_arena(self, dataset: Dataset, people: dict[str, User]) -> None:
        """Of every pair of systems on every item, with votes there already, so that its board has much to show."""
        campaign = Campaign.objects.filter(title=ARENA).first() or self._draft_arena(dataset, people["researcher"])
        add_member(campaign, user=people["annotator"], role=Role.ANNOTATOR)
        self._launch(campaign)
        campaign.refresh_from_db()
        if (arena := arena_of(campaign)) and campaign.takes_answers:
            seed_votes(arena)

    @transaction.atomic
    def _draft_arena(self, dataset: Dataset, user: User) -> Campaign:
        campaign = create_campaign(
            dataset, title=ARENA, protocol=SHIPPED["blind_overall"], units=pairs_of_systems(dataset), user=user
        )
        set_arena(campaign, terms=Terms())
        return campaign

    def _draft(self, dataset: Dataset, protocol: str, title: str, user: User) -> Campaign:
        units = imported_pairs(dataset) or pairs_of_systems(dataset, per_pair=2)
        return create_campaign(
            dataset, title=title, protocol=SHIPPED[protocol], units=units, user=user, answers_per_unit=2
        )

    def _launch(self, campaign: Campaign) -> None:
        """Prepare the audio here and now, at the loudest target that every clip allows, and open."""
        if campaign.status != Campaign.Status.DRAFT:
            return
        try:
            prepare_audio_of(str(campaign.pk), _quiet)
        except JobFailed:
            campaign.refresh_from_db()
            Campaign.objects.filter(pk=campaign.pk).update(target_lufs=highest_target_for_all(campaign))
            prepare_audio_of(str(campaign.pk), _quiet)
        open_campaign(campaign)


def _quiet(done: int, total: int, note: str) -> None:
    """The demo is made in seconds; nobody needs to watch."""
