import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.access import rights_in
from campaigns.models import Campaign, Criterion
from campaigns.navigation import groups
from tests.campaigns.rubrics import DRAFTS, drafted, item_of, rubric_campaign
from tests.charts import assert_charts
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return rubric_campaign(units=3)


@pytest.fixture
def reviewer(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, "reviewer"))
    return client


def item_url(campaign: Campaign, key: str = "0") -> str:
    return reverse("rubric-item", args=[campaign.slug, item_of(campaign, key).pk])


def test_tab_is_there_where_items_bring_criteria(campaign: Campaign) -> None:
    for row, expected in ((campaign, True), (make_campaign(), False)):
        admin = make_member(row, "admin")
        assert (
            "Rubric" in [str(it.title) for group in groups(row, rights_in(row, admin), "") for it in group.tabs]
        ) == expected


def test_page_lists_items_and_how_far_the_review_is(reviewer: Client, campaign: Campaign) -> None:
    drafted(campaign)

    page = reviewer.get(reverse("rubric", args=[campaign.slug])).content.decode()

    assert "0 of 3 items reviewed" in page
    assert page.count(DRAFTS[0]) == 1
    assert "2 drafts wait" in page


def test_review_goes_on_to_the_next_item_once_one_is_through(reviewer: Client, campaign: Campaign) -> None:
    first, second = drafted(campaign)
    url = item_url(campaign)

    stays = reviewer.post(url, {"verb": "accept", "criterion": first.pk})
    goes_on = reviewer.post(url, {"verb": "drop", "criterion": second.pk})

    assert (stays["Location"], goes_on["Location"]) == (url, item_url(campaign, "1"))
    assert list(Criterion.objects.values_list("state", flat=True)) == ["accepted", "dropped"]


def test_criterion_is_added_and_an_item_needs_none(reviewer: Client, campaign: Campaign) -> None:
    reviewer.post(item_url(campaign), {"verb": "add", "text": "Is it brief?"})
    reviewer.post(item_url(campaign, "1"), {"verb": "none"})

    page = reviewer.get(reverse("rubric", args=[campaign.slug])).content.decode()

    assert Criterion.objects.get().state == "accepted"
    assert "2 of 3 items reviewed" in page


def test_refusal_is_told_beside_the_item(reviewer: Client, campaign: Campaign) -> None:
    response = reviewer.post(item_url(campaign), {"verb": "add", "text": " "})

    assert (response.status_code, "needs a text" in response.content.decode()) == (422, True)


@pytest.mark.parametrize("criterion", ["", "x", "999999"])
def test_unknown_criterion_is_not_found(reviewer: Client, campaign: Campaign, criterion: str) -> None:
    assert reviewer.post(item_url(campaign), {"verb": "accept", "criterion": criterion}).status_code == 404


def test_table_is_uploaded_by_managers_and_faults_are_told(client: Client, campaign: Campaign) -> None:
    url = reverse("rubric-upload", args=[campaign.slug])
    client.force_login(make_member(campaign, "researcher"))

    refused = client.post(url, {"file": SimpleUploadedFile("c.csv", b"item,text\n9,A?\n")})
    taken = client.post(url, {"file": SimpleUploadedFile("c.csv", b"item,text\n0,A?\n")})

    assert (refused.status_code, taken.status_code) == (422, 302)
    assert "Row 1: the campaign has no item" in refused.content.decode()
    out = client.get(reverse("rubric-table", args=[campaign.slug])).getvalue().decode()
    assert out == "item,number,text,state,source,model\n0,1,A?,drafted,csv,\n"


def test_opened_campaign_shows_criteria_without_forms(client: Client) -> None:
    campaign = rubric_campaign()
    drafted(campaign)
    Campaign.objects.update(status="open")
    client.force_login(make_member(campaign, "admin"))

    page = client.get(item_url(campaign)).content.decode()

    assert DRAFTS[0] in page
    assert 'name="verb"' not in page
    assert client.post(item_url(campaign), {"verb": "add", "text": "New?"}).status_code == 422


def test_pages_ask_the_database_as_often_for_three_items_as_for_one(client: Client) -> None:
    queries = []
    for n in (1, 3):
        campaign = rubric_campaign(units=n)
        for key in range(n):
            drafted(campaign, str(key))
        client.force_login(make_member(campaign, "admin"))
        client.get(reverse("rubric", args=[campaign.slug]))
        with CaptureQueriesContext(connection) as captured:
            client.get(reverse("rubric", args=[campaign.slug]))
            client.get(item_url(campaign))
        queries.append(len(captured))

    assert queries[0] == queries[1]


def test_acceptance_is_shown_with_its_interval(reviewer: Client, campaign: Campaign) -> None:
    for row in drafted(campaign):
        reviewer.post(item_url(campaign), {"verb": "accept", "criterion": row.pk})
    drafted(campaign, "1")

    page = reviewer.get(reverse("rubric-acceptance", args=[campaign.slug])).content.decode()

    assert_charts(page, planes=0, marks=1)
    assert "2 / 2" in page
    assert "34.2 – 100.0 %" in page
    assert "2 drafts wait and are not counted" in page


def test_campaign_without_item_criteria_has_no_rubric(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, "admin"))

    assert client.get(reverse("rubric", args=[campaign.slug])).status_code == 404
