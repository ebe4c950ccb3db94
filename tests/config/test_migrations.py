"""Later migrations leave the older program working, or stand in the how-to among those that stop it."""

import re

import pytest
from django.db import connection
from django_migration_linter.migration_linter import MigrationLinter
from django_migration_linter.sql_analyser import analyse_sql_statements

from tests.paths import PROJECT

#: The last migration of each app that no installation had to live through: what came before is not looked at.
BEFORE = {"accounts": 4, "analytics": 5, "annotation": 10, "arena": 5, "campaigns": 20, "judges": 7}
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
        if app in BEFORE and int(name[:4]) > BEFORE[app]:
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
