"""`manage.py migrate`, as Django has it, but for databases of development versions, which it refuses."""

from typing import Any

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections

#: A table that only development versions had.
OF_DEVELOPMENT = "campaigns_job"


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        if OF_DEVELOPMENT in connections[options["database"]].introspection.table_names():
            raise CommandError(
                "This database was made by a development version whose tables have changed since, and cannot be "
                "brought along. Export what you need with that version, then start with an empty database: set "
                "EARSHOT_DATA to a new folder, or DATABASE_URL to a new database."
            )
        super().handle(*args, **options)
