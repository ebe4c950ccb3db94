"""Whom voters favour: the signal, its page and its API, groups that came alike, the board without them."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from analytics.data.hidden_names import shown_names
from analytics.models import QualityFlag
from analytics.quality.columns import read_given
from analytics.quality.decisions import include_all
from analytics.quality.evaluate import look_at
from analytics.quality.favouring.groups import groups_of
from analytics.quality.pages.favour import FavourPage, favour_page
from analytics.quality.rules import rules_of
from analytics.quality.signals.favours import favouring, taste_of
from annotation.assignment.next_unit import is_paused
from annotation.models import Annotation, Assignment, UseDecision
from arena.board.name_locks import hide_names
from arena.standings.choices import Settings
from campaigns.models import Arrival, Campaign, Membership, Role
from campaigns.quality.rule import Action, Rule
from campaigns.quality.rules import set_rules
from stats.ratings.favour import TASTE
from tests.analytics.quality.answering import membership
from tests.analytics.quality.given import given
from tests.arena.voting import make_arena, vote
from tests.factories import make_invitation, make_member

pytestmark = pytest.mark.django_db
ITEMS, MORE = 8, 12


@pytest.fixture
def campaign() -> Campaign:
    return make_arena(items=MORE)


@pytest.fixture
def honest(campaign: Campaign) -> list[User]:
    """Eight who mostly find Cacomistle the worst."""
    people = [make_member(campaign) for _ in range(8)]
    for n, person in enumerate(people):
        vote(campaign, "Aardwolf", "Binturong", "12"[n % 2], by=person, item=n)
        for item in range(ITEMS):
            better = ("Aardwolf", "Binturong")[(item + n // 2) % 2]
            vote(campaign, better, "Cacomistle", "1112"[(item + n) % 4], by=person, item=item)
    return people


@pytest.fixture
def partisan(campaign: Campaign, honest: list[User]) -> User:
    """Finds Cacomistle the best each time, on whichever side it is heard."""
    person = make_member(campaign)
    for item in range(MORE):
        vote(campaign, "Aardwolf", "Cacomistle", "2", by=person, item=item)
        vote(campaign, "Binturong", "Cacomistle", "1", by=person, item=item, order="ba")
    return person


def ask_rule(campaign: Campaign, action: Action) -> None:
    set_rules(campaign, rules={"favour": Rule(0.7, 8, action)}, user=campaign.created_by)


def left_out(campaign: Campaign, user: User) -> int:
    return Assignment.objects.filter(campaign=campaign, annotator=user, excluded=True).count()


def page_url(campaign: Campaign, name: str = "quality-favour") -> str:
    return reverse(name, args=[campaign.slug])


@pytest.fixture
def reviewer(client: Client, campaign: Campaign) -> User:
    user = make_member(campaign, Role.REVIEWER)
    client.force_login(user)
    return user


# -- the signal ----------------------------------------------------------------------------------------------------


def test_default_rule_warns_and_tolerates_the_documented_taste(campaign: Campaign) -> None:
    rule = rules_of(campaign)["favour"]

    assert (rule.tolerated, rule.action) == (0.7, Action.WARN)
    assert taste_of(rule.tolerated) == pytest.approx(TASTE)
    assert taste_of(0.2) == 0


def test_only_who_favours_a_system_is_flagged(campaign: Campaign, partisan: User) -> None:
    flags = [flag for flag in look_at(campaign) if flag.signal == "favour"]

    assert [flag.membership.user for flag in flags] == [partisan]
    assert flags[0].detail is not None
    assert str(flags[0].detail).startswith("24 of 24 votes for one system")
    assert "Cacomistle" not in str(flags[0].detail)
    assert not left_out(campaign, partisan)


def test_without_systems_or_others_nothing_is_said(campaign: Campaign) -> None:
    person = make_member(campaign)
    vote(campaign, "Aardwolf", "Binturong", "1", by=person)
    (alone,) = favouring(read_given(campaign).given, 0.7)
    (none,) = favouring(given([0]), 0.7)

    assert str(alone.reason) == "fewer than two others have voted"
    assert str(none.reason) == "no answer says which of two systems is better"


def test_rule_leaves_out_and_a_person_takes_it_back_for_good(campaign: Campaign, partisan: User) -> None:
    ask_rule(campaign, Action.EXCLUDE)
    look_at(campaign)
    assert left_out(campaign, partisan) == 2 * MORE
    decision = UseDecision.objects.filter(assignment__annotator=partisan).latest("pk")
    assert (decision.reason, decision.rule) == ("favour", "favour beyond 0.7")

    include_all(membership(campaign, partisan), by=campaign.created_by, reason="other", comment="A fan, and honest.")
    vote(campaign, "Aardwolf", "Binturong", "1", by=partisan)
    look_at(campaign)
    assert left_out(campaign, partisan) == 0
    assert QualityFlag.objects.filter(signal="favour", event="lifted").count() == 1


def test_rule_pauses(campaign: Campaign, partisan: User) -> None:
    ask_rule(campaign, Action.PAUSE)
    look_at(campaign)

    assert is_paused(campaign, partisan)
    assert not left_out(campaign, partisan)


# -- the page ------------------------------------------------------------------------------------------------------


def found(page: FavourPage, campaign: Campaign, user: User) -> str:
    row = next(row for row in page.rows if row.member == membership(campaign, user))
    return f"{row.preference.system} {row.preference.took:g}/{row.preference.n} {row.is_enough} {row.is_believed}"


def test_page_names_who_for_what_and_the_board_without_them(campaign: Campaign, partisan: User) -> None:
    page = favour_page(campaign)

    assert found(page, campaign, partisan) == "Cacomistle 24/24 True True"
    assert page.rows[0].preference.strength in ("strong", "very strong")
    assert [row.is_enough for row in page.rows] == [True] + [False] * 8
    assert [member.user for member in page.away] == [partisan]
    board = {it.name: it.row for it in page.board}
    assert board["Cacomistle"].without.place == 3
    assert (board["Cacomistle"].with_them.rating or 0) - (board["Cacomistle"].without.rating or 0) > 50


def test_those_whose_votes_point_to_one_system_are_named_together(
    client: Client, campaign: Campaign, partisan: User, reviewer: User
) -> None:
    (shared,) = [it for it in favour_page(campaign).together if it.is_for]
    answer = client.get(f"/api/v1/campaigns/{campaign.slug}/favour/").json()["together"]

    assert (shared.system, [it.user for it in shared.members]) == ("Cacomistle", [partisan])
    assert [it["annotators"] for it in answer if it["is_for"]] == [[membership(campaign, partisan).pk]]


def test_boards_are_the_same_without_nobody_and_also_when_left_out(campaign: Campaign, partisan: User) -> None:
    before = [it.row for it in favour_page(campaign).board]
    ask_rule(campaign, Action.EXCLUDE)
    look_at(campaign)
    after = favour_page(campaign)

    assert [it.row for it in after.board] == before
    assert after.rows[0].left_out
    assert all(it.row.moved == 0 for it in favour_page(campaign, without=[]).board)


def test_page_shows_it_and_decisions_are_made_about_the_selected(
    client: Client, campaign: Campaign, partisan: User, reviewer: User
) -> None:
    text = client.get(page_url(campaign)).content.decode()
    assert membership(campaign, partisan).pseudonym in text
    assert "24 of 24, expected" in text

    sent = {"without": [str(membership(campaign, partisan).pk)], "reason": "favour", "comment": "Only one system."}
    for decision, excluded in (("exclude", 2 * MORE), ("include", 0)):
        response = client.post(page_url(campaign, "quality-favour-decide"), sent | {"decision": decision})
        assert response.status_code == 302
        assert left_out(campaign, partisan) == excluded
    client.post(page_url(campaign, "quality-favour-decide"), sent | {"decision": "pause"})
    assert is_paused(campaign, partisan)


def test_decision_needs_somebody_and_a_known_decision(
    client: Client, campaign: Campaign, partisan: User, reviewer: User
) -> None:
    nobody = client.post(page_url(campaign, "quality-favour-decide"), {"decision": "pause", "reason": "favour"})
    sent = {"without": [str(membership(campaign, partisan).pk)], "reason": "favour"}
    unknown = client.post(page_url(campaign, "quality-favour-decide"), sent | {"decision": "decline"})

    assert (nobody.status_code, unknown.status_code) == (422, 422)
    assert "Select at least one person." in nobody.content.decode()
    assert not is_paused(campaign, partisan)


@pytest.mark.parametrize("role", [Role.ANNOTATOR, Role.VIEWER])
def test_page_and_decisions_are_for_reviewers(client: Client, campaign: Campaign, role: Role) -> None:
    client.force_login(make_member(campaign, role))
    page, api = client.get(page_url(campaign)), client.get(f"/api/v1/campaigns/{campaign.slug}/favour/")
    decided = client.post(page_url(campaign, "quality-favour-decide"), {"decision": "pause"})

    assert {page.status_code, api.status_code, decided.status_code} <= {403, 404}


def test_page_before_any_vote_says_so(client: Client, campaign: Campaign, reviewer: User) -> None:
    assert "No votes between two systems yet" in client.get(page_url(campaign)).content.decode()


def test_hidden_names_stay_hidden(client: Client, campaign: Campaign, partisan: User, reviewer: User) -> None:
    hide_names(campaign, user=campaign.created_by, settings=Settings("overall"))
    text = client.get(page_url(campaign)).content.decode()
    answer = client.get(f"/api/v1/campaigns/{campaign.slug}/favour/").content.decode()

    for name in ("Aardwolf", "Binturong", "Cacomistle"):
        assert name not in text
        assert name not in answer
    code = shown_names(campaign, ["Cacomistle"])["Cacomistle"]
    assert f"<bdi>{code}</bdi>" in text


def test_queries_do_not_grow_with_people(client: Client, campaign: Campaign, partisan: User, reviewer: User) -> None:
    client.get(page_url(campaign))

    def queries() -> int:
        vote(campaign, "Aardwolf", "Binturong", "1")
        with CaptureQueriesContext(
            connection,
        ) as seen:
            client.get(page_url(campaign))
        return len(seen)

    assert queries() == queries()


def test_api_says_the_same(client: Client, campaign: Campaign, partisan: User, reviewer: User) -> None:
    url = f"/api/v1/campaigns/{campaign.slug}/favour/"
    answer = client.get(url).json()
    first = answer["voters"][0]
    nobody = client.get(url, {"without": first["id"]}).json()

    assert (first["id"], first["preference"]["system"]) == (membership(campaign, partisan).pk, "Cacomistle")
    assert first["preference"]["evidence"] >= 100
    assert {it["system"]: it["place_without"] for it in answer["board"]}["Cacomistle"] == 3
    assert nobody["board"] == answer["board"]
    assert answer["tolerated"] == 0.7


# -- groups --------------------------------------------------------------------------------------------------------


def apart(campaign: Campaign) -> None:
    """Nobody joined within minutes of anybody."""
    for n, member in enumerate(campaign.memberships.order_by("pk")):
        Membership.objects.filter(pk=member.pk).update(created_at=timezone.now() - timedelta(hours=n + 1))


def test_who_came_by_one_link_or_from_one_address_is_a_group(campaign: Campaign, honest: list[User]) -> None:
    more = [make_member(campaign) for _ in range(4)]
    for person in more:
        vote(campaign, "Aardwolf", "Cacomistle", "2", by=person)
    apart(campaign)
    link = make_invitation(campaign)
    for n, person in enumerate(more[:2]):
        Arrival.objects.create(invitation=link, user=person, use=n + 1)
    Annotation.objects.filter(assignment__annotator__in=more[1:3]).update(origin="one")

    read = read_given(campaign)
    groups = groups_of(campaign, read)
    assert [(it.kind, [read.members[n].user for n in it.raters]) for it in groups] == [
        ("link", more[:2]),
        ("address", more[1:3]),
    ]


def test_a_burst_of_accounts_is_weighed_as_one_voter(campaign: Campaign, honest: list[User]) -> None:
    apart(campaign)
    burst = [make_member(campaign) for _ in range(4)]
    for n, person in enumerate(burst):
        for item in range(4 if n < 2 else 0, 4 if n >= 2 else 8):
            vote(campaign, "Binturong", "Cacomistle", "2", by=person, item=item)
    page = favour_page(campaign)

    (group,) = page.groups
    assert [member.user for member in group.members] == burst
    assert (group.kind, group.preference.system, group.preference.n) == ("burst", "Cacomistle", 16)
    assert group.is_enough


def test_a_group_of_most_is_none(campaign: Campaign, honest: list[User]) -> None:
    assert groups_of(campaign, read_given(campaign)) == []
