"""Rules of stopping: chosen at launch by page and API, looked at while answers come, recorded when one closes."""

import math
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import AuditEntry, User
from annotation.answers.submit import record_answers
from annotation.assignment.next_unit import next_assignment
from arena.standings.stopping import n_settled, votes_to_settle
from campaigns.launch.lifecycle import pause_campaign
from campaigns.launch.stopping import close_settled_campaigns, look_at
from campaigns.models import Campaign, Role
from campaigns.tasks import close_settled_campaigns_task
from tests.arena.voting import make_arena, vote
from tests.campaigns.launch.launching import launched, step
from tests.cases import each
from tests.factories import (
    DIRECT_ANSWERS,
    DatasetFactory,
    UserFactory,
    make_campaign,
    make_member,
    make_unit,
)

pytestmark = [pytest.mark.django_db, pytest.mark.databases]
PLACES = {"rule": "places", "places": 1}
TWO = ("Aardwolf", "Binturong")


def decided(campaign: Campaign, *, voters: int) -> None:
    """Each votes once; six of seven for the first system."""
    for number in range(voters):
        vote(campaign, *TWO, "2" if number % 7 == 3 else "1", item=number % 20)


def state_of(campaign: Campaign) -> tuple[str, bool, str]:
    campaign.refresh_from_db()
    return campaign.status, campaign.stop_reached_at is not None, campaign.stop_stands or ""


# -- choosing ---------------------------------------------------------------------------------------------------


@pytest.fixture
def owner(client: Client) -> User:
    owner = UserFactory(is_researcher=True)
    client.force_login(owner)
    return owner


@pytest.fixture
def campaign(client: Client, owner: User) -> Campaign:
    """A draft that went through its launch."""
    dataset = DatasetFactory(created_by=owner)
    for n in range(4):
        make_unit(dataset, f"q{n}").delete()
    return launched(client, dataset)


@each(
    "sent, kept",
    [
        ({"stop_rule": ""}, {}),
        ({"stop_rule": "places", "stop_places": 3}, {"rule": "places", "places": 3}),
        ({"stop_rule": "places", "stop_places": 3, "stop_width": "x"}, {"rule": "places", "places": 3}),
        ({"stop_rule": "agreement", "stop_width": 0.05}, {"rule": "agreement", "width": 0.05}),
        ({"stop_rule": "judges", "stop_kappa": 0.1}, {"rule": "judges", "kappa": 0.1}),
        ({"stop_rule": "worth", "stop_price": 0.3, "stop_worth": 40}, {"rule": "worth", "price": 0.3, "worth": 40.0}),
    ],
    undo=True,
)
def test_a_rule_is_chosen_at_launch_and_shown_again(
    client: Client, campaign: Campaign, sent: dict[str, Any], kept: dict[str, Any]
) -> None:
    assert step(client, campaign, "answers", **sent).status_code == 302

    campaign.refresh_from_db()
    assert campaign.stops_when == kept
    page = client.get(reverse("launch-answers", args=[campaign.slug])).context["form"]
    assert all(page[f"stop_{name}"].value() == value for name, value in kept.items())


@each(
    "sent, refused",
    [
        ({"stop_rule": "places"}, ["stop_places"]),
        ({"stop_rule": "places", "stop_places": 0}, ["stop_places"]),
        ({"stop_rule": "agreement", "stop_width": "nan"}, ["stop_width"]),
        ({"stop_rule": "judges", "stop_kappa": 2}, ["stop_kappa"]),
        ({"stop_rule": "worth", "stop_price": 1}, ["stop_worth"]),
        ({"stop_rule": "tea"}, ["stop_rule"]),
    ],
    undo=True,
)
def test_a_rule_without_its_number_is_refused(
    client: Client, campaign: Campaign, sent: dict[str, Any], refused: list[str]
) -> None:
    response = step(client, campaign, "answers", **sent)

    assert (response.status_code, list(response.context["form"].errors)) == (422, refused)


def test_the_same_by_api(client: Client, campaign: Campaign) -> None:
    address = f"/api/v1/campaigns/{campaign.slug}/"

    def send(rule: object) -> tuple[int, Any]:
        response = client.patch(address, {"stops_when": rule}, content_type="application/json")
        return response.status_code, response.json()

    status, said = send({"rule": "agreement", "width": 0.04})
    assert (status, said["stops_when"], said["stop_reached_at"]) == (200, {"rule": "agreement", "width": 0.04}, None)
    assert send({"rule": "agreement"})[0] == 400
    assert send({"rule": "judges"})[0] == 400
    assert send({"rule": "judges", "kappa": 0.1})[1]["stops_when"] == {"rule": "judges", "kappa": 0.1}
    assert send({"rule": "agreement", "width": 0.04})[0] == 200
    assert client.get(address).json()["stops_when"] == {"rule": "agreement", "width": 0.04}
    assert send(None)[1]["stops_when"] == {}


# -- looking ----------------------------------------------------------------------------------------------------


def test_first_place_is_settled_by_votes_and_closes_the_campaign() -> None:
    campaign = make_arena(systems=TWO, items=20)
    Campaign.objects.update(stops_when=PLACES)

    before = close_settled_campaigns(), state_of(campaign)
    decided(campaign, voters=10)
    early = close_settled_campaigns(), state_of(campaign)
    decided(campaign, voters=50)
    closed = close_settled_campaigns()

    assert before == ([], ("open", False, "No votes connect all systems yet."))
    assert early == ([], ("open", False, "0 of the first 1 places settled"))
    assert closed == [campaign]
    assert state_of(campaign) == ("closed", True, "1 of the first 1 places settled")
    events = list(AuditEntry.objects.values_list("event", flat=True))
    assert events[:2] in (["stopping_rule_reached", "campaign_closed"], ["campaign_closed", "stopping_rule_reached"])
    assert close_settled_campaigns_task() == 0


def test_equal_systems_are_never_settled() -> None:
    campaign = make_arena(systems=TWO, items=20)
    Campaign.objects.update(stops_when=PLACES)
    for number in range(40):
        vote(campaign, *TWO, "1" if number % 2 else "2", item=number % 20)

    assert close_settled_campaigns() == []


def test_paused_campaigns_and_those_without_a_rule_stay_as_they_are() -> None:
    ruled, free = make_arena(systems=TWO, items=20), make_arena(systems=TWO, items=20)
    Campaign.objects.filter(pk=ruled.pk).update(stops_when=PLACES)
    for campaign in (ruled, free):
        decided(campaign, voters=60)
    pause_campaign(ruled)

    assert close_settled_campaigns() == []


def test_more_places_than_systems_are_said() -> None:
    campaign = make_arena(systems=TWO)
    vote(campaign, *TWO, "1")
    campaign.stops_when = {"rule": "places", "places": 3}

    found = look_at(campaign)

    assert (found.reached, found.stands) == (False, "3 places are asked for, and there are 2 systems.")


def test_agreement_without_an_interval_closes_nothing() -> None:
    campaign = make_campaign(answers_per_unit=2, stops_when={"rule": "agreement", "width": 1.0})
    annotator = make_member(campaign)
    held = next_assignment(campaign, annotator)
    assert held
    record_answers(held.pk, annotator=annotator, clicked=DIRECT_ANSWERS, idempotency_key="k")

    assert close_settled_campaigns() == []
    assert state_of(campaign)[2] == "The agreement has no interval yet."


def test_a_place_is_not_worth_more_than_what_it_was_said_to_be_worth() -> None:
    campaign = make_arena(systems=TWO, items=20)
    for number in range(40):
        vote(campaign, *TWO, "1" if number % 2 or number < 4 else "2", item=number % 20)
    rule = {"rule": "worth", "price": 1.0}
    campaign.stops_when = rule | {"worth": 1e9}
    cheap = look_at(campaign)
    campaign.stops_when = rule | {"worth": 1.0}
    dear = look_at(campaign)

    assert (cheap.reached, dear.reached) == (False, True)
    assert "more answers settle the cheapest open place" in dear.stands


@each(
    "low, high, n",
    [(-50.0, 150.0, 300), (-10.0, 110.0, 44), (-300.0, 400.0, 4800)],
)
def test_votes_to_settle_grow_with_the_square_of_what_is_missing(low: float, high: float, n: int) -> None:
    rows = [{"system": "A", "ranks": [1, 2]}, {"system": "B", "ranks": [1, 2]}]
    known = {"of": "B", "to": "A", "beats": "not enough data", "value": -50.0, "low": -high, "high": -low}
    expected = math.ceil(100 * (((high - low) / 2 / 50) ** 2 - 1))

    assert list(votes_to_settle({"rows": rows, "differences": [known], "n": 100})) == [expected] == [n]
    assert n_settled(rows) == 0


def test_the_overview_says_what_it_waits_for_and_how_that_stands(client: Client) -> None:
    campaign = make_arena(systems=TWO, items=20)
    Campaign.objects.update(stops_when=PLACES)
    client.force_login(make_member(campaign, Role.RESEARCHER))
    vote(campaign, *TWO, "1")
    close_settled_campaigns()
    waiting = client.get(reverse("campaign", args=[campaign.slug])).content.decode()
    decided(campaign, voters=60)
    close_settled_campaigns()
    closed = client.get(reverse("campaign", args=[campaign.slug])).content.decode()

    assert "Closes by itself: once place 1 of the board is settled." in " ".join(waiting.split())
    assert "0 of the first 1 places settled" in waiting
    assert "Closed by its rule of stopping:" in closed
    stopping = client.get(reverse("board-file", args=[campaign.slug, "json"])).json()["stopping"]
    assert stopping["stopping_rule"] == "closes once place 1 of the board is settled"
    assert stopping["stopping_rule_reached_at"] is not None
