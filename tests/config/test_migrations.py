"""Later migrations leave the older program working, or stand in the how-to among those that stop it."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django_migration_linter.migration_linter import MigrationLinter
from django_migration_linter.sql_analyser import analyse_sql_statements

from tests.paths import PROJECT

pytestmark = pytest.mark.databases

#: The first migration of each app makes its tables; what comes later must leave an older program working.
APPS = {
    "accounts",
    "analytics",
    "annotation",
    "arena",
    "campaigns",
    "corpus",
    "infrastructure",
    "judges",
    "measurements",
}
HOW_TO = PROJECT / "docs" / "how-to" / "upgrade-without-a-stop.md"


def need_a_stop() -> set[str]:
    """Those that the how-to's table names."""
    return set(re.findall(r"^\| `(\w+\.\d{4}_\w+)` \|", HOW_TO.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="it reads PostgreSQL's statements")
def test_new_migrations_leave_the_older_program_working() -> None:
    linter = MigrationLinter(no_cache=True, no_output=True)
    found = {}
    for app, name in sorted(linter.migration_loader.disk_migrations):
        if app in APPS and not name.startswith("0001_"):
            errors, _ignored, _warnings = analyse_sql_statements(
                linter.sql_analyser_class, linter.get_sql(app, name), []
            )
            if errors:
                found[f"{app}.{name}"] = sorted({error.code for error in errors})

    assert {name: codes for name, codes in found.items() if name not in need_a_stop()} == {}


def test_migrations_that_are_said_to_need_a_stop_exist() -> None:
    for name in need_a_stop():
        app, _, migration = name.partition(".")
        assert (PROJECT / app / "migrations" / f"{migration}.py").is_file()


@pytest.mark.django_db
def test_database_of_a_development_version_is_refused_in_one_sentence() -> None:
    with connection.cursor() as cursor:
        cursor.execute("CREATE TABLE campaigns_job (id integer)")

    with pytest.raises(CommandError, match="Export what you need with that version"):
        call_command("migrate", verbosity=0)
