import io

import pytest
import soundfile
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign
from corpus.audio.bs1770 import integrated_loudness
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db


def annotator_of(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign))
    return client


@pytest.mark.parametrize(("target", "expected"), [(-30.0, -30.0), (-23.0, -23.0), (None, -23.0)])
def test_noise_is_at_the_campaigns_loudness_and_rate(client: Client, target: float | None, expected: float) -> None:
    campaign = make_campaign(target_lufs=target)

    response = annotator_of(client, campaign).get(reverse("volume-noise", args=[campaign.slug]))

    samples, rate = soundfile.read(io.BytesIO(response.content), always_2d=True)
    assert (response["Content-Type"], rate) == ("audio/wav", 16_000)
    assert integrated_loudness(samples, rate=rate).lufs == pytest.approx(expected, abs=0.1)
    assert not response.cookies


def test_noise_of_a_campaign_without_prepared_audio_has_the_highest_rate(client: Client) -> None:
    campaign = make_campaign()
    Campaign.objects.update(delivery_rate=None)

    response = annotator_of(client, campaign).get(reverse("volume-noise", args=[campaign.slug]))

    assert soundfile.info(io.BytesIO(response.content)).samplerate == 48_000


@pytest.mark.parametrize(("target", "says"), [(-23.0, "as loud as the clips"), (None, "keep their own levels")])
def test_volume_page_says_how_the_noise_compares_with_the_clips(
    client: Client, target: float | None, says: str
) -> None:
    campaign = make_campaign(target_lufs=target)

    response = annotator_of(client, campaign).get(reverse("volume", args=[campaign.slug]))

    page = response.content.decode()
    assert says in page
    assert "Set your volume so that this is comfortable, then do not change it." in page
    assert reverse("volume-noise", args=[campaign.slug]) in page
    assert reverse("label", args=[campaign.slug]) in page
    assert RARE_A not in page
    assert RARE_B not in page


def test_label_page_leads_to_the_volume_page(client: Client) -> None:
    campaign = make_campaign()

    page = annotator_of(client, campaign).get(reverse("label", args=[campaign.slug])).content.decode()

    assert f'href="{reverse("volume", args=[campaign.slug])}"' in page
