from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from django.utils import translation
from pytest_django import Settings

from config.operations.messages import catalogues, compile_stale
from tests.browser.server import Server
from tests.needs import lacking
from tests.paths import PROJECT, SHARED_DATA


@pytest.fixture(autouse=True)
def media_root(settings: Settings, tmp_path: Path) -> Path:
    """Every test has files of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Every test begins in English: a page leaves its language behind."""
    with translation.override("en"):
        yield


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Server:
    """A server with empty tables and its static files, for others to be `like`; it is never started."""
    server = Server(tmp_path_factory.mktemp("installed"), name="earshot_installed_tests", redis_database=8)
    server.manage("migrate", "--verbosity", "0")
    server.manage("collectstatic", "--no-input", "--verbosity", "0")
    return server


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The published research data, which is not part of the project."""
    if not SHARED_DATA.is_dir():
        lacking(f"the research data is not at {SHARED_DATA}")
    return SHARED_DATA


#: No test fails because the machine was busy.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_configure() -> None:
    """Pages are tested in the translations of now, not in those that were compiled last."""
    for catalogue in catalogues():
        compile_stale(catalogue)


#: Rooms of arithmetic, of protocols and of what is computed from sound: their tests that ask for no database are the
#: same on any.
PURE = tuple(
    PROJECT / "tests" / room
    for room in (
        "analytics/planning", "analytics/quality", "analytics/stats", "measurements/features", "judges/kinds",
        "measurements/metrics", "protocols",
    )
)  # fmt: skip


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as pure what need not run again on other services."""
    for item in items:
        wants = set(getattr(item, "fixturenames", ()))
        has_rows = item.get_closest_marker("django_db") or wants & {"db", "transactional_db"}
        if not has_rows and any(room in item.path.parents for room in PURE):
            item.add_marker("pure")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        there, missing = mark.args
        if not there:
            lacking(missing)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", help="folder in which the browser tests leave their pictures")
