"""`manage.py seed_demo`: synthesised speech with planted defects, two campaigns, and three people."""

import tempfile
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from campaigns.demo.speech import write_demo_dataset
from campaigns.imports.audio_files import FolderAudio
from campaigns.imports.uploads import check_manifest
from campaigns.imports.writing import Destination, write
from campaigns.launch import create_campaign, open_campaign, preparation, set_loudness_target
from campaigns.members import add_member
from campaigns.models import Campaign, Dataset, Role
from campaigns.preparing import highest_target_for_all
from campaigns.protocols import SHIPPED
from campaigns.tasks import run_job_task
from campaigns.units import pairs_of_systems

DATASET = "Demo: six synthetic voices"
PASSWORD = "listen-closely"  # noqa: S105 - printed at every start, for a server on the loopback alone
PEOPLE = ("annotator", "researcher", "admin")
CAMPAIGNS = {"hcot": "Demo: which answer is better?", "hcot_guided": "Demo: step by step"}


class Command(BaseCommand):
    help = "Seed the demo. Run again, it changes nothing; run after a kill, it completes."

    def handle(self, *args: Any, **options: Any) -> None:
        people = {name: self._person(name) for name in PEOPLE}
        dataset = Dataset.objects.filter(name=DATASET).first() or self._import(people["researcher"])
        for protocol, title in CAMPAIGNS.items():
            campaign = Campaign.objects.filter(title=title).first()
            self._launch(campaign or self._draft(dataset, protocol, title, people), people["researcher"])
        self.stdout.write(f"Log in as {', '.join(PEOPLE)}; the password of each is {PASSWORD}")

    def _person(self, name: str) -> User:
        user, made = User.objects.get_or_create(
            username=name, defaults={"is_researcher": name == "researcher", "is_superuser": name == "admin"}
        )
        if made:
            user.set_password(PASSWORD)
            user.save(update_fields=["password"])
        return user

    def _import(self, user: User) -> Dataset:
        with tempfile.TemporaryDirectory() as folder:
            manifest = write_demo_dataset(Path(folder))
            files = FolderAudio(Path(folder))
            checked = check_manifest(manifest, files, dataset_name=DATASET, label_set_name="", progress=_quiet)
            if checked.errors:
                raise CommandError(f"The demo speech is faulty: {checked.errors[0].message}")
            return write(checked, files, Destination(DATASET, "", user), progress=_quiet)

    def _draft(self, dataset: Dataset, protocol: str, title: str, people: dict[str, User]) -> Campaign:
        campaign = create_campaign(
            dataset,
            title=title,
            protocol=SHIPPED[protocol],
            units=pairs_of_systems(dataset, per_pair=2),
            user=people["researcher"],
            answers_per_unit=2,
        )
        add_member(campaign, user=people["annotator"], role=Role.ANNOTATOR)
        return campaign

    def _launch(self, campaign: Campaign, user: User) -> None:
        """Prepare the audio at the loudest target that every clip allows, and open."""
        if campaign.status != Campaign.Status.DRAFT:
            return
        target = campaign.target_lufs
        for _ in range(2):
            run_job_task(str(set_loudness_target(campaign, target, user=user).pk))
            campaign.refresh_from_db()
            if not campaign.audio_problems:
                break
            target = highest_target_for_all(campaign)
        if (job := preparation(campaign)) and job.error:
            raise CommandError(job.error)
        open_campaign(campaign)


def _quiet(done: int, total: int, note: str) -> None:
    """The demo is made in seconds; nobody needs to watch."""
