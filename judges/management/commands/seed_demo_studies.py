"""`manage.py seed_demo_studies [--clips FOLDER]`: people, speech with planted defects, campaigns."""

import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from accounts.login.demo_password import DEMO_PASSWORD
from accounts.models import User
from campaigns.demo.campaigns import draft_demo, launch_demo
from campaigns.demo.planted_labels import label_what_was_planted
from campaigns.models import Campaign
from corpus.datasets.units import imported_pairs, pairs_of_systems
from corpus.demo.speech import DEMO_DATASET, write_demo_dataset
from corpus.imports.files.audio_files import FolderAudio
from corpus.imports.uploads.checking import check_manifest
from corpus.imports.writing import Destination, write
from corpus.models import Dataset, Unit

PEOPLE = ("annotator", "researcher", "admin")
#: What `--clips` makes of a folder of recordings, and of the labels that its table may have.
TABLE = "manifest.csv"
REAL, REAL_LABELS, REAL_CAMPAIGN = "Demo: real recordings", "People", "Demo: real recordings, side by side"
#: The one with people and judges is made last: the newest campaign is the first of every list.
CAMPAIGNS = {"hcot_guided": "Demo: step by step", "hcot": "Demo: which answer is better?"}


class Command(BaseCommand):
    help = "Seed the studies of the demo. Run again, it changes nothing; run after a kill, it completes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--clips", type=Path, help="folder with a manifest.csv and the recordings that it names")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["clips"] and not (options["clips"] / TABLE).is_file():
            raise CommandError(f"There is no {TABLE} in {options['clips']}.")
        people = {name: self._person(name) for name in PEOPLE}
        dataset = Dataset.objects.filter(name=DEMO_DATASET).first() or self._import(people["researcher"])
        for protocol, title in CAMPAIGNS.items():
            campaign = Campaign.objects.filter(title=title).first()
            campaign = campaign or self._draft(dataset, protocol, title, people["researcher"])
            launch_demo(campaign, annotator=people["annotator"])
            pairs = Unit.objects.filter(pk__in=campaign.campaign_units.values("unit")).order_by("pk")
            label_what_was_planted(dataset, pairs, user=people["researcher"])
        if options["clips"]:
            self._add_recordings(options["clips"], people)
        self.stdout.write(f"Log in as {', '.join(PEOPLE)}; the password of each is {DEMO_PASSWORD}")

    def _person(self, name: str) -> User:
        existing = User.objects.filter(username=name).first()
        return existing or User.objects.create_user(
            username=name,
            password=DEMO_PASSWORD,
            is_researcher=name == "researcher",
            is_superuser=name == "admin",
            is_demo=True,
        )

    def _import(self, user: User) -> Dataset:
        self.stdout.write("Speech with planted defects, and its import: this takes about a minute …")
        with tempfile.TemporaryDirectory() as folder:
            manifest = write_demo_dataset(Path(folder))
            files = FolderAudio(Path(folder))
            checked = check_manifest(manifest, files, dataset_name=DEMO_DATASET, label_set_name="", progress=_quiet)
            if checked.errors:
                raise CommandError(f"The demo speech is faulty: {checked.errors[0].message}")
            made = write(checked, files, Destination(DEMO_DATASET, "", user), progress=_quiet)
        Dataset.objects.filter(pk=made.pk).update(is_demo=True)
        return made

    def _add_recordings(self, folder: Path, people: dict[str, User]) -> None:
        """A second dataset from the user's folder, imported as any other is; its pairs in a campaign."""
        manifest, user = folder / TABLE, people["researcher"]
        if not Dataset.objects.filter(name=REAL).exists():
            known_by = {"dataset": REAL, "labels": REAL_LABELS, "user": user.username}
            call_command("import_dataset", manifest, audio=folder, stdout=self.stdout, stderr=self.stderr, **known_by)
            Dataset.objects.filter(name=REAL).update(is_demo=True)
        campaign = Campaign.objects.filter(title=REAL_CAMPAIGN).first()
        campaign = campaign or self._draft(Dataset.objects.get(name=REAL), "hcot", REAL_CAMPAIGN, user)
        launch_demo(campaign, annotator=people["annotator"])

    def _draft(self, dataset: Dataset, protocol: str, title: str, user: User) -> Campaign:
        self.stdout.write(f"The campaign “{title}” …")
        units = imported_pairs(dataset) or pairs_of_systems(dataset, per_pair=2)
        return draft_demo(dataset, title=title, protocol=protocol, units=units, user=user, answers_per_unit=2)


def _quiet(done: int, total: int, note: str) -> None:
    """One line says beforehand what is made; its rows are few."""
