"""The arena's pages: who gets in, what a vote brings, when it is enough, and what nobody learns before their vote."""

import re
from datetime import timedelta

import pytest
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from annotation.models import Annotation, Assignment
from arena.models import ArenaSettings, Entry
from arena.pairing.drawing import next_pair
from campaigns.models import Campaign, CampaignUnit, Membership, NameLock, Role
from campaigns.people.consent import new_version
from campaigns.people.members import end_membership
from corpus.datasets.units import pairs_of_systems
from tests.arena.arenas import draw_and_vote, make_open_arena
from tests.factories import UserFactory, make_member

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}
#: What a vote and the next pair cost, planned ahead or drawn with it, counts taken anew as a test does.
VOTE_QUERIES, VOTE_QUERIES_UNPLANNED = 32, 40


@pytest.fixture
def public() -> ArenaSettings:
    return make_open_arena(is_public=True)


def address(arena: ArenaSettings) -> str:
    return reverse("arena", args=[arena.campaign.slug])


def start(client: Client, arena: ArenaSettings, **data: object) -> HttpResponseBase:
    return client.post(reverse("arena-start", args=[arena.campaign.slug]), data)


def logged_in(arena: ArenaSettings, client: Client) -> User:
    voter = make_member(arena.campaign)
    client.force_login(voter)
    return voter


def cast(client: Client, page: str, said: str = "1", **data: str) -> HttpResponseBase:
    """Vote on the pair that the page shows."""
    found = re.search(r'hx-post="(/arena/[^"]+)"', page)
    assert found
    posted = {"overall": said, "idempotency_key": found[1], **data}
    return client.post(found[1], posted, headers=HTMX)


def everything(response: HttpResponseBase) -> str:
    headers = "\n".join(f"{name}: {value}" for name, value in response.headers.items())
    return headers + "\n" + response.getvalue().decode("latin-1")


# -- coming in -----------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_public_arena_tells_what_it_is_about_and_writes_nothing(client: Client, public: ArenaSettings) -> None:
    people = User.objects.count()

    response = client.get(address(public))

    assert response.status_code == 200
    assert escape(public.campaign.title) in response.content.decode()
    assert "Start as a guest" in response.content.decode()
    assert (User.objects.count(), Assignment.objects.count(), Entry.objects.count()) == (people, 0, 0)


def test_starting_needs_a_post(client: Client, public: ArenaSettings) -> None:
    response = client.get(reverse("arena-start", args=[public.campaign.slug]))

    assert response.status_code == 405
    assert Entry.objects.count() == 0


def test_guest_starts_sets_the_volume_and_votes(client: Client, public: ArenaSettings) -> None:
    response = start(client, public)

    assert response.headers["Location"] == reverse("volume", args=[public.campaign.slug])
    entry = Entry.objects.get()
    assert (entry.membership.user.is_guest, entry.as_guest, len(entry.origin)) == (True, True, 16)
    assert client.get(response.headers["Location"]).status_code == 200
    onward = client.get(reverse("label", args=[public.campaign.slug]))
    assert onward.headers["Location"] == address(public)
    assert cast(client, client.get(address(public)).content.decode()).status_code == 200
    vote = Annotation.objects.get()
    assert (vote.assignment.annotator, vote.origin) == (entry.membership.user, entry.origin)


def test_guest_who_comes_back_with_the_same_cookie_is_the_same_voter(client: Client) -> None:
    arena = make_open_arena(is_public=True, items=1)
    start(client, arena)
    page = client.get(address(arena)).content.decode()
    for _ in range(2):
        page = cast(client, page).content.decode()  # type: ignore[attr-defined]
    start(client, arena)

    page = cast(client, client.get(address(arena)).content.decode()).content.decode()  # type: ignore[attr-defined]

    assert "You have voted on every pair there is" in page
    assert Entry.objects.count() == 1
    assert len({it.campaign_unit_id for it in Assignment.objects.all()}) == 3


@pytest.mark.databases
def test_account_votes_under_its_own_name(client: Client, public: ArenaSettings) -> None:
    user = UserFactory()
    client.force_login(user)

    start(client, public)

    assert Membership.objects.get(campaign=public.campaign, role=Role.ANNOTATOR).user == user
    assert not Entry.objects.get().as_guest


def test_guests_may_be_kept_out(client: Client) -> None:
    arena = make_open_arena(is_public=True, takes_guests=False)

    assert "Start as a guest" not in client.get(address(arena)).content.decode()
    assert start(client, arena).status_code == 409
    assert Entry.objects.count() == 0


def test_consent_is_asked_of_the_version_that_was_read(client: Client, public: ArenaSettings) -> None:
    text = new_version(public.campaign, text="Your votes are kept.", user=public.campaign.created_by)
    people = User.objects.count()

    refused = start(client, public)
    assert "Your votes are kept." in everything(refused)
    assert (User.objects.count(), Entry.objects.count()) == (people, 0)

    assert start(client, public, agree=text.version).status_code == 302


@pytest.mark.parametrize("status", ["draft", "paused", "closed"])
def test_arena_that_is_not_open_lets_nobody_in(client: Client, status: str) -> None:
    arena = make_open_arena(is_public=True, status=status)

    page = client.get(address(arena))

    assert page.status_code == (302 if status == "draft" else 200)
    assert "Start as a guest" not in page.content.decode()
    assert start(client, arena).status_code == (404 if status == "draft" else 409)
    assert Entry.objects.count() == 0


def test_arena_for_invited_voters_is_nobody_elses(client: Client) -> None:
    arena = make_open_arena()

    assert client.get(address(arena)).headers["Location"].startswith(reverse("login"))
    assert start(client, arena).status_code == 404
    client.force_login(UserFactory())
    assert client.get(address(arena)).status_code == 404
    logged_in(arena, client)
    assert client.get(address(arena)).status_code == 200


def test_somebody_who_left_does_not_come_back_by_themselves(client: Client, public: ArenaSettings) -> None:
    voter = logged_in(public, client)
    end_membership(Membership.objects.get(user=voter))

    assert "You took part in this arena and have left it." in client.get(address(public)).content.decode()
    assert start(client, public).status_code == 409


@pytest.mark.databases
def test_ordinary_campaign_has_no_arena(client: Client) -> None:
    arena = make_open_arena()
    ArenaSettings.objects.all().delete()
    Campaign.objects.update(label_page="label")
    logged_in(arena, client)

    assert client.get(address(arena)).headers["Location"] == reverse("label", args=[arena.campaign.slug])
    assert client.post(reverse("arena-ahead", args=[arena.campaign.slug])).status_code == 404


# -- voting --------------------------------------------------------------------------------------------------------


def test_dimension_capability_turns_and_reason_are_there(client: Client) -> None:
    facts = ({"dimension": "Paralinguistics", "capability": "Hearing sarcasm"},)
    arena = make_open_arena(protocol="arena", facts=facts, turns=3)
    logged_in(arena, client)

    page = client.get(address(arena)).content.decode()

    assert "Paralinguistics" in page
    assert "Hearing sarcasm" in page
    assert sorted(re.findall(r'data-place="(\d)" data-turn="(\d)"', page)) == [
        (place, turn) for place in "012" for turn in "123"
    ]
    assert 'data-question="reason"' in page
    refused = cast(client, page)
    assert refused.status_code == 422
    assert cast(client, page, reason="1 heard the sigh.").status_code == 200


def test_vote_brings_the_next_pair(client: Client, public: ArenaSettings) -> None:
    voter = logged_in(public, client)
    page = client.get(address(public)).content.decode()
    ahead = client.post(reverse("arena-ahead", args=[public.campaign.slug])).json()

    following = cast(client, page).content.decode()  # type: ignore[attr-defined]

    assert f'data-assignment="{ahead["assignment"]}"' in following
    assert all(clip.startswith("/listen/") for clip in ahead["clips"].values())
    assert "1 vote of yours" in following
    assert Annotation.objects.get().assignment.annotator == voter


def test_same_click_sent_twice_is_one_vote(client: Client, public: ArenaSettings) -> None:
    logged_in(public, client)
    page = client.get(address(public)).content.decode()

    following = [re.search(r'data-assignment="([^"]+)"', everything(cast(client, page))) for _ in range(2)]

    assert Annotation.objects.count() == 1
    assert len({found[1] for found in following if found}) == 1


def test_votes_cannot_be_given_past_the_arena(client: Client, public: ArenaSettings) -> None:
    """The label page's own addresses lead here, and assign only drawn pairs."""
    voter = logged_in(public, client)
    assignment = next_pair(public, voter)
    assert assignment
    slug = public.campaign.slug

    answered = client.post(reverse("answer", args=[slug, assignment.pk]), {"overall": "1"}, headers=HTMX)
    ahead = client.post(reverse("ahead", args=[slug]))

    assert answered.headers["HX-Redirect"] == address(public)
    assert ahead.status_code == 204
    assert (Annotation.objects.count(), Assignment.objects.count()) == (0, 1)


@pytest.mark.databases
def test_last_vote_can_be_changed(client: Client, public: ArenaSettings) -> None:
    logged_in(public, client)
    page = cast(client, client.get(address(public)).content.decode()).content.decode()  # type: ignore[attr-defined]
    assert "data-take-back" in page

    back = client.post(reverse("take-back", args=[public.campaign.slug]), headers=HTMX)
    cast(client, client.get(address(public)).content.decode(), said="2", idempotency_key="again")

    assert back.headers["HX-Redirect"] == address(public)
    first, second = Annotation.objects.order_by("pk")
    assert second.supersedes == first


@pytest.mark.databases
def test_vote_costs_the_same_queries_whatever_there_is(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    arena = make_open_arena(is_public=True, items=5)
    for position, unit in enumerate(pairs_of_systems(arena.campaign.dataset)):
        CampaignUnit.objects.create(campaign=arena.campaign, unit=unit, position=position)
    logged_in(arena, client)
    page = client.get(address(arena)).content.decode()
    for n in (0, 6):
        for _ in range(n):
            draw_and_vote(arena)
        client.post(reverse("arena-ahead", args=[arena.campaign.slug]))
        with django_assert_num_queries(VOTE_QUERIES):
            page = cast(client, page).content.decode()  # type: ignore[attr-defined]
    Assignment.objects.filter(status="planned").delete()
    with django_assert_num_queries(VOTE_QUERIES_UNPLANNED):
        cast(client, page)


# -- names ---------------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_names_are_told_after_the_vote_and_never_before(client: Client) -> None:
    arena = make_open_arena(is_public=True, reveals_names=True)
    voter = logged_in(arena, client)
    page = client.get(address(arena))
    before = everything(page)
    assignment = Assignment.objects.get(annotator=voter)
    unit = assignment.campaign_unit.unit
    names = [unit.a.system.name, unit.b.system.name]
    if assignment.order == "ba":
        names.reverse()
    faulty = client.post(reverse("arena-vote", args=[arena.campaign.slug, assignment.pk]), {}, headers=HTMX)

    after = cast(client, page.content.decode()).content.decode()  # type: ignore[attr-defined]

    assert faulty.status_code == 422
    assert not any(name in before + everything(faulty) for name in names)
    assert re.findall(r"<dd><bdi>(\w+)</bdi></dd>", after) == names


@pytest.mark.databases
def test_vote_that_names_followed_cannot_be_changed(client: Client) -> None:
    arena = make_open_arena(reveals_names=True)
    logged_in(arena, client)
    page = cast(client, client.get(address(arena)).content.decode()).content.decode()  # type: ignore[attr-defined]

    client.post(reverse("take-back", args=[arena.campaign.slug]), headers=HTMX)

    assert "data-take-back" not in page
    assert not Assignment.objects.exclude(reopened_at=None).exists()


def test_hidden_names_are_told_to_nobody(client: Client) -> None:
    arena = make_open_arena(reveals_names=True)
    NameLock.objects.create(campaign=arena.campaign, by=arena.campaign.created_by)
    logged_in(arena, client)

    page = cast(client, client.get(address(arena)).content.decode()).content.decode()  # type: ignore[attr-defined]

    assert 'class="revealed' not in page


def test_nothing_a_voter_receives_names_a_system(client: Client) -> None:
    secrets = ["Xylophagous", "Quokkawise", "Borborygmus"]
    arena = make_open_arena(is_public=True, systems=secrets, items=2)
    slug = arena.campaign.slug
    received = {"landing": everything(client.get(address(arena)))}
    received["start"] = everything(start(client, arena))
    for n in range(7):
        page = client.get(address(arena))
        received[f"page {n}"] = everything(page)
        received[f"ahead {n}"] = everything(client.post(reverse("arena-ahead", args=[slug])))
        if "hx-post" in page.content.decode():
            received[f"vote {n}"] = everything(cast(client, page.content.decode()))
    received["home"] = everything(client.get("/"))

    assert "every pair there is" in received["page 6"]
    leaks = [(url, name) for url, text in received.items() for name in secrets if name.casefold() in text.casefold()]
    assert leaks == []


# -- enough --------------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_person_votes_so_often_in_an_hour_and_no_more(client: Client) -> None:
    arena = make_open_arena(votes_per_hour=2, items=5)
    voter = logged_in(arena, client)
    page = client.get(address(arena)).content.decode()
    page = cast(client, page).content.decode()  # type: ignore[attr-defined]
    last = cast(client, page)
    first = Annotation.objects.order_by("pk").first()
    assert first

    again = client.get(address(arena))

    assert last.status_code == 200
    assert "That is enough for now" in everything(last)
    assert again.status_code == 429
    assert 3590 <= int(again.headers["Retry-After"]) <= 3601
    free_at = timezone.localtime(first.recorded_at + timedelta(hours=1))
    assert f"Come back at {free_at:%H:%M}" in again.content.decode()
    Annotation.objects.filter(pk=first.pk).update(recorded_at=timezone.now() - timedelta(minutes=61))
    assert client.get(address(arena)).status_code == 200
    assert Assignment.objects.filter(annotator=voter, status="reserved").count() == 1


@pytest.mark.databases
def test_address_votes_so_often_whoever_it_is(client: Client) -> None:
    arena = make_open_arena(is_public=True, votes_per_address=3)
    start(client, arena)
    origin = Entry.objects.get().origin
    for _ in range(3):
        draw_and_vote(arena, origin=origin)

    assert client.get(address(arena)).status_code == 429
    assert Client(REMOTE_ADDR="198.51.100.7").get(address(arena)).status_code == 200


@pytest.mark.databases
def test_guests_from_one_address_come_so_often_in_an_hour() -> None:
    arena = make_open_arena(is_public=True, guests_per_address=2)

    came = [start(Client(), arena) for _ in range(3)]
    elsewhere = start(Client(REMOTE_ADDR="198.51.100.7"), arena)

    assert [response.status_code for response in [*came, elsewhere]] == [302, 302, 429, 302]
    assert "Come back at" in everything(came[2])
    assert int(came[2].headers["Retry-After"]) > 3500
    assert User.objects.filter(is_guest=True).count() == 3


def test_pages_of_an_arena_know_no_number_of_answers_that_is_the_last(client: Client, public: ArenaSettings) -> None:
    """Units are made as people come: neither a voter nor the staff is told that nothing is left."""
    voter = make_member(public.campaign)
    assignment = next_pair(public, voter)
    assert assignment
    client.force_login(voter)
    for_voter = client.get("/").content.decode()
    client.force_login(make_member(public.campaign, Role.ADMIN))
    pulse = client.get(f"/campaigns/{public.campaign.slug}/pulse/").content.decode()

    assert "You have answered 0 pairs." in for_voter
    assert "Nothing is left for you" not in for_voter
    assert "no number is the last" in pulse
    assert "Estimated finish" not in pulse
