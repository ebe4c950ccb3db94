import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaigns.models import Campaign, Role
from campaigns.protocol_composer.known_protocols import known_protocol, own_versions, protocol_choices, uses
from corpus.models import Dataset
from protocols import SHIPPED, Listening
from tests.campaigns.launch.launching import begin, launched, step
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_member, make_unit, make_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(client: Client) -> Dataset:
    dataset = make_campaign(units=0).dataset
    make_unit(dataset, "q1")
    client.force_login(UserFactory(is_superuser=True))
    return dataset


def test_known_protocol_is_found_by_name_and_by_version() -> None:
    first, second = make_version("pace", "1"), make_version("pace", "2")

    found = [known_protocol(reference) for reference in ("pace", "pace/1", "pace/2")]

    assert [known and known.row for known in found] == [second, first, second]
    for reference in ("hcot", "hcot/1"):
        known = known_protocol(reference)
        assert known is not None
        assert (known.protocol, known.row, known.choice) == (SHIPPED["hcot"], None, "hcot")


@each("reference", ["", "/", "nothing", "pace/9", "hcot/9", "pace/1/2", "/1"], undo=True)
def test_known_protocol_is_none_where_there_is_none(reference: str) -> None:
    make_version("pace", "1")

    assert known_protocol(reference) is None


def test_own_versions_are_grouped_newest_first() -> None:
    for name, version in (("pace", "1"), ("ease", "1"), ("pace", "1b")):
        make_version(name, version)

    assert [[str(row) for row in rows] for rows in own_versions()] == [["ease/1"], ["pace/1b", "pace/1"]]


def test_uses_are_counted_by_name_and_version_whatever_the_listening_rule() -> None:
    for listening in ("none", "full"):
        make_campaign(units=0, listening=listening)
    make_campaign(units=0, protocol="acr")

    assert uses() == {("hcot", "1"): 2, ("acr", "1"): 1}


def test_protocol_choices_are_grouped_with_older_versions_last() -> None:
    make_version("ease", "1", title="Ease")
    make_version("pace", "1", title="Pace")
    make_version("pace", "2", title="Pace again")
    make_version("both", "1", title="Both", like="hcot")

    choices = dict(protocol_choices())

    assert list(choices) == ["Two responses", "One response", "All responses to an item"]
    assert choices["Two responses"][-1] == ("both/1", "Both, version 1")
    assert ("hcot", "Dimension first (HCoT)") in choices["Two responses"]
    assert choices["One response"][-3:] == [
        ("ease/1", "Ease, version 1"),
        ("pace/2", "Pace again, version 2"),
        ("pace/1", "Pace, older version 1"),
    ]


def test_campaign_is_launched_with_an_own_protocol_of_an_older_version(client: Client, dataset: Dataset) -> None:
    first = make_version("pace", "1", title="First")
    make_version("pace", "2", title="Second")

    campaign = launched(client, dataset, protocol="pace/1", listening="none")

    assert (campaign.protocol.title, campaign.protocol.listening) == ("First", Listening("none", 3.0))
    assert campaign.campaign_units.count() == 2
    assert campaign.protocol_digest != first.digest


@each("choice", ["pace", "pace/2", "nothing", "", "hcot/2"], undo=True)
def test_protocol_step_refuses_a_protocol_that_is_not_among_the_choices(
    client: Client, dataset: Dataset, choice: str
) -> None:
    make_version("pace", "1")
    begin(client, dataset)
    campaign = Campaign.objects.get(title="Mine")

    response = step(client, campaign, "protocol", protocol=choice)

    assert list(response.context["form"].errors) == ["protocol"]
    assert Campaign.objects.get(title="Mine").launch_steps == []


@pytest.mark.parametrize("choice", ["hcot", "pace/1"])
def test_launch_begins_with_the_protocol_of_the_link(client: Client, dataset: Dataset, choice: str) -> None:
    make_version("pace", "1")
    systems = [system.pk for system in dataset.systems.all()]
    asked = {"title": "Mine", "dataset": dataset.pk, "systems": systems}

    page = client.post(reverse("campaign-new", query={"protocol": choice}), asked, follow=True)

    assert page.context["chosen"] == choice
    assert f'value="{choice}" required checked'.encode() in page.content


def test_protocol_step_costs_the_same_queries_for_all_versions(client: Client, dataset: Dataset) -> None:
    begin(client, dataset)
    address = reverse("launch-protocol", args=["mine"])
    make_version("pace", "0")
    with CaptureQueriesContext(connection) as few:
        client.get(address)
    for version in range(1, 4):
        make_version("pace", str(version))
    with CaptureQueriesContext(connection) as many:
        client.get(address)

    assert len(few) == len(many)


def test_campaign_page_leads_launchers_to_the_protocol(client: Client, dataset: Dataset) -> None:
    make_version("pace", "1")
    campaign = launched(client, dataset, protocol="pace/1", listening="seconds")

    def links_to_protocol() -> bool:
        return b'href="/protocols/pace/1/"' in client.get(campaign.get_absolute_url()).content

    assert links_to_protocol()
    client.force_login(make_member(campaign, Role.ADMIN))
    assert not links_to_protocol()
