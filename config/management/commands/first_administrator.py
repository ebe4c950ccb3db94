"""`manage.py first_administrator`: a one-time address at which the first administrator is made."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.setup.first_administrator import AdministratorExists, new_setup_code
from config.serving.requests.addresses import local_address, setup_address


class Command(BaseCommand):
    help = "Print a one-time address at which the first administrator is made. Only while there is none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", help="where people reach this installation, such as http://localhost:8080")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            code = new_setup_code()
        except AdministratorExists as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(setup_address(options["address"] or local_address("127.0.0.1", 8000), code))
