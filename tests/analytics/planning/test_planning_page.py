import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analytics.planning.designs import design_of
from campaigns.models import Campaign
from tests.cases import each
from tests.charts import assert_charts
from tests.factories import make_campaign, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(client: Client) -> Campaign:
    campaign = make_campaign(status="draft", units=8)
    client.force_login(make_member(campaign, "admin"))
    return campaign


def address(campaign: Campaign) -> str:
    return reverse("planning", args=[campaign.slug])


@pytest.mark.parametrize(("protocol", "width", "n"), [("hcot", 2, 2), ("acr", 1, 2), ("podcast", 1, 4)])
def test_design_has_the_systems_of_every_unit(protocol: str, width: int, n: int) -> None:
    campaign = make_campaign(units=2, protocol=protocol)
    campaign.campaign_units.create(unit=campaign.campaign_units.first().unit, position=9, purpose="repeat")

    design = design_of(campaign)

    assert design
    assert design.systems.shape == (n, width)
    assert design.n_systems == (1 if protocol == "acr" else 2)


def test_page_has_a_row_and_two_curves_for_one_to_ten_answers(client: Client, campaign: Campaign) -> None:
    response = client.get(address(campaign))
    page = response.content.decode()

    assert [row.width.answers for row in response.context["rows"]] == list(range(1, 11))
    assert [row.total for row in response.context["rows"]] == [8 * n for n in range(1, 11)]
    assert_charts(page, planes=2)
    assert page.count('class="point"') == 9 + 10
    assert [row.is_current for row in response.context["rows"]] == [True] + [False] * 9


def test_assumptions_change_what_comes_out(client: Client, campaign: Campaign) -> None:
    usual = client.get(address(campaign)).context["plan"]
    other = client.get(address(campaign), {"kappa": 0.8}).context["plan"]

    assert (round(usual.kappa, 2), round(other.kappa, 2)) == (0.4, 0.8)
    assert usual.widths != other.widths


@each(
    "asked",
    [{"kappa": 3}, {"kappa": "much"}, {"ties": 100}, {"spread": -1}, {"pace": 0}, {"kappa": ""}],
    undo=True,
)
def test_nonsense_is_refused_with_a_sentence(client: Client, campaign: Campaign, asked: dict[str, object]) -> None:
    response = client.get(address(campaign), asked)

    assert response.status_code == 422
    assert list(response.context["form"].errors) == list(asked)
    assert "plan" not in response.context


def test_one_click_uses_a_number_and_leads_back_to_the_launch(client: Client, campaign: Campaign) -> None:
    response = client.post(address(campaign), {"answers": "4"})

    assert response["Location"] == reverse("launch-answers", args=[campaign.slug])
    assert Campaign.objects.get().answers_per_unit == 4


@each("answers", ["", "0", "11", "many"], undo=True)
def test_number_that_is_not_in_the_table_is_not_used(client: Client, campaign: Campaign, answers: str) -> None:
    response = client.post(address(campaign), {"answers": answers})

    assert response["Location"] == address(campaign)
    assert Campaign.objects.get().answers_per_unit == 1


def test_number_of_an_opened_campaign_stays(client: Client, campaign: Campaign) -> None:
    Campaign.objects.update(status="open")

    page = client.get(address(campaign)).content.decode()
    client.post(address(campaign), {"answers": "4"})

    assert 'name="answers"' not in page
    assert Campaign.objects.get().answers_per_unit == 1


def test_campaign_without_units_says_what_to_do(client: Client) -> None:
    campaign = make_campaign(status="draft", units=0)
    client.force_login(make_member(campaign, "admin"))

    page = client.get(address(campaign)).content.decode()

    assert f'href="{reverse("launch-units", args=[campaign.slug])}"' in page


def test_single_responses_are_planned_by_shares(client: Client) -> None:
    campaign = make_campaign(status="draft", units=8, protocol="acr")
    client.force_login(make_member(campaign, "admin"))

    response = client.get(address(campaign))

    assert response.context["plan"].kind == "share"
    assert "acceptable" in response.context["form"].fields


def test_page_costs_the_same_queries_for_one_unit_and_for_three(client: Client) -> None:
    counts = []
    for units in (1, 3):
        campaign = make_campaign(units=units, status="draft")
        client.force_login(make_member(campaign, "admin"))
        with CaptureQueriesContext(connection) as queries:
            client.get(address(campaign))
        counts.append(len(queries))

    assert counts[0] == counts[1]
