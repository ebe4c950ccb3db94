"""The board's pages: what they show to whom, in how many queries, and that a link names every setting."""

import html
import json
import re
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation
from pytest_django import Settings

from annotation.models import Assignment, Reason
from annotation.review.exclusions import Decider, exclude_answers
from arena.board.name_locks import hide_names
from arena.models import Board, Standing
from arena.standings.choices import BOOTSTRAPS, offer_of
from arena.standings.refresh import LEASE, refresh_watched, watch
from campaigns.models import Arrival, Campaign, Role
from corpus.models import ResponseTurn, Turn
from infrastructure.wording.reasons import read_reasons, with_details
from tests.arena.voting import make_arena, vote
from tests.cases import each
from tests.charts import assert_charts
from tests.factories import ClipFactory, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_arena(categories=["songs", "news"])
    for one, other, said in [
        ("Aardwolf", "Binturong", "1"),
        ("Aardwolf", "Binturong", "1"),
        ("Aardwolf", "Binturong", "2"),
        ("Aardwolf", "Cacomistle", "both_bad"),
    ]:
        vote(campaign, one, other, said)
    return campaign


@pytest.fixture
def client(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_member(campaign, Role.RESEARCHER))
    return client


def text(client: Client, campaign: Campaign, **asked: str) -> str:
    response = client.get(reverse("board", args=[campaign.slug]), asked)
    assert response.status_code == 200
    page = re.sub(r"<(select|option)[^>]*>|</(select|option)>|<[^>]*>", " ", response.content.decode())
    return html.unescape(" ".join(page.split()))


def table(client: Client, campaign: Campaign, **asked: str) -> dict[str, Any]:
    return client.get(reverse("board-file", args=[campaign.slug, "json"]), asked).json()["table"]


def test_board_shows_every_system_with_its_votes(client: Client, campaign: Campaign) -> None:
    page = client.get(reverse("board", args=[campaign.slug])).content.decode()

    assert re.findall(r'<th scope="row"><bdi>(\w+)</bdi></th>\s*<td class="drawn">', page) == [
        "Aardwolf", "Cacomistle", "Binturong",
    ]  # fmt: skip
    assert "4 votes; standing 1" in page


@each(
    "asked, n",
    [
        ({}, 4),
        ({"category": "songs"}, 4),
        ({"category": "news"}, 0),
        ({"ties": "decisive"}, 4),
        ({"method": "elo", "k": "16"}, 4),
        ({"ties": "davidson"}, 4),
        ({"errors": "bootstrap"}, 4),
        ({"errors": "cluster_bootstrap"}, 4),
    ],
    undo=True,
)
def test_board_takes_its_settings_from_the_address(
    client: Client, campaign: Campaign, asked: dict[str, str], n: int
) -> None:
    assert table(client, campaign, **asked)["n"] == n
    chosen = client.get(reverse("board", args=[campaign.slug]), asked).content.decode()
    for value in asked.values():
        assert f'<option value="{value}" selected>' in chosen


def test_board_says_how_many_voters_were_resampled(client: Client, campaign: Campaign) -> None:
    said = text(client, campaign, errors="cluster_bootstrap")

    assert "95 % intervals from 1,000 resamples of the 4 voters, each with all their votes." in said


def test_board_of_one_voter_says_that_voters_cannot_be_resampled(client: Client, campaign: Campaign) -> None:
    pseudonym = campaign.memberships.filter(role=Role.ANNOTATOR).first().pseudonym

    said = text(client, campaign, errors="cluster_bootstrap", by=pseudonym)

    assert "No intervals: all votes are of one voter" in said


@pytest.mark.parametrize("errors", BOOTSTRAPS)
def test_ratings_that_are_not_resampled_say_so_and_the_api_refuses(
    client: Client, campaign: Campaign, errors: str
) -> None:
    asked = {"ties": "davidson", "errors": errors}
    said = "can be resampled; these intervals are from sandwich errors"

    assert said in text(client, campaign, **asked)
    assert said not in text(client, campaign, ties="davidson")
    assert said not in text(client, campaign, method="elo", errors=errors)
    page = client.get(reverse("board", args=[campaign.slug]), asked).content.decode()
    assert 'value="cluster_bootstrap"' not in page
    response = client.get(f"/api/v1/campaigns/{campaign.slug}/standing/", asked)
    assert response.status_code == 400
    assert "are resampled" in response.content.decode()


def test_board_counts_excluded_answers_only_where_it_is_asked_to(client: Client, campaign: Campaign) -> None:
    exclude_answers(campaign.assignments.all()[:1], reason=Reason.SPEED, decider=Decider(rule="too fast"))

    assert (table(client, campaign)["n"], table(client, campaign, excluded="1")["n"]) == (3, 4)


def test_board_of_one_annotator(client: Client, campaign: Campaign) -> None:
    pseudonym = campaign.memberships.filter(role=Role.ANNOTATOR).first().pseudonym

    assert table(client, campaign, by=pseudonym)["n"] == 1


@each("asked", [{"aspect": "charm"}, {"category": "x"}, {"by": "Z9"}, {"k": "5"}, {"method": "coin"}], undo=True)
def test_board_refuses_settings_that_are_not_there(client: Client, campaign: Campaign, asked: dict[str, str]) -> None:
    assert client.get(reverse("board", args=[campaign.slug]), asked).status_code == 400
    assert Board.objects.count() == 0


def test_sentence_says_whether_one_beats_the_other(client: Client, campaign: Campaign) -> None:
    for _ in range(50):
        vote(campaign, "Binturong", "Cacomistle", "2")
        vote(campaign, "Aardwolf", "Binturong", "1")
        vote(campaign, "Aardwolf", "Cacomistle", "1")

    assert "Aardwolf beats Binturong: yes ." in text(client, campaign, one="Aardwolf", other="Binturong")
    assert "Binturong beats Aardwolf: no ." in text(client, campaign, one="Binturong", other="Aardwolf")


def test_sentence_says_that_there_is_not_enough_data(client: Client, campaign: Campaign) -> None:
    assert "Aardwolf beats Cacomistle: not enough data ." in text(
        client, campaign, one="Aardwolf", other="Cacomistle"
    )
    assert "Choose two different systems." in text(client, campaign, one="Aardwolf", other="Aardwolf")
    assert "Choose two different systems." not in text(client, campaign)  # two are chosen on the page as it comes
    assert "Aardwolf beats Binturong: " in text(client, campaign)
    assert "This method has no intervals." in text(client, campaign, one="Aardwolf", other="Binturong", method="elo")


def test_matrix_has_shares_and_numbers_and_leads_to_the_units(client: Client, campaign: Campaign) -> None:
    page = client.get(reverse("board", args=[campaign.slug])).content.decode()
    cell = re.search(
        r'<td class="heat-5"><a id="[^"]*" href="([^"]*)">67 %</a><span class="under">3 · 100 %</span>', page
    )
    assert cell

    units = client.get(html.unescape(cell[1])).content.decode()

    item = campaign.dataset.items.get(key="item 0")
    assert reverse("item", args=[campaign.dataset.slug, item.pk]) in units
    assert re.findall(r"<bdi>(\w+)</bdi>: <b>(\d)", units) == [("Aardwolf", "2"), ("Binturong", "1")]


def test_units_need_two_systems(client: Client, campaign: Campaign) -> None:
    address = reverse("board-units", args=[campaign.slug])

    assert client.get(address, {"one": "Aardwolf", "other": "Nobody"}).status_code == 400
    assert client.get(address, {"one": "Aardwolf", "other": "Aardwolf"}).status_code == 400


def test_units_behind_a_cell_are_heard_there_prompt_first_then_the_row_then_the_column(
    client: Client, campaign: Campaign
) -> None:
    unit = campaign.campaign_units.get(unit__key="0: Aardwolf Binturong").unit
    clips = [ClipFactory() for _ in range(3)]
    Turn.objects.create(item=unit.item, position=1, text="Say hello", clip=clips[0])
    ResponseTurn.objects.create(response=unit.b, position=1, text="Hello", clip=clips[1])
    ResponseTurn.objects.create(response=unit.a, position=1, clip=clips[2])

    address = reverse("board-units", args=[campaign.slug])
    page = client.get(address, {"one": "Binturong", "other": "Aardwolf"}).content.decode()

    assert re.findall(r"<figcaption>(?:<bdi>)?(\w+)", page) == ["Prompt", "Binturong", "Aardwolf"]
    assert re.findall(r'<audio controls preload="none" src="([^"]+)"', page) == [
        reverse("item-clip", args=[campaign.dataset.slug, unit.item_id, clip.pk]) for clip in clips
    ]


def test_units_behind_a_cell_take_the_same_number_of_queries_however_many(client: Client) -> None:
    asked = []
    for n in (1, 3):
        campaign = make_arena(items=n)
        client.force_login(make_member(campaign, Role.RESEARCHER))
        for item in range(n):
            vote(campaign, "Aardwolf", "Binturong", "1", item=item)
        address = reverse("board-units", args=[campaign.slug])
        with CaptureQueriesContext(connection) as queries:
            page = client.get(address, {"one": "Aardwolf", "other": "Binturong"}).content.decode()
        asked.append(len(queries))
        assert page.count('<section class="panel voted"') == n

    assert asked[0] == asked[1]


def test_systems_without_votes_stand_together_after_those_with_votes(client: Client) -> None:
    campaign = make_arena(systems=("Aardwolf", "Binturong", "Cacomistle", "Dugong"))
    client.force_login(make_member(campaign, Role.RESEARCHER))
    vote(campaign, "Aardwolf", "Binturong", "1")

    said = text(client, campaign)

    assert said.count("Without votes") == 1
    assert said.count("undefined: no votes") == 2
    assert "No votes connect" not in said


def test_board_offers_groups_of_people_by_their_links(client: Client, campaign: Campaign) -> None:
    link = make_invitation(campaign, note="Phoneticians")
    Arrival.objects.create(invitation=link, user=Assignment.objects.first().annotator, use=1)

    page = client.get(reverse("board", args=[campaign.slug]), {"by": f"link-{link.pk}"}).content.decode()

    assert f'<option value="link-{link.pk}" selected>Phoneticians</option>' in page
    assert f"?by=link-{link.pk}" in page or f"&amp;by=link-{link.pk}" in page
    assert table(client, campaign, by=f"link-{link.pk}")["voters"] == 1


def test_systems_without_votes_are_named_as_such(client: Client) -> None:
    campaign = make_arena()
    client.force_login(campaign.memberships.create(user=make_member(campaign, Role.VIEWER), role=Role.REVIEWER).user)

    said = text(client, campaign)

    assert "There are no votes yet." in said
    assert said.count("undefined: no votes") == 3


def test_fragment_takes_what_is_there_and_leaves_the_work_to_the_worker(client: Client, campaign: Campaign) -> None:
    address = reverse("board", args=[campaign.slug])

    first = client.get(address, headers={"HX-Request": "true"}).content.decode()
    refresh_watched()
    second = client.get(address, headers={"HX-Request": "true"}).content.decode()

    assert "The board is being computed for the first time" in first
    assert "4 votes; standing 1" in second
    assert "<html" not in second
    assert 'id="verdict" aria-live="polite" hx-swap-oob="true"' in second


def test_page_that_came_before_the_first_standing_is_drawn_again_with_it(client: Client, campaign: Campaign) -> None:
    """Another worker makes the first standing while the page is drawn: there is nothing to compare on it yet."""
    address = reverse("board", args=[campaign.slug])
    newcomer = {"HX-Request": "true", "HX-Trigger": "board-to-come"}
    watch(campaign, offer_of(campaign).settings({}))
    Board.objects.update(claimed_until=timezone.now() + LEASE)

    page = client.get(address).content.decode()
    waiting = client.get(address, headers=newcomer)
    Board.objects.update(claimed_until=None)
    refresh_watched()
    done = client.get(address, headers=newcomer)

    assert 'id="board-to-come"' in page
    assert 'id="verdict"' not in page
    assert "HX-Refresh" not in waiting
    assert done["HX-Refresh"] == "true"
    assert 'id="board-to-come"' not in client.get(address).content.decode()


def test_history_is_drawn_and_tabled(client: Client, campaign: Campaign) -> None:
    assert "over-time" not in client.get(reverse("board", args=[campaign.slug])).content.decode()
    vote(campaign, "Binturong", "Cacomistle", "1")

    page = client.get(reverse("board", args=[campaign.slug])).content.decode()

    assert page.count('class="series"') == 3
    assert_charts(page, planes=0, marks=3 + page.count('<path class="point'))
    assert "in 2 standings" in page


def test_page_takes_the_same_number_of_queries_however_much_there_is(client: Client) -> None:
    def queries(systems: tuple[str, ...], items: int) -> int:
        campaign = make_arena(systems=systems, items=items)
        client.force_login(make_member(campaign, Role.RESEARCHER))
        for item in range(items):
            for other in systems[1:]:
                vote(campaign, systems[0], other, "1", item=item)
        address = reverse("board", args=[campaign.slug])
        client.get(address)
        with CaptureQueriesContext(connection) as found:
            client.get(address)
        return len(found)

    assert queries(("Aardwolf", "Binturong"), 1) == queries(("Aardwolf", "Binturong", "Cacomistle", "Dik-dik"), 3)


def test_board_is_drawn_once_for_all_who_watch(client: Client, campaign: Campaign, settings: Settings) -> None:
    """Until there is another standing, in another language, or of other systems."""
    settings.CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "board"}}
    cache.clear()
    address = reverse("board", args=[campaign.slug])
    client.get(address)

    def fetched(*, by: Client = client, language: str = "en", **asked: str) -> tuple[str, bool]:
        """What comes, and whether it was drawn for this."""
        headers = {"HX-Request": "true", "Accept-Language": language}
        with CaptureQueriesContext(connection) as found:
            drawn = by.get(address, asked, headers=headers).content.decode()
        return drawn, any(
            "settings_digest" in it["sql"] and "serial" in it["sql"] and "IN (" in it["sql"] for it in found
        )

    first, drawn = fetched()
    viewer = Client()
    viewer.force_login(make_member(campaign, Role.VIEWER))

    assert drawn
    assert fetched(by=viewer) == (first, False)
    assert fetched(language="de")[1]
    assert fetched(one="Aardwolf", other="Binturong")[1]
    vote(campaign, "Binturong", "Cacomistle", "1")
    refresh_watched()
    assert fetched()[1]
    assert fetched()[0] != first


def test_campaign_without_comparisons_has_no_board(client: Client) -> None:
    campaign = make_campaign(protocol="acr")
    client.force_login(make_member(campaign, Role.RESEARCHER))

    assert "No board here" in client.get(reverse("board", args=[campaign.slug])).content.decode()
    assert client.get(reverse("board-file", args=[campaign.slug, "csv"])).status_code == 400
    assert Standing.objects.count() == 0


def test_numbers_answered_are_counted_by_their_sign_and_that_is_said(client: Client) -> None:
    campaign = make_arena(protocol="ccr")
    client.force_login(make_member(campaign, Role.RESEARCHER))
    vote(campaign, "Aardwolf", "Binturong", "3")

    assert "Only their sign counts here, and 0 is a tie." in text(client, campaign)


@pytest.mark.parametrize("form", ["csv", "json", "tex"])
def test_files_hold_what_the_board_shows(client: Client, campaign: Campaign, form: str) -> None:
    response = client.get(reverse("board-file", args=[campaign.slug, form]))

    assert response["Content-Disposition"] == f'attachment; filename="board-{campaign.slug}.{form}"'
    written = response.content.decode()
    assert all(name in written for name in ("Aardwolf", "Binturong", "Cacomistle"))


def test_json_names_the_settings_the_counts_and_the_method(client: Client, campaign: Campaign) -> None:
    document = json.loads(client.get(reverse("board-file", args=[campaign.slug, "json"])).content)

    standing = Standing.objects.get()
    assert document["table"] == with_details(read_reasons(standing.table))
    assert (document["counts_sha256"], document["version"]) == (standing.counts_sha256, standing.version)
    assert document["settings"] == standing.settings


def test_latex_says_what_tex_would_not_read(client: Client) -> None:
    campaign = make_arena(systems=("50%_{up}", "A & B"))
    client.force_login(make_member(campaign, Role.RESEARCHER))

    written = client.get(reverse("board-file", args=[campaign.slug, "tex"])).content.decode()

    assert r"50\%\_\{up\} & -- & -- & -- & 0 \\" in written
    assert r"A \& B & -- & -- & -- & 0 \\" in written


def test_unknown_file_is_not_found(client: Client, campaign: Campaign) -> None:
    assert client.get(reverse("board-file", args=[campaign.slug, "xlsx"])).status_code == 404


def test_board_speaks_german(client: Client, campaign: Campaign) -> None:
    with translation.override("de"):
        page = client.get(
            reverse("board", args=[campaign.slug]),
            {"one": "Aardwolf", "other": "Binturong"},
            headers={"Accept-Language": "de"},
        ).content.decode()

    words = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "Rangliste" in words
    for english in ("Votes", "Rank ", "Win rate", "beats", "interval", "voters", "Bradley–Terry by"):
        assert english not in words


def test_board_whose_votes_are_all_left_out_says_how_many_were_given_and_why_none_counts(
    client: Client, campaign: Campaign
) -> None:
    given = list(Assignment.objects.filter(campaign=campaign, status="answered"))
    exclude_answers(given[:3], reason=Reason.SPEED, decider=Decider(rule="times"))
    exclude_answers(given[3:], reason=Reason.OTHER, decider=Decider(campaign.created_by))

    said = text(client, campaign)

    assert (
        "4 votes were given, and none counts here: 3 left out (Too fast) ; 1 left out (Another reason) ;"
        in said.replace(" ;", ";").replace(";", " ;")
    )
    assert [it for it in ("There are no votes yet", "never met", "No vote was given") if it in said] == []


def test_board_of_few_voters_says_that_their_differences_are_hardly_known(client: Client, campaign: Campaign) -> None:
    assert "Few voters" in text(client, campaign)


def test_pictures_of_the_board_are_files_with_the_names_that_it_shows(client: Client, campaign: Campaign) -> None:
    """A picture has titled axes, and codes in place of names that are hidden."""
    address = reverse("board-file", args=[campaign.slug, "svg"])
    page = client.get(reverse("board", args=[campaign.slug])).content.decode()
    named = {picture: client.get(address, {"picture": picture}) for picture in ("ratings", "matrix")}
    others = [client.get(reverse("board-file", args=[campaign.slug, form])) for form in ("png", "pdf")]
    hide_names(campaign, user=campaign.created_by, settings=offer_of(campaign).settings({}))
    hidden = {picture: client.get(address, {"picture": picture}) for picture in named}

    for picture, title in {"ratings": "Rating and interval", "matrix": "Against"}.items():
        shown, coded = (it[picture].getvalue().decode() for it in (named, hidden))
        assert title in shown
        assert "Aardwolf" in shown
        assert "Aardwolf" not in coded
        assert f"board.svg?{offer_of(campaign).settings({}).query}&amp;picture={picture}" in page
        assert named[picture]["Content-Disposition"].endswith(f'-{picture}.svg"')
    assert [it.getvalue()[1:4] for it in others] == [b"PNG", b"PDF"]
    assert client.get(address, {"picture": "none"}).status_code == 404


def test_board_says_what_may_be_claimed_from_it_and_what_its_colours_mean(client: Client, campaign: Campaign) -> None:
    said = text(client, campaign)

    assert "What may be claimed from this, and what not: That one system is preferred to another" in said
    assert "Share of wins: 0 % 100 %" in said
    assert "System Aardwolf" in said
    assert "Against" in said
