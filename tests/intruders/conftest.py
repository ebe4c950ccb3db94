"""The installation of the table of rights: a campaign with everything in it, and people of every role."""

import pytest
from pytest_django import Settings

from tests.config.test_access import addresses, campaign, people

__all__ = ["addresses", "campaign", "people"]


@pytest.fixture(autouse=True)
def mail(settings: Settings) -> None:
    settings.SENDS_EMAIL = True
