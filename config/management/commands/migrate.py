"""`manage.py migrate`, as Django has it, but for databases of development versions, which it refuses."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

#: A migration that only development versions had, before the migrations began anew.
OF_DEVELOPMENT = ("campaigns", "0002_job_attempt")


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if OF_DEVELOPMENT in MigrationRecorder(connections[options["database"]]).applied_migrations():
            raise CommandError(
                "This database was made by a development version whose tables have changed since, and cannot be "
                "brought along. Export what you need with that version, then start with an empty database: set "
                "EARSHOT_DATA to a new folder, or DATABASE_URL to a new database."
            )
        super().handle(*args, **options)
