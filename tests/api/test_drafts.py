"""Drafts of campaigns by the API: changed field by field, deleted, copied, and mended where a clip is too loud."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from campaigns.control_units.checks import GoldAnswer, set_gold
from campaigns.launch.edit import set_systems
from campaigns.models import Campaign, Role
from campaigns.people.members import join_campaign
from infrastructure.models import Job
from tests.api.callers import caller
from tests.cases import each
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=3, status="draft")
    owned(campaign)
    set_systems(campaign, title=campaign.title, dataset=campaign.dataset, systems=campaign.dataset.systems.all())
    return campaign


@pytest.fixture
def client(campaign: Campaign) -> APIClient:
    return owned(campaign)


def owned(campaign: Campaign) -> APIClient:
    """Somebody who may launch, made the campaign and is its admin."""
    User.objects.filter(pk=campaign.created_by_id).update(is_researcher=True)
    owner = User.objects.get(pk=campaign.created_by_id)
    join_campaign(campaign, user=owner, role=Role.ADMIN)
    return caller(owner)


def address(campaign: Campaign, more: str = "") -> str:
    return f"/api/v1/campaigns/{campaign.slug}/{more}"


@each(
    "sent, shows",
    [
        ({"target_lufs": -30.0}, {"target_lufs": -30.0}),
        ({"target_lufs": None}, {"target_lufs": None}),
        (
            {"answers_per_unit": 3, "closes_when_complete": True},
            {"answers_per_unit": 3, "closes_when_complete": True},
        ),
        ({"show_waveform": False}, {"show_waveform": False}),
        ({"title": "Which voice?"}, {"title": "Which voice?", "slug": "which-voice"}),
        ({"name": "Which voice?"}, {"title": "Which voice?", "name": "Which voice?"}),
        ({"protocol": "ccr"}, {"protocol": "ccr/1"}),
    ],
    undo=True,
)
def test_draft_is_changed_where_something_was_sent_and_stays_elsewhere(
    campaign: Campaign, client: APIClient, sent: dict[str, Any], shows: dict[str, Any]
) -> None:
    before = client.get(address(campaign)).json()

    reply = client.patch(address(campaign), sent)

    said = reply.json()
    assert reply.status_code == 200, said
    assert {name: said[name] for name in shows} == shows
    stays = before.keys() - shows.keys() - {"preparation", "protocol_digest"}
    assert {name: said[name] for name in stays} == {name: before[name] for name in stays}


def test_other_loudness_prepares_the_audio_again(campaign: Campaign, client: APIClient) -> None:
    reply = client.patch(address(campaign), {"target_lufs": -31.0})
    same = Job.objects.filter(kind="prepare-audio").count()
    client.patch(address(campaign), {"answers_per_unit": 2})

    assert reply.json()["preparation"]["kind"] == "prepare-audio"
    assert Job.objects.filter(kind="prepare-audio").count() == same == 1


@pytest.mark.databases
@each("sent, target", [({"target_lufs": -30.0}, -30.0), ({"target_lufs": None}, None), ({}, -23.0)], undo=True)
def test_audio_is_prepared_at_another_loudness_or_at_none(
    campaign: Campaign, client: APIClient, sent: dict[str, Any], target: float | None
) -> None:
    reply = client.post(address(campaign, "audio/"), sent)

    campaign.refresh_from_db()
    assert (reply.status_code, campaign.target_lufs) == (202, target)


@each("sent", [{"target_lufs": 3}, {"target_lufs": "loud"}], undo=True)
def test_loudness_that_is_none_is_refused(campaign: Campaign, client: APIClient, sent: dict[str, Any]) -> None:
    for reply in (client.post(address(campaign, "audio/"), sent), client.patch(address(campaign), sent)):
        assert (reply.status_code, [it["field"] for it in reply.json()["errors"]]) == (400, ["target_lufs"])


def test_pairs_of_a_list_are_the_units(campaign: Campaign, client: APIClient) -> None:
    item = campaign.dataset.items.first()
    a, b = sorted(system.name for system in campaign.dataset.systems.all())[:2]

    reply = client.patch(address(campaign), {"pairs": [{"item": item.key, "system_a": b, "system_b": a}]})
    wrong = client.patch(address(campaign), {"pairs": [{"item": "none", "system_a": b, "system_b": a}]})

    units = campaign.campaign_units.filter(purpose="study").select_related("unit__item")
    assert (reply.status_code, [it.unit.item.key for it in units]) == (200, [item.key])
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "pairs")


@pytest.mark.databases
def test_units_made_by_hand_go_only_where_this_is_said(campaign: Campaign, client: APIClient) -> None:
    unit = campaign.campaign_units.select_related("unit").first().unit
    set_gold(campaign, [GoldAnswer(unit.key, "overall", "a")])

    refused = client.patch(address(campaign), {"protocol": "acr"})
    gold = campaign.campaign_units.filter(purpose="gold").count()
    done = client.patch(address(campaign), {"protocol": "acr", "drop_units": True})

    assert (refused.status_code, refused.json()["errors"][0]["field"], gold) == (409, "drop_units", 1)
    assert (done.status_code, done.json()["protocol"]) == (200, "acr/1")
    assert campaign.campaign_units.filter(purpose="study").count() > 0
    assert {it.unit.kind for it in campaign.campaign_units.select_related("unit")} == {"single"}


def test_open_campaign_keeps_all_but_its_name() -> None:
    opened = make_campaign()
    client = owned(opened)

    named = client.patch(address(opened), {"name": "Another name"})
    refused = client.patch(address(opened), {"answers_per_unit": 2})
    audio = client.post(address(opened, "audio/"))

    assert (named.status_code, named.json()["name"]) == (200, "Another name")
    assert (refused.status_code, refused.json()["code"]) == (409, "fixed_once_open")
    assert (audio.status_code, audio.json()["code"]) == (409, "loudness_fixed")


@pytest.mark.databases
def test_draft_is_deleted_at_once_and_an_open_campaign_is_not(campaign: Campaign, client: APIClient) -> None:
    opened = make_campaign()

    reply = client.delete(address(campaign))
    refused = owned(opened).delete(address(opened))

    assert (reply.status_code, refused.status_code) == (202, 409)
    assert client.get(address(campaign)).status_code == 404


@pytest.mark.databases
def test_copy_is_a_draft_of_its_own(campaign: Campaign, client: APIClient) -> None:
    reply = client.post(address(campaign, "clone/"), headers={"Idempotency-Key": "k"})
    again = client.post(address(campaign, "clone/"), headers={"Idempotency-Key": "k"})

    said = reply.json()
    assert (reply.status_code, said["status"], said["dataset"]) == (201, "draft", campaign.dataset.slug)
    assert said["slug"] != campaign.slug
    assert again.json() == said


def test_units_that_cannot_be_added_are_refused_with_the_reason(campaign: Campaign, client: APIClient) -> None:
    reply = client.post(address(campaign, "later-units/"), {})
    named = client.post(address(campaign, "later-units/"), {"systems": ["Nobody"]})

    assert (reply.status_code, reply.json()["code"]) == (409, "not_running")
    assert (named.status_code, named.json()["errors"][0]["field"]) == (422, "systems")
