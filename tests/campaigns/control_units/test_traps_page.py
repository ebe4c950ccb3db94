import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Campaign, SpokenTraps, TrapRecording
from infrastructure.models import Job
from tests.campaigns.control_units.test_traps import recorded, sounding
from tests.campaigns.control_units.trapping import traps_made
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


def page_of(client: Client, campaign: Campaign) -> str:
    client.force_login(make_member(campaign, "admin"))
    return client.get(reverse("traps", args=[campaign.slug])).content.decode()


def test_traps_are_asked_for_and_made_in_the_background(client: Client) -> None:
    campaign = make_campaign(status="draft")
    client.force_login(make_member(campaign, "researcher"))

    response = client.post(reverse("traps", args=[campaign.slug]), {"n": "3", "seed": "7"})

    assert response.status_code == 302
    order = SpokenTraps.objects.get()
    assert (order.wanted, order.seed) == (3, 7)
    assert Job.objects.get().kind == "make-traps"
    assert "<progress" in client.get(response["Location"]).content.decode()


def test_traps_can_be_heard_by_whoever_manages(client: Client) -> None:
    campaign = sounding("acr", units=2)
    [trap] = traps_made(campaign, 1)

    page = page_of(client, campaign)
    address = reverse("trap-clip", args=[campaign.slug, trap.trap_clips.get().pk])

    assert page.count(address) == 1
    assert trap.trap_clips.get().sentence in page
    assert client.get(address).content == trap.trap_clips.get().clip.path.read_bytes()


def test_page_asks_the_database_as_often_for_three_traps_as_for_one(client: Client) -> None:
    campaign = sounding("acr", units=4)
    queries = []
    for n in (1, 3):
        traps_made(campaign, n)
        page_of(client, campaign)
        with CaptureQueriesContext(
            connection,
        ) as captured:
            page = client.get(reverse("traps", args=[campaign.slug])).content.decode()
        assert page.count("<audio") == n
        queries.append(len(captured))

    assert queries[0] == queries[1]


def test_recordings_are_kept_and_shown(client: Client) -> None:
    campaign = make_campaign(protocol="acr", status="draft")
    client.force_login(make_member(campaign, "admin"))
    url = reverse("trap-recordings", args=[campaign.slug])

    kept = client.post(url, {"file": SimpleUploadedFile("2.wav", recorded().getvalue())})
    refused = client.post(url, {"file": SimpleUploadedFile("9.wav", recorded().getvalue())})

    assert (kept.status_code, refused.status_code) == (302, 422)
    assert "stands for no answer" in refused.content.decode()
    assert TrapRecording.objects.get().name == "2"
    assert "Your recordings speak" in client.get(reverse("traps", args=[campaign.slug])).content.decode()

    client.post(url, {"forget": "1"})

    assert not TrapRecording.objects.exists()


def test_traps_of_an_open_campaign_are_fixed(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, "admin"))

    response = client.post(reverse("traps", args=[campaign.slug]), {"n": "1", "seed": "0"})

    assert (response.status_code, Job.objects.count()) == (422, 0)
    assert "fixed once a campaign has opened" in response.content.decode()
