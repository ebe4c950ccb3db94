import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Campaign, Role, Webhook
from campaigns.webhooks.hooks import add_webhook, send_test
from infrastructure.models import Delivery
from infrastructure.webhooks.deliveries import NOTHING_CAME_THROUGH
from infrastructure.webhooks.endpoints import disable
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
SENT = {"url": "https://hooks.example/earshot", "events": ["campaign.closed", "run.finished"]}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign()


@pytest.fixture
def page(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.RESEARCHER))
    return client


def add(campaign: Campaign) -> Webhook:
    return add_webhook(campaign, **SENT, user=campaign.created_by)[0]


def test_added_address_shows_its_secret_once(page: Client, campaign: Campaign) -> None:
    response = page.post(reverse("webhooks", args=[campaign.slug]), SENT, follow=True)

    shown = re.search(r"whsec_[A-Za-z0-9+/=]{44}", response.content.decode())
    assert shown
    hook = Webhook.objects.get()
    assert (hook.url, hook.events) == (SENT["url"], SENT["events"])
    again = page.get(reverse("webhook", args=[campaign.slug, hook.pk])).content.decode()
    assert "whsec_" not in again


@pytest.mark.parametrize(
    "changes", [{"url": "http://hooks.example/"}, {"url": "ftp://x.example"}, {"events": []}, {"events": ["else"]}]
)
def test_what_is_wrong_is_said_and_nothing_is_added(
    page: Client, campaign: Campaign, changes: dict[str, object]
) -> None:
    response = page.post(reverse("webhooks", args=[campaign.slug]), SENT | changes)

    assert response.status_code == 422
    assert list(response.context["form"].errors) == list(changes)
    assert not Webhook.objects.exists()


def test_test_is_queued_and_seen_in_the_log(page: Client, campaign: Campaign) -> None:
    hook = add(campaign)

    response = page.post(reverse("webhook-test", args=[campaign.slug, hook.pk]), follow=True)

    assert Delivery.objects.get().kind == "webhook.test"
    assert "webhook.test" in response.content.decode()


def test_disabled_address_is_told_nothing_more(page: Client, campaign: Campaign) -> None:
    hook = add(campaign)
    row = send_test(hook)

    page.post(reverse("webhook-disable", args=[campaign.slug, hook.pk]))
    page.post(reverse("webhook-test", args=[campaign.slug, hook.pk]))
    page.post(reverse("delivery-again", args=[campaign.slug, hook.pk, row.pk]))

    assert [(it.pk, it.status) for it in Delivery.objects.all()] == [(row.pk, "given_up")]


def test_given_up_delivery_is_sent_again(page: Client, campaign: Campaign) -> None:
    hook = add(campaign)
    row = send_test(hook)
    Delivery.objects.update(status="given_up")

    page.post(reverse("delivery-again", args=[campaign.slug, hook.pk, row.pk]))

    assert Delivery.objects.get().status == "waiting"


def test_address_of_another_campaign_is_not_there(page: Client, campaign: Campaign) -> None:
    theirs = add(make_campaign())

    assert page.get(reverse("webhook", args=[campaign.slug, theirs.pk])).status_code == 404
    assert page.post(reverse("webhook-disable", args=[campaign.slug, theirs.pk])).status_code == 404
    own = add(campaign)
    row = send_test(theirs)
    assert page.post(reverse("delivery-again", args=[campaign.slug, own.pk, row.pk])).status_code == 404


def test_reason_of_a_disabled_address_is_shown(page: Client, campaign: Campaign) -> None:
    hook = add(campaign)
    disable(hook.pk, because=NOTHING_CAME_THROUGH())

    assert (
        "Nothing came through for three days."
        in page.get(reverse("webhook", args=[campaign.slug, hook.pk])).content.decode()
    )


def test_pages_cost_the_same_queries_whatever_there_is(page: Client, campaign: Campaign) -> None:
    def cost(name: str, *args: object) -> int:
        with CaptureQueriesContext(connection) as queries:
            assert page.get(reverse(name, args=[campaign.slug, *args])).status_code == 200
        return len(queries)

    hook = add(campaign)
    send_test(hook)
    few = cost("webhooks"), cost("webhook", hook.pk)
    add(campaign)
    for _ in range(3):
        send_test(hook)

    assert (cost("webhooks"), cost("webhook", hook.pk)) == few
