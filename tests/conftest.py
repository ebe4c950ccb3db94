import gc
import itertools
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from celery import current_app
from django.core.management import call_command
from django.db import connection
from django.test import override_settings
from django.utils import translation
from pytest_django import DjangoDbBlocker, Settings

from config.operations.messages import catalogues, compile_stale
from tests.browser.server import Server, prepared_once
from tests.emptying import of_tables_with_rows
from tests.needs import lacking
from tests.paths import PROJECT, SHARED_DATA

NUMBERS = itertools.count()
BROWSER = PROJECT / "tests" / "browser"
#: As in manage.py: thousands of modules and tests are no garbage; a tenth of a run went into looking through them.
gc.set_threshold(10_000, 50, 10)


@pytest.fixture(autouse=True)
def media_root(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every test has files of its own, in a folder that is made by whoever writes the first one."""
    settings.MEDIA_ROOT = tmp_path_factory.getbasetemp() / f"media-{next(NUMBERS)}"
    return settings.MEDIA_ROOT


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Every test begins in English: a page leaves its language behind."""
    with translation.override("en"):
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> None:
    """Tables are made from the models, ten seconds faster than by migrations, which are noted as if they had run.

    The servers of the tests migrate, and `make check` finds models that their migrations do not make.
    """
    with django_db_blocker.unblock(), override_settings(MIGRATION_MODULES={}):
        call_command("migrate", fake=True, verbosity=0)
    connection.ops.sql_flush = of_tables_with_rows(connection.ops.sql_flush)  # type: ignore[method-assign]


@pytest.fixture(scope="session", autouse=True)
def tasks() -> None:
    """Tasks are known, and with them the kinds of jobs, as in a worker."""
    current_app.loader.import_default_modules()


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A server with empty tables and its static files, for others to be `like`; it is never started."""

    def prepare(server: Server) -> None:
        server.shell("from config.operations.installation import prepare_installation; prepare_installation()")

    return prepared_once(tmp_path_factory, "installed", prepare)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The published research data, which is not part of the project."""
    if not SHARED_DATA.is_dir():
        lacking(f"the research data is not at {SHARED_DATA}")
    return SHARED_DATA


#: No test fails because the machine was busy. `make test-all` tries four times as many examples.
hypothesis.settings.register_profile("brief", deadline=None, max_examples=25)
hypothesis.settings.register_profile("thorough", deadline=None)
hypothesis.settings.load_profile("brief")


def pytest_configure() -> None:
    """Pages are tested in the translations of now, not in those that were compiled last."""
    for catalogue in catalogues():
        compile_stale(catalogue)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What commits for real, with others beside it, is tried on every database.

    Tests that drive a browser are looked for in one folder only: to collect the others takes a quarter of a minute.
    """
    for item in items:
        if item.get_closest_marker("browser") and BROWSER not in item.path.parents:
            raise pytest.UsageError(f"{item.nodeid} drives a browser and is not in tests/browser.")
        with_rows = item.get_closest_marker("django_db")
        if with_rows and with_rows.kwargs.get("transaction"):
            item.add_marker("databases")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        there, missing = mark.args
        if not there:
            lacking(missing)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", help="folder in which the browser tests leave their pictures")
