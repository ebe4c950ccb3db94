"""Boards of groups: people who came by one link, or by none."""

import pytest

from analytics.data.rater_groups import NO_LINK, evaluators_of, groups_of
from analytics.data.votes.cache import kept_ballot
from analytics.data.votes.table import Selection, stamp, tally
from annotation.withdrawal.withdraw import withdraw
from arena.standings.choices import Settings, offer_of
from arena.standings.refresh import refresh
from campaigns.models import Arrival, Campaign, Invitation
from tests.arena.voting import make_arena, vote
from tests.factories import make_invitation, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign() -> Campaign:
    return make_arena()


@pytest.fixture
def experts(campaign: Campaign) -> Invitation:
    """Two came by the link, one came without; the two are for Aardwolf, the one is for Binturong."""
    link = make_invitation(campaign, note="Phoneticians")
    for said, came in (("1", True), ("1", True), ("2", False)):
        person = make_member(campaign)
        vote(campaign, "Aardwolf", "Binturong", said, by=person)
        if came:
            Arrival.objects.create(invitation=link, user=person, use=link.arrivals.count() + 1)
    return link


def won(campaign: Campaign, by: str) -> list[tuple[str, str, int, int]]:
    standing = refresh(campaign, Settings("overall", by=by))
    assert standing
    return [(it["one"], it["other"], it["one_won"], it["other_won"]) for it in standing.table["pairs"]]


def test_groups_are_the_links_by_which_somebody_came_and_those_who_came_by_none(
    campaign: Campaign, experts: Invitation
) -> None:
    make_invitation(campaign, note="nobody came by this one")

    assert groups_of(campaign) == {f"link-{experts.pk}": "Phoneticians", NO_LINK: "Came by no link"}


def test_campaign_where_nobody_came_by_a_link_has_no_groups(campaign: Campaign) -> None:
    make_invitation(campaign)

    assert groups_of(campaign) == {}


def test_link_without_a_note_goes_by_its_number(campaign: Campaign) -> None:
    link = make_invitation(campaign, note="")
    Arrival.objects.create(invitation=link, user=make_member(campaign), use=1)

    assert groups_of(campaign)[f"link-{link.pk}"] == f"Link {link.pk}"


def test_board_of_a_group_has_its_votes_alone(campaign: Campaign, experts: Invitation) -> None:
    assert won(campaign, f"link-{experts.pk}") == [("Aardwolf", "Binturong", 2, 0)]
    assert won(campaign, NO_LINK) == [("Aardwolf", "Binturong", 0, 1)]
    assert won(campaign, "") == [("Aardwolf", "Binturong", 2, 1)]


def test_kept_votes_of_a_group_are_those_of_its_answers(campaign: Campaign, experts: Invitation) -> None:
    for by in (f"link-{experts.pk}", NO_LINK):
        selection = Selection("overall", by=by)

        assert len(kept_ballot(campaign, selection).voters) == tally(campaign, selection).counts.n


def test_board_of_a_group_moves_when_somebody_who_voted_comes_by_its_link(
    campaign: Campaign, experts: Invitation
) -> None:
    before = won(campaign, NO_LINK)
    loner = campaign.memberships.exclude(user__in=experts.arrivals.values("user")).get(role="annotator").user
    stamped = stamp(campaign, NO_LINK)

    Arrival.objects.create(invitation=experts, user=loner, use=3)

    assert stamp(campaign, NO_LINK) != stamped
    assert before == [("Aardwolf", "Binturong", 0, 1)]
    assert won(campaign, NO_LINK) == []
    assert won(campaign, f"link-{experts.pk}") == [("Aardwolf", "Binturong", 2, 1)]


def test_who_withdraws_their_name_stays_in_their_group(campaign: Campaign, experts: Invitation) -> None:
    person = experts.arrivals.get(use=1).user

    withdraw(campaign, person, identity=True, answers=False)

    assert won(campaign, f"link-{experts.pk}") == [("Aardwolf", "Binturong", 2, 0)]


def test_group_of_another_campaign_is_no_choice_here(campaign: Campaign, experts: Invitation) -> None:
    other = make_arena()
    link = make_invitation(other)
    Arrival.objects.create(invitation=link, user=make_member(other), use=1)

    assert f"link-{link.pk}" not in offer_of(campaign).groups
    assert not set(evaluators_of(campaign)) & set(offer_of(campaign).groups)
