from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest
from django.utils import translation
from pytest_django import Settings

from config.messages import catalogues, compile_stale

PROJECT = Path(__file__).resolve().parent.parent
SHARED_DATA = PROJECT.parent / "shared" / "data"


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
def shared_data() -> Path:
    """The published research data, which is not part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the research data is not at {SHARED_DATA}")
    return SHARED_DATA


#: No test fails because the machine was busy.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def pytest_configure() -> None:
    """Pages are tested in the translations of now, not in those that were compiled last."""
    for catalogue in catalogues():
        compile_stale(catalogue)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", help="folder in which the browser tests leave their pictures")
