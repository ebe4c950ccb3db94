"""The page of what each place of a board depends on: numbers, names under codes, and in how many queries."""

import html
import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from analytics.data.hidden_names import shown_names
from arena.board.name_locks import hide_names
from arena.standings.choices import Settings
from arena.standings.refresh import refresh
from campaigns.models import Campaign, Role
from tests.arena.voting import make_arena, vote
from tests.cases import each
from tests.factories import make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    """Aardwolf won three of four against Binturong; nobody voted on Cacomistle."""
    campaign = make_arena()
    for said in ("1", "1", "1", "2"):
        vote(campaign, "Aardwolf", "Binturong", said)
    return campaign


@pytest.fixture
def client(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.RESEARCHER))
    return client


def text(client: Client, campaign: Campaign, **asked: str) -> str:
    response = client.get(reverse("board-fragility", args=[campaign.slug]), asked)
    assert response.status_code == 200
    return html.unescape(" ".join(re.sub(r"<[^>]*>", " ", response.content.decode()).split()))


@each("asked", [{}, {"method": "elo"}, {"ties": "davidson"}, {"ties": "decisive"}])
def test_page_says_how_many_votes_and_who_is_level_then(
    client: Client, campaign: Campaign, asked: dict[str, str]
) -> None:
    assert "1 Aardwolf 2 of 4 (50 %); then Binturong is level" in text(client, campaign, **asked)


def test_board_leads_there_with_its_settings(client: Client, campaign: Campaign) -> None:
    page = client.get(reverse("board", args=[campaign.slug]), {"ties": "decisive"}).content.decode()

    address = reverse("board-fragility", args=[campaign.slug])
    (query,) = re.findall(rf'href="{address}\?([^"]*)"', page)
    assert "ties=decisive" in query


def test_votes_left_out_of_the_board_are_left_out_here(client: Client, campaign: Campaign) -> None:
    vote(campaign, "Aardwolf", "Binturong", "both_bad")

    assert " 2 of 5 " in text(client, campaign)
    assert " 2 of 4 " in text(client, campaign, ties="without_both_bad")
    assert " 2 of 4 " in text(client, campaign, ties="decisive")


def test_new_votes_make_it_anew(client: Client, campaign: Campaign) -> None:
    assert " 2 of 4 " in text(client, campaign)

    vote(campaign, "Aardwolf", "Binturong", "1")

    assert " 3 of 5 " in text(client, campaign)


def test_hidden_names_are_hidden_here(client: Client, campaign: Campaign) -> None:
    hide_names(campaign, user=campaign.created_by, settings=Settings("overall"))

    said = text(client, campaign)

    assert not re.search("Aardwolf|Binturong", said)
    codes = shown_names(campaign, ["Aardwolf", "Binturong"])
    assert f"1 {codes['Aardwolf']} 2 of 4 (50 %); then {codes['Binturong']} is level" in said


def test_board_without_votes_says_so(client: Client) -> None:
    campaign = make_arena()
    client.force_login(make_member(campaign, Role.RESEARCHER))

    assert "No two systems have been voted on yet" in text(client, campaign)


def test_settings_that_are_not_there_are_refused(client: Client, campaign: Campaign) -> None:
    assert client.get(reverse("board-fragility", args=[campaign.slug]), {"method": "guess"}).status_code == 400


def test_it_takes_the_same_number_of_queries_however_many(client: Client, campaign: Campaign) -> None:
    asked = []
    for _ in range(2):
        refresh(campaign, Settings("overall"))
        with CaptureQueriesContext(connection) as queries:
            text(client, campaign)
        asked.append(len(queries))
        for n in range(3):
            vote(campaign, "Aardwolf", "Cacomistle", "12"[n % 2])

    assert asked[0] == asked[1]
