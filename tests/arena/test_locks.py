"""Names hidden until the campaign closes: on the page and in every file, in no order that tells them."""

import hashlib
import json
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from analytics.data.hidden_names import codes, names_are_hidden
from arena.board.name_locks import CannotLock, hide_names, under_codes
from arena.standings.choices import Settings
from arena.standings.refresh import refresh
from campaigns.models import Campaign, NameLock, Role
from tests.arena.voting import SYSTEMS, make_arena, vote
from tests.factories import make_member

pytestmark = pytest.mark.django_db
OVERALL, OTHER = Settings("overall"), Settings("overall", ties="decisive")


VOTES = (("Aardwolf", "Binturong", "1"), ("Binturong", "Cacomistle", "2"), ("Aardwolf", "Cacomistle", "2"))


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_arena()
    for said in VOTES:
        vote(campaign, *said)
    return campaign


@pytest.fixture
def client(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.RESEARCHER))
    return client


def pages(client: Client, campaign: Campaign) -> dict[str, str]:
    addresses = {form: reverse("board-file", args=[campaign.slug, form]) for form in ("csv", "json", "tex")}
    addresses["page"] = reverse("board", args=[campaign.slug]) + "?one=A&other=B"
    return {name: client.get(address).content.decode() for name, address in addresses.items()}


def test_hidden_names_are_nowhere_on_the_board_or_in_its_files(client: Client, campaign: Campaign) -> None:
    client.post(reverse("board-lock", args=[campaign.slug]))
    vote(campaign, "Aardwolf", "Binturong", "2", item=1)

    found = pages(client, campaign)

    assert [name for name, text in found.items() for system in SYSTEMS if system in text] == []
    assert "A beats B:" in found["page"]
    address = reverse("board-units", args=[campaign.slug])
    assert client.get(address, {"one": "Aardwolf", "other": "Binturong"}).status_code == 403


def test_names_come_back_when_the_campaign_closes(client: Client, campaign: Campaign) -> None:
    client.post(reverse("board-lock", args=[campaign.slug]))
    Campaign.objects.update(status=Campaign.Status.CLOSED)

    assert all(system in text for text in pages(client, campaign).values() for system in SYSTEMS)


def test_names_are_hidden_once_and_for_all(campaign: Campaign) -> None:
    user = make_member(campaign, Role.ADMIN)

    assert hide_names(campaign, user=user, settings=OVERALL) == hide_names(campaign, user=user, settings=OTHER)
    assert NameLock.objects.count() == 1
    assert names_are_hidden(campaign)
    assert not names_are_hidden(make_arena())


def planned(client: Client, campaign: Campaign, **asked: str) -> dict[str, Any]:
    return client.get(reverse("board-file", args=[campaign.slug, "json"]), asked).json()["analysis_plan"]


def test_plan_is_fixed_with_the_names_and_every_file_says_so(client: Client, campaign: Campaign) -> None:
    client.post(reverse("board-lock", args=[campaign.slug]), {"ties": "decisive"})
    client.post(reverse("board-lock", args=[campaign.slug]), {"method": "elo"})

    found = planned(client, campaign, ties="decisive")
    files = pages(client, campaign)

    assert found["plan"]["settings"] == OTHER.document()
    document = json.dumps(found["plan"], sort_keys=True, separators=(",", ":"))
    assert found["plan_sha256"] == hashlib.sha256(document.encode()).hexdigest()
    assert (found["plan_before_names_were_shown"], found["as_planned"]) == (1, 1)
    assert planned(client, campaign)["as_planned"] == 0
    assert [name for name, text in files.items() if found["plan_sha256"][:12] not in text] == []
    assert "This board is set otherwise than planned." in files["page"]


@pytest.mark.databases
def test_plan_of_a_board_that_had_shown_names_says_so(client: Client, campaign: Campaign) -> None:
    refresh(campaign, OVERALL)

    client.post(reverse("board-lock", args=[campaign.slug]))

    assert planned(client, campaign)["plan_before_names_were_shown"] == 0


def test_without_a_plan_files_have_none(client: Client, campaign: Campaign) -> None:
    assert set(planned(client, campaign).values()) == {None}


@pytest.mark.databases
def test_plan_needs_settings_that_there_are(client: Client, campaign: Campaign) -> None:
    assert client.post(reverse("board-lock", args=[campaign.slug]), {"ties": "none"}).status_code == 400
    assert not NameLock.objects.exists()


def test_nothing_is_hidden_in_a_closed_campaign(campaign: Campaign) -> None:
    Campaign.objects.update(status=Campaign.Status.CLOSED)

    with pytest.raises(CannotLock):
        hide_names(campaign, user=campaign.created_by, settings=OVERALL)


def test_codes_turn_pairs_and_differences_with_the_names(campaign: Campaign) -> None:
    for said in 4 * VOTES:  # enough for intervals
        vote(campaign, *said)
    standing = refresh(campaign, Settings("overall"))
    assert standing
    code = {"Aardwolf": "C", "Binturong": "B", "Cacomistle": "A"}

    table = under_codes(standing.table, code)

    assert table["pairs"] == [
        {"one": "A", "other": "B", "one_won": 5, "other_won": 0, "tied": 0},
        {"one": "A", "other": "C", "one_won": 5, "other_won": 0, "tied": 0},
        {"one": "B", "other": "C", "one_won": 0, "other_won": 5, "tied": 0},
    ]
    before = {(it["of"], it["to"]): it for island in standing.table["islands"] for it in island["differences"]}
    for it in (it for island in table["islands"] for it in island["differences"]):
        was = before[next(n for n in code if code[n] == it["to"]), next(n for n in code if code[n] == it["of"])]
        assert (it["value"], it["low"], it["high"]) == (-was["value"], -was["high"], -was["low"])


@pytest.mark.databases
def test_codes_are_the_same_each_time_and_another_order_elsewhere() -> None:
    names = [f"system {n}" for n in range(30)]

    assert codes(names, 1) == codes(names, 1)
    assert codes(names, 1) != codes(names, 2)
    assert sorted(codes(names, 1).values(), key=lambda code: (len(code), code))[25:27] == ["Z", "AA"]
