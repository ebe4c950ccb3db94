"""A campaign whose clips can be fetched, and somebody of every role: for tables of who may do what."""

from pathlib import Path

import pytest

from accounts.models import User
from campaigns.models import Campaign, Role
from tests.annotation.test_listening import deliver_fakes
from tests.factories import UserFactory, make_campaign, make_member


def make_audible_campaign() -> Campaign:
    campaign = make_campaign()
    deliver_fakes(campaign)
    for item in campaign.dataset.items.all():
        clip = item.turns.get().clip
        clip.path.parent.mkdir(parents=True, exist_ok=True)
        clip.path.write_bytes(b"sound")
    return campaign


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    return make_audible_campaign()


@pytest.fixture
def people(campaign: Campaign) -> dict[str, User]:
    return make_people(campaign)


def make_people(campaign: Campaign) -> dict[str, User]:
    """The launcher is a researcher of the installation without a part in the campaign."""
    members = {str(role): make_member(campaign, role) for role in Role}
    return members | {
        "outsider": UserFactory(),
        "launcher": UserFactory(is_researcher=True),
        "superuser": UserFactory(is_superuser=True),
    }
