"""Which response comes first, and what an arena tells when: one page for either order, and names after the vote."""

import re
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from annotation.models import Assignment
from arena.models import ArenaSettings, Draw
from arena.pairing.drawing import next_pair, plan_pair
from campaigns.models import Campaign
from tests.annotation.test_listening import deliver_fakes
from tests.arena.arenas import SYSTEMS, make_open_arena
from tests.cases import each
from tests.factories import make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def plain(page: str) -> str:
    """Without keys, tokens and addresses, which are drawn anew for each unit."""
    return re.sub(r"\w{32,}[\w:.-]*|[0-9a-f-]{36}", "…", page)


def test_page_and_its_queries_are_the_same_for_either_order(client: Client, media_root: Path) -> None:
    campaign = make_campaign()
    deliver_fakes(campaign)
    annotator = make_member(campaign)
    client.force_login(annotator)
    seen = set()
    for order in ("ab", "ba"):
        Assignment.objects.all().delete()
        held = make_assignment(campaign, annotator, order=order)
        with CaptureQueriesContext(connection) as asked:
            page = client.get(reverse("label", args=[campaign.slug]))
        heard = client.post(reverse("heard", args=[campaign.slug, held.pk]), {"heard": "[]"})
        ahead = client.post(reverse("ahead", args=[campaign.slug]))
        seen.add((plain(page.content.decode()), len(asked), plain(str(heard.headers)), plain(ahead.content.decode())))

    assert len(seen) == 1


def test_length_of_a_clip_is_refused_in_the_same_words_for_either_response(client: Client) -> None:
    """A report of listening is checked against the lengths: what it says of one place it says of the other."""
    campaign = make_campaign()
    annotator = make_member(campaign)
    client.force_login(annotator)
    held = make_assignment(campaign, annotator)
    report = '[{"number": %d, "ranges": {"%s": [[0, 99]]}, "plays": {}, "switches": 0, "hidden_s": 0}]'
    address = reverse("heard", args=[campaign.slug, held.pk])

    said = {client.post(address, {"heard": report % (n, f"{n}-1")}).content for n in (1, 2)}

    assert len(said) == 1


# -- an arena that tells the names after each vote


@pytest.fixture
def arena() -> ArenaSettings:
    return make_open_arena(reveals_names=True)


@pytest.fixture
def voter(client: Client, arena: ArenaSettings) -> User:
    voter = make_member(arena.campaign)
    client.force_login(voter)
    return voter


def vote(client: Client, arena: ArenaSettings, pk: object, **sent: str) -> str:
    address = reverse("arena-vote", args=[arena.campaign.slug, pk])
    return client.post(address, sent, headers=HTMX).content.decode()


def held_by(arena: ArenaSettings, voter: User) -> Assignment:
    held = next_pair(arena, voter)
    assert held
    return held


def without_a_choice(client: Client, arena: ArenaSettings, voter: User) -> str:
    return vote(client, arena, held_by(arena, voter).pk)


def with_a_choice_that_is_none(client: Client, arena: ArenaSettings, voter: User) -> str:
    return vote(client, arena, held_by(arena, voter).pk, overall="a")


def for_what_comes_next(client: Client, arena: ArenaSettings, voter: User) -> str:
    held_by(arena, voter)
    planned = plan_pair(arena, voter)
    assert planned
    return vote(client, arena, planned.pk, overall="1")


def for_what_another_has(client: Client, arena: ArenaSettings, voter: User) -> str:
    other = held_by(arena, make_member(arena.campaign))
    return vote(client, arena, other.pk, overall="1")


def for_nothing(client: Client, arena: ArenaSettings, voter: User) -> str:
    return vote(client, arena, uuid4(), overall="1")


def after_giving_it_back(client: Client, arena: ArenaSettings, voter: User) -> str:
    held = held_by(arena, voter)
    back = client.post(reverse("give-back", args=[arena.campaign.slug, held.pk]), {"reason": "other"}, headers=HTMX)
    return back.content.decode() + vote(client, arena, held.pk, overall="1")


def by_the_other_page(client: Client, arena: ArenaSettings, voter: User) -> str:
    held = held_by(arena, voter)
    here = [arena.campaign.slug, held.pk]
    said = client.post(reverse("answer", args=here), {"overall": "1"}, headers=HTMX).content.decode()
    return said + client.get(reverse("label", args=here[:1]), follow=True).content.decode()


def by_what_is_ahead(client: Client, arena: ArenaSettings, voter: User) -> str:
    held_by(arena, voter)
    ahead = client.post(reverse("arena-ahead", args=[arena.campaign.slug]))
    assert set(ahead.json()) == {"assignment", "clips"}
    return ahead.content.decode() + str(ahead.headers)


def by_the_draw(client: Client, arena: ArenaSettings, voter: User) -> str:
    """How the pair was drawn, with which chance, is for those who run the arena."""
    held_by(arena, voter)
    files = [reverse("arena-votes", args=[arena.campaign.slug, form]) for form in ("csv", "jsonl")]
    board = reverse("board", args=[arena.campaign.slug])
    assert Draw.objects.exists()
    return "".join(client.get(address).content.decode() for address in [*files, board])


ATTACKS: list[Callable[[Client, ArenaSettings, User], str]] = [
    without_a_choice, with_a_choice_that_is_none, for_what_comes_next, for_what_another_has, for_nothing,
    after_giving_it_back, by_the_other_page, by_what_is_ahead, by_the_draw,
]  # fmt: skip


@each("attack", ATTACKS, undo=True)
def test_names_are_not_told_before_the_vote(
    client: Client, arena: ArenaSettings, voter: User, attack: Callable[[Client, ArenaSettings, User], str]
) -> None:
    said = attack(client, arena, voter)

    assert [name for name in SYSTEMS if name in said] == []


def test_names_are_told_after_the_vote_and_it_stays_as_it_is(
    client: Client, arena: ArenaSettings, voter: User
) -> None:
    held = held_by(arena, voter)

    said = vote(client, arena, held.pk, overall="1")
    client.post(reverse("take-back", args=[arena.campaign.slug]), headers=HTMX)

    assert sum(name in said for name in SYSTEMS) == 2
    held.refresh_from_db()
    assert held.reopened_at is None
    assert Campaign.objects.get(pk=arena.campaign.pk).answers_are_final
