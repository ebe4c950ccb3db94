"""Webhooks through the API: made, tested, told again, and disabled, by the actions of the page."""

import json

import pytest
from django.urls import reverse

from accounts.models import KeptReply, User
from accounts.sealing import unsealed
from campaigns.models import Campaign, Webhook
from infrastructure.models import Delivery
from tests.api.callers import caller
from tests.cases import each
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db
ASKED = {"url": "https://lab.example/hook", "events": ["run.finished", "campaign.closed"]}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def owner(campaign: Campaign) -> User:
    campaign.memberships.create(user=campaign.created_by, role="admin")
    return campaign.created_by


def test_webhook_is_made_tested_and_disabled(campaign: Campaign, owner: User) -> None:
    client, everything = caller(owner), reverse("api:webhook-list", args=[campaign.slug])

    made = client.post(everything, ASKED, format="json")
    one = reverse("api:webhook-detail", args=[campaign.slug, made.json()["id"]])
    sent = client.post(f"{one}test/")
    listed = client.get(f"{one}deliveries/").json()["results"]
    again = client.post(f"{one}deliveries/{listed[0]['id']}/again/")
    gone = client.delete(one)

    hook = Webhook.objects.get()
    assert (made.status_code, sent.status_code, again.status_code, gone.status_code) == (201, 202, 202, 204)
    assert made.json()["secret"].startswith("whsec_")
    assert "secret" not in client.get(one).json()
    assert [(it["id"], it["kind"]) for it in listed] == [(sent.json()["id"], "webhook.test")]
    assert json.loads(listed[0]["body"])["data"]["webhook"] == hook.pk
    assert hook.events == ["campaign.closed", "run.finished"]
    assert hook.disabled_at
    assert client.post(f"{one}test/").status_code == 409
    assert client.post(f"{one}deliveries/{listed[0]['id']}/again/").status_code == 409
    assert Delivery.objects.get().status == Delivery.Status.GIVEN_UP


def test_number_that_no_column_holds_is_no_webhook(campaign: Campaign, owner: User) -> None:
    one = reverse("api:webhook-list", args=[campaign.slug]) + f"{10**22}/"

    replies = [caller(owner).get(one), caller(owner).delete(one), caller(owner).post(f"{one}test/")]

    assert [it.status_code for it in replies] == [404, 404, 404]


@each(
    "asked",
    [ASKED | {"url": "http://lab.example/"}, ASKED | {"events": []}, ASKED | {"events": ["webhook.test"]}, {}],
    undo=True,
)
def test_webhook_that_the_page_refuses_is_refused(campaign: Campaign, owner: User, asked: dict[str, object]) -> None:
    response = caller(owner).post(reverse("api:webhook-list", args=[campaign.slug]), asked, format="json")

    assert response.status_code == 400
    assert not Webhook.objects.exists()


def test_secret_is_kept_with_no_reply(campaign: Campaign, owner: User) -> None:
    """The same request again gets the same address, and its secret only where it is kept encrypted."""
    client, address = caller(owner), reverse("api:webhook-list", args=[campaign.slug])
    first, second = (
        client.post(address, ASKED, format="json", headers={"Idempotency-Key": "one"}).json() for _ in range(2)
    )

    assert second == first | {"secret": ""}
    assert unsealed(Webhook.objects.get().sealed_secret) == first["secret"]
    assert first["secret"] not in json.dumps(KeptReply.objects.get().body)


def test_delivery_of_another_address_is_not_there(campaign: Campaign, owner: User) -> None:
    client, everything = caller(owner), reverse("api:webhook-list", args=[campaign.slug])
    one, other = (client.post(everything, ASKED, format="json").json()["id"] for _ in range(2))
    sent = client.post(reverse("api:webhook-test", args=[campaign.slug, one])).json()["id"]

    response = client.post(reverse("api:delivery-again", args=[campaign.slug, other, sent]))

    assert response.status_code == 404
    assert client.get(reverse("api:delivery-list", args=[campaign.slug, other])).json()["results"] == []
