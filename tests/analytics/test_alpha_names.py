"""α is another number by each distance between labels: wherever it stands, its distance stands beside its name."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from campaigns.models import Campaign, Role
from tests.analytics.saying import people_say
from tests.factories import make_campaign, make_member
from tests.paths import PROJECT

#: The one place that makes the name; and the text that explains bands.
NAMED_IN = PROJECT / "campaigns" / "protocols" / "measures.py"
APPS = ("accounts", "analytics", "annotation", "arena", "campaigns", "config", "judges", "templates")


def test_one_place_makes_the_name_of_alpha() -> None:
    files = [
        path
        for app in APPS
        for path in (PROJECT / app).rglob("*")
        if path.suffix in (".py", ".html", ".js", ".txt") and path != NAMED_IN
    ]
    assert len(files) > 300
    assert [str(path) for path in files if "Krippendorff’s α" in path.read_text("utf-8")] == []


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=4)
    people_say(campaign, ["a", "b", "a", "both_good"], ["a", "a", "a", "both_bad"])
    return campaign


@pytest.mark.django_db
def test_a_campaigns_page_names_the_distance_of_alpha(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign, Role.RESEARCHER))

    page = client.get(reverse("campaign-pulse", args=[campaign.slug])).content.decode()

    assert "Krippendorff’s α (typed-tie distance)" in page
    assert re.findall(r"Krippendorff’s α(?! \()", page) == []
