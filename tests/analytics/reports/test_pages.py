"""The Results of a campaign: computed once, kept, filtered, shared, and shown only to whom they concern."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext, override_settings
from django.urls import reverse
from django.utils import timezone

from analytics.data.unit_facts import unit_facts
from analytics.models import Report, ReportShare
from analytics.reports.kinds import KINDS
from analytics.reports.output.figures import Figure
from analytics.reports.pages.settings import read_settings
from analytics.reports.source import Settings, Source
from analytics.reports.storage import report_of, thin_reports
from annotation.models import Assignment
from campaigns.models import Campaign, NameLock, Role
from tests.analytics.saying import judge_says, people_say
from tests.factories import RARE_A, RARE_B, make_campaign, make_member

pytestmark = pytest.mark.django_db

SAID = ["a", "b", "a", "both_good"]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign(units=4)
    people_say(campaign, SAID, ["a", "a", "a", "both_bad"])
    judge_says(campaign, {"ab": SAID}, title="Ear of tin")
    return campaign


def reader(client: Client, campaign: Campaign, role: str = Role.RESEARCHER) -> Client:
    client.force_login(make_member(campaign, role))
    return client


def computed(client: Client, campaign: Campaign, **query: str) -> Report:
    response = client.get(reverse("report-figures", args=[campaign.slug, "labels"]), query)
    assert response.status_code == 302
    return Report.objects.get(pk=response["Location"].split("/")[-2])


def counts_of(report: Report) -> dict[str, list[object]]:
    """Of each label; the last column has answers that are missing."""
    rows = report.figures[0]["table"]["rows"]
    return {row[0] if isinstance(row[0], str) else row[0]["phrase"]: row[1:-1] for row in rows}


def test_the_page_fetches_figures_first_and_has_them_afterwards(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    address = reverse("report", args=[campaign.slug, "labels"])

    assert b"Computing; this can take some seconds" in client.get(address).content
    computed(client, campaign)
    shown = client.get(address).content.decode()

    assert "Ear of tin" in shown
    assert "Computing; this can take some seconds" not in shown
    assert Report.objects.count() == 1


def test_results_lead_to_the_first_report_that_there_can_be(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    response = client.get(reverse("results", args=[campaign.slug]), {"category": "x"})
    first = next(kind for kind in KINDS.values() if not kind.why_not(campaign))
    assert response["Location"] == reverse("report", args=[campaign.slug, first.name]) + "?category=x"


def test_a_report_is_computed_once_and_anew_when_somebody_says_something(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    before = computed(client, campaign)
    assert computed(client, campaign) == before

    people_say(campaign, ["b", None, None, None], first_seat=3)
    after = computed(client, campaign)

    assert after != before
    assert counts_of(before)["The campaign’s people"] == [5, 1, 1, 1]
    assert counts_of(after)["The campaign’s people"] == [5, 2, 1, 1]
    assert b"Current text" in client.get(reverse("kept-report", args=[before.pk])).content
    assert b"Current text" not in client.get(reverse("kept-report", args=[after.pk])).content


@override_settings(CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}})
def test_a_report_that_somebody_else_computes_is_asked_for_again(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    address = reverse("report-figures", args=[campaign.slug, "labels"])
    asked_meanwhile = []

    def slow(source: Source) -> Iterator[Figure]:
        assert not asked_meanwhile, "it is computed twice"
        asked_meanwhile.append("")
        asked_meanwhile.append(client.get(address, headers={"HX-Request": "true"}).content.decode())
        asked_meanwhile.append(client.get(address).url)
        yield Figure("one", "One", instead="Nothing.")

    with mock.patch.dict(KINDS, labels=replace(KINDS["labels"], figures=slow)):
        found = client.get(address, headers={"HX-Request": "true"}).content.decode()

    _, again, page = asked_meanwhile
    assert (f'hx-get="{address}"' in again, 'hx-trigger="load delay:2s"' in again) == (True, True)
    assert page == reverse("report", args=[campaign.slug, "labels"])
    assert ("Nothing." in found, Report.objects.count()) == (True, 1)


@override_settings(CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}})
def test_a_computation_that_fails_leaves_the_way_free(client: Client, campaign: Campaign) -> None:
    def broken(source: Source) -> Iterator[Figure]:
        raise ValueError("no")

    kind = KINDS["labels"]
    with pytest.raises(ValueError, match="no"):
        report_of(campaign, replace(kind, figures=broken), Settings())
    assert report_of(campaign, kind, Settings()).figures


def test_figures_are_of_one_order_where_that_is_asked_for(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    turned = Assignment.objects.filter(campaign=campaign).first()
    Assignment.objects.filter(pk=turned.pk).update(order="ba")
    Assignment.objects.filter(campaign=campaign).exclude(pk=turned.pk).update(order="ab")

    found = counts_of(computed(client, campaign, order="ba"))

    assert sum(found["The campaign’s people"]) == 1
    assert "Ear of tin" not in str(found), "it heard nothing turned round"


def test_figures_are_of_one_category_where_that_is_asked_for(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    item = campaign.campaign_units.order_by("position").first().unit.item
    item.category = "news"
    item.save()
    units = campaign.campaign_units.filter(unit__item=item).count()

    found = counts_of(computed(client, campaign, category="news"))

    assert sum(found["The campaign’s people"]) == 2 * units
    assert 0 < units < campaign.campaign_units.count()


def test_what_is_no_choice_is_passed_over(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    assert computed(client, campaign, category="=cmd()", order="sideways").settings == {}


def test_the_files_of_a_figure_and_of_a_report(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    row = computed(client, campaign)

    def taken(key: str, form: str) -> bytes:
        response = client.get(reverse("figure-file", args=[row.pk, key, form]))
        assert response.status_code == 200
        return response.content

    assert b"label_a" in taken("counts-overall", "csv")
    assert json.loads(taken("counts-overall", "json"))["figures"][0]["key"] == "counts-overall"
    assert rb"\toprule" in taken("counts-overall", "tex")
    assert taken("counts-overall", "svg").startswith(b"<?xml")
    told = json.loads(client.get(reverse("report-file", args=[row.pk, "json"])).content)
    assert (told["kind"], told["campaign"], told["data_sha256"]) == ("labels", campaign.slug, row.data_sha256)
    for address in (
        reverse("figure-file", args=[row.pk, "counts-overall", "exe"]),
        reverse("figure-file", args=[row.pk, "nothing", "csv"]),
        reverse("report-file", args=[row.pk, "svg"]),
    ):
        assert client.get(address).status_code == 404


def test_a_shared_link_shows_the_report_to_anybody_and_nothing_else(client: Client, campaign: Campaign) -> None:
    row = computed(reader(client, campaign), campaign)
    client.post(reverse("share-report", args=[row.pk]), {"days": "30"})
    link = ReportShare.objects.get()
    anybody = Client()

    response = anybody.get(reverse("shared-report", args=[link.token]))

    assert response.status_code == 200
    assert response["X-Robots-Tag"] == "noindex"
    assert b"Ear of tin" in response.content
    assert reverse("campaign", args=[campaign.slug]).encode() not in response.content
    assert anybody.get(reverse("shared-figure", args=[link.token, "counts-overall", "csv"])).status_code == 200
    assert anybody.get(reverse("shared-file", args=[link.token, "json"])).status_code == 200
    assert anybody.get(reverse("kept-report", args=[row.pk])).status_code == 302, "to the log-in"


@pytest.mark.parametrize("how", ["taken back", "expired", "being deleted"])
def test_a_closed_link_leads_nowhere(client: Client, campaign: Campaign, how: str) -> None:
    row = computed(reader(client, campaign), campaign)
    client.post(reverse("share-report", args=[row.pk]), {"days": "30"})
    link = ReportShare.objects.get()
    if how == "expired":
        ReportShare.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif how == "being deleted":
        Campaign.objects.update(deleting_since=timezone.now())
    else:
        client.post(reverse("unshare-report", args=[row.pk, link.pk]))

    for address in (
        reverse("shared-report", args=[link.token]),
        reverse("shared-figure", args=[link.token, "counts-overall", "csv"]),
        reverse("shared-file", args=[link.token, "json"]),
    ):
        assert Client().get(address).status_code == 404


def test_a_viewer_reads_reports_and_shares_none(client: Client, campaign: Campaign) -> None:
    row = computed(reader(client, campaign, Role.VIEWER), campaign)
    assert b"Create a link" not in client.get(reverse("kept-report", args=[row.pk])).content
    assert client.post(reverse("share-report", args=[row.pk])).status_code == 403
    assert not ReportShare.objects.exists()


def test_reports_that_nobody_keeps_are_thrown_away_after_a_month(client: Client, campaign: Campaign) -> None:
    kept = computed(reader(client, campaign), campaign)
    client.post(reverse("keep-report", args=[kept.pk]))
    computed(client, campaign, order="ab")

    assert thin_reports(timezone.now() + timedelta(days=29)) == 0
    assert thin_reports(timezone.now() + timedelta(days=31)) == 1
    assert list(Report.objects.all()) == [kept]


def test_names_stand_under_codes_while_they_are_locked(campaign: Campaign) -> None:
    NameLock.objects.create(campaign=campaign, by=campaign.created_by)
    hidden = str(unit_facts(Campaign.objects.get(pk=campaign.pk)))
    Campaign.objects.filter(pk=campaign.pk).update(status=Campaign.Status.CLOSED)
    shown = str(unit_facts(Campaign.objects.get(pk=campaign.pk)))

    assert RARE_A not in hidden
    assert RARE_B not in hidden
    assert RARE_A in shown


def test_a_lock_makes_reports_be_computed_anew(campaign: Campaign) -> None:
    kind = KINDS["labels"]
    before = report_of(campaign, kind, read_settings(campaign, kind, {}))
    NameLock.objects.create(campaign=campaign, by=campaign.created_by)
    locked = Campaign.objects.get(pk=campaign.pk)
    assert report_of(locked, kind, read_settings(locked, kind, {})) != before


def test_a_kept_report_costs_few_queries_however_many_answers_there_are(client: Client, campaign: Campaign) -> None:
    reader(client, campaign)
    computed(client, campaign)
    address = reverse("report", args=[campaign.slug, "labels"])
    client.get(address)
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(address)
    people_say(campaign, SAID, SAID, SAID, first_seat=3)
    computed(client, campaign)
    with CaptureQueriesContext(connection) as many:
        client.get(address)

    assert len(many) == len(few)


def test_the_command_writes_what_the_page_says(campaign: Campaign) -> None:
    def said(*options: str) -> str:
        written = io.StringIO()
        call_command("report", campaign.slug, "labels", *options, stdout=written)
        return written.getvalue()

    assert json.loads(said())["kind"] == "labels"
    assert said("--format", "csv", "--figure", "counts-overall").startswith("who,label_a")
    with pytest.raises(CommandError, match="Name a --figure"):
        said("--format", "csv")
    with pytest.raises(CommandError, match="no choice"):
        said("--set", "order=sideways")


@pytest.mark.parametrize("days", ["abc", "0", "-1", "3.5", "99999", "9" * 6000, None])
def test_wrong_number_of_days_shares_nothing(client: Client, campaign: Campaign, days: str | None) -> None:
    row = computed(reader(client, campaign), campaign)

    response = client.post(
        reverse("share-report", args=[row.pk]), {} if days is None else {"days": days}, follow=True
    )

    assert not ReportShare.objects.exists()
    assert "nothing was shared" in response.content.decode()


def test_report_is_shared_until_it_is_revoked_only_where_that_is_asked_for(
    client: Client, campaign: Campaign
) -> None:
    row = computed(reader(client, campaign), campaign)

    client.post(reverse("share-report", args=[row.pk]), {"days": ""})

    assert ReportShare.objects.get().expires_at is None
