"""Invitation links and consent texts by the API."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from campaigns.models import Campaign, Role
from tests.api.callers import caller
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def client(campaign: Campaign) -> APIClient:
    return caller(make_member(campaign, Role.ADMIN))


def test_links_are_made_listed_and_closed(campaign: Campaign, client: APIClient) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/invitations/"
    sent = {"how_many": 2, "minutes": 10, "note": "pilot"}

    made = client.post(address, sent, headers={"Idempotency-Key": "k"})
    links = made.json()["invitations"]
    again = client.post(address, sent, headers={"Idempotency-Key": "k"})
    page = APIClient().get(links[0]["link"])
    closed = client.delete(f"{address}{made.json()['invitations'][0]['id']}/")

    assert (made.status_code, len(links), again.json()) == (201, 2, made.json())
    assert {(it["max_uses"], it["minutes"], it["note"], it["used"]) for it in links} == {(1, 10, "pilot", 0)}
    assert page.status_code == 200
    assert closed.status_code == 204
    assert [bool(it["revoked_at"]) for it in client.get(address).json()["results"]] == [False, True]
    assert client.delete(f"{address}999999/").status_code == 404


@each(
    "sent, status, field",
    [
        ({"how_many": 0}, 400, "how_many"),
        ({"panel": "nobody"}, 400, "panel"),
        ({"kind": "reusable", "panel": "pid", "return_url": "javascript:alert(1)"}, 422, "return_url"),
        ({"expires_at": "yesterday"}, 400, "expires_at"),
    ],
    undo=True,
)
def test_link_that_cannot_be_made_is_refused_at_its_field(
    campaign: Campaign, client: APIClient, sent: dict[str, Any], status: int, field: str
) -> None:
    reply = client.post(f"/api/v1/campaigns/{campaign.slug}/invitations/", sent)

    assert (reply.status_code, reply.json()["errors"][0]["field"]) == (status, field), reply.json()


def test_link_of_a_panel_has_what_the_panel_fills_in(campaign: Campaign, client: APIClient) -> None:
    sent = {"kind": "reusable", "panel": "prolific", "max_uses": 20, "code_completed": "C1"}

    (made,) = client.post(f"/api/v1/campaigns/{campaign.slug}/invitations/", sent).json()["invitations"]

    assert "PROLIFIC_PID" in made["link"]
    assert (made["max_uses"], made["code_completed"]) == (20, "C1")


def test_consent_text_gets_a_version_each_time_it_changes(campaign: Campaign, client: APIClient) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/consent-texts/"

    versions = [client.post(address, {"text": text}).json()["version"] for text in ("One.", "One.", "Two.")]
    empty = client.post(address, {"text": "  "})

    assert versions == [1, 1, 2]
    assert [(it["version"], it["agreed"]) for it in client.get(address).json()["results"]] == [(2, 0), (1, 0)]
    assert (empty.status_code, empty.json()["errors"][0]["field"]) == (400, "text")


def test_researcher_of_the_campaign_makes_no_links(campaign: Campaign) -> None:
    reply = caller(make_member(campaign, Role.RESEARCHER)).post(f"/api/v1/campaigns/{campaign.slug}/invitations/", {})

    assert reply.status_code == 403
    assert User.objects.count() > 0
