"""`manage.py seed_demo [--clips FOLDER] [--no-arena]`: speech with planted defects, campaigns, people, an arena."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Seed the demo. Run again, it changes nothing; run after a kill, it completes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-arena", action="store_false", dest="arena", help="leave out the arena and its voters"
        )
        parser.add_argument("--clips", type=Path, help="folder with a manifest.csv and the recordings that it names")

    def handle(self, *args: Any, **options: Any) -> None:
        streams = {"stdout": self.stdout, "stderr": self.stderr}
        call_command("seed_demo_studies", clips=options["clips"], **streams)
        self.stdout.write("Answers of simulated people …")
        call_command("seed_demo_people", **streams)
        self.stdout.write("Judges that need no key …")
        call_command("seed_demo_judges", **streams)  # they learn from labels, which are there now
        if options["arena"]:
            self.stdout.write("An arena with simulated voters …")
            call_command("seed_demo_arena", **streams)
