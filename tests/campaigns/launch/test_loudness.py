"""The loudness that the launch proposes: what every clip can reach, as it was measured at the import."""

import pytest
from django.test import Client

from campaigns.launch.loudness import highest_target
from campaigns.models import Campaign
from corpus.models import Clip
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


def measured(campaign: Campaign, lufs: float | None, peak: float | None, *, channels: int = 1) -> None:
    """Give every clip of the campaign's dataset these levels."""
    Clip.objects.update(integrated_lufs=lufs, true_peak_dbtp=peak, channels=channels)


@each(
    "lufs, peak, channels, highest",
    [
        (-23.0, -6.0, 1, -18.5),  # 17 LU below its peak, which may come to -1.25 dBTP
        (-30.0, -0.5, 1, -31.0),
        (-20.0, -0.5, 2, -24.0),  # as mono it is 3 LU quieter, and peaks as high
        (-39.9, 0.0, 1, -40.0),
        (-3.0, -0.1, 1, -12.0),
        (None, None, 1, None),
    ],
    undo=True,
)
def test_highest_target_leaves_every_peak_below_the_ceiling(
    lufs: float | None, peak: float | None, channels: int, highest: float | None
) -> None:
    campaign = make_campaign()
    measured(campaign, lufs, peak, channels=channels)

    assert highest_target(campaign) == highest


def test_silent_clips_do_not_lower_the_highest_target() -> None:
    campaign = make_campaign()
    measured(campaign, -23.0, -6.0)
    Clip.objects.filter(pk=Clip.objects.latest("pk").pk).update(integrated_lufs=None, true_peak_dbtp=None)

    assert highest_target(campaign) == -18.5


@pytest.mark.parametrize(("peak", "proposed"), [(-0.5, "-31.0"), (-20.0, "-23.0")])
def test_step_proposes_what_the_clips_reach_and_never_more_than_is_usual(
    client: Client, peak: float, proposed: str
) -> None:
    campaign = make_campaign(status="draft")
    Campaign.objects.filter(pk=campaign.pk).update(launch_steps=[])
    measured(campaign, -30.0, peak)
    client.force_login(make_member(campaign, "admin"))

    page = client.get(f"/campaigns/{campaign.slug}/launch/protocol/").content.decode()

    assert f'name="target_lufs" value="{proposed}"' in page
    assert "every clip of these systems should fit" in page


def test_target_that_was_chosen_stays(client: Client) -> None:
    campaign = make_campaign(status="draft")
    Campaign.objects.filter(pk=campaign.pk).update(launch_steps=["launch-protocol"], target_lufs=-25.0)
    measured(campaign, -30.0, -0.5)
    client.force_login(make_member(campaign, "admin"))

    page = client.get(f"/campaigns/{campaign.slug}/launch/protocol/").content.decode()

    assert 'name="target_lufs" value="-25.0"' in page
