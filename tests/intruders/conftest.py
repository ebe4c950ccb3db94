"""The installation of the table of rights: a campaign with everything in it, and people of every role."""

import pytest
from pytest_django import Settings

from accounts.models import User
from campaigns.models import Campaign
from tests.config.test_access import addresses_in
from tests.everybody import campaign, people

__all__ = ["addresses", "campaign", "people"]


@pytest.fixture
def addresses(campaign: Campaign, people: dict[str, User]) -> dict[str, str]:
    return addresses_in(campaign, people)


@pytest.fixture(autouse=True)
def mail(settings: Settings) -> None:
    settings.SENDS_EMAIL = True
