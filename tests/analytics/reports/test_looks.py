"""Reports have intervals for one look: one that was made while answers arrived says so on pages and in files."""

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from analytics.models import Report
from analytics.reports.kinds import KINDS
from analytics.reports.looks import made_while_answers_arrived
from analytics.reports.source import Settings
from analytics.reports.storage import report_of, share
from campaigns.models import Campaign, Role
from tests.analytics.saying import people_say
from tests.cases import each
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db
SENTENCE = "Made while answers arrive: its intervals hold for one look."
NOW = timezone.now()
BEFORE, AFTER = NOW - timedelta(days=1), NOW + timedelta(days=1)


def made(campaign: Campaign, kind: str = "agreement") -> Report:
    return report_of(campaign, KINDS[kind], Settings())


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=6, opened_at=BEFORE)
    people_say(campaign, list("aabbab"), list("aabbba"))
    return campaign


def test_a_report_of_an_open_campaign_says_that_its_intervals_are_for_one_look(
    client: Client, campaign: Campaign
) -> None:
    report = made(campaign)
    client.force_login(make_member(campaign, Role.RESEARCHER))
    link = share(report, user=campaign.created_by)
    pages = [reverse("kept-report", args=[report.pk]), reverse("shared-report", args=[link.token])]
    file = reverse("report-file", args=[report.pk, "json"])

    told, by_api = client.get(file).json(), client.get(f"/api/v1/reports/{report.pk}/").json()

    assert all(SENTENCE in client.get(it).content.decode() for it in pages)
    assert client.get(file.replace("json", "tex")).content.decode().startswith(f"% {SENTENCE}\n")
    for said in (told, by_api):
        assert (said["intervals"], said["made_while_answers_arrive"]) == ("one look", True)


def test_a_report_without_intervals_has_nothing_to_say(client: Client, campaign: Campaign) -> None:
    report = made(campaign, "labels")
    client.force_login(make_member(campaign, Role.RESEARCHER))

    assert SENTENCE not in client.get(reverse("kept-report", args=[report.pk])).content.decode()
    assert client.get(reverse("report-file", args=[report.pk, "json"])).json()["intervals"] is None


@each(
    "times, expected",
    [
        ({}, True),
        ({"closes_at": AFTER}, True),
        ({"status": "paused"}, True),
        ({"status": "closed", "closed_at": AFTER}, True),
        ({"status": "closed", "closed_at": BEFORE}, False),
        ({"closes_at": BEFORE}, False),
        ({"opened_at": None}, False),
        ({"opened_at": AFTER}, False),
    ],
    undo=True,
)
def test_answers_arrive_between_opening_and_closing(times: dict[str, Any], expected: bool) -> None:
    campaign = make_campaign(units=2, **({"opened_at": BEFORE} | times))
    report = Report(campaign=campaign, computed_at=NOW)

    assert made_while_answers_arrived(report) is expected
