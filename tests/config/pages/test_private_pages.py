import pytest
from django.test import Client
from django.urls import reverse

from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
NOWHERE = "private, no-store"


def test_pages_are_kept_by_no_cache(client: Client) -> None:
    campaign = make_campaign(units=1)
    client.force_login(make_member(campaign))

    for name, args in (("label", [campaign.slug]), ("home", []), ("account", [])):
        assert client.get(reverse(name, args=args))["Cache-Control"] == NOWHERE


def test_what_a_view_says_of_caches_stands(client: Client) -> None:
    campaign = make_campaign(units=1)
    client.force_login(make_member(campaign))

    assert client.get(reverse("volume-noise", args=[campaign.slug]))["Cache-Control"] == "private, no-cache"


def test_pages_without_an_account_and_refusals_are_kept_by_no_cache(client: Client) -> None:
    assert client.get(reverse("forgotten"))["Cache-Control"] == NOWHERE
    assert client.get("/nowhere/")["Cache-Control"] == NOWHERE
    assert client.get(reverse("home"))["Cache-Control"] == NOWHERE
