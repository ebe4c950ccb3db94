"""Links to read a report, through the API."""

import pytest
from django.test import Client
from django.urls import reverse

from analytics.models import ReportShare
from analytics.reports.kinds import KINDS
from analytics.reports.source import Settings
from analytics.reports.storage import report_of
from tests.api.callers import caller
from tests.factories import make_campaign

pytestmark = pytest.mark.django_db


def test_link_is_made_listed_and_taken_back() -> None:
    campaign = make_campaign()
    campaign.memberships.create(user=campaign.created_by, role="admin")
    report = report_of(campaign, KINDS["labels"], Settings())
    client, everything = caller(campaign.created_by), reverse("api:report-share-list", args=[report.pk])

    made = client.post(everything, {"days": 30}, format="json").json()
    lasting = client.post(everything, {}, format="json").json()
    listed = client.get(everything).json()["results"]
    readable = Client().get(made["address"]).status_code
    gone = client.delete(reverse("api:report-share-detail", args=[report.pk, made["id"]]))

    assert listed == [lasting, made]
    assert lasting["expires_at"] is None
    assert made["expires_at"] is not None
    assert (readable, gone.status_code, Client().get(made["address"]).status_code) == (200, 204, 404)
    assert client.get(everything).json()["results"] == [lasting]
    assert client.post(everything, {"days": 0}, format="json").status_code == 400
    assert ReportShare.objects.count() == 2


def test_link_of_another_report_is_not_there() -> None:
    campaign = make_campaign()
    campaign.memberships.create(user=campaign.created_by, role="admin")
    one, other = (report_of(campaign, KINDS[name], Settings()) for name in ("labels", "overview"))
    client = caller(campaign.created_by)
    link = client.post(reverse("api:report-share-list", args=[one.pk]), {}, format="json").json()["id"]

    response = client.delete(reverse("api:report-share-detail", args=[other.pk, link]))

    assert response.status_code == 404
    assert ReportShare.objects.get().is_open
