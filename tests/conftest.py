from pathlib import Path

import pytest
from pytest_django import Settings

PROJECT = Path(__file__).resolve().parent.parent
SHARED_DATA = PROJECT.parent / "shared" / "data"


@pytest.fixture(autouse=True)
def media_root(settings: Settings, tmp_path: Path) -> Path:
    """Every test has files of its own."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The published research data, which is not part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"the research data is not at {SHARED_DATA}")
    return SHARED_DATA


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--screenshots", help="folder in which the browser tests leave their pictures")
