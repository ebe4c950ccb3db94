from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.login.guests import keep_account, make_guest
from accounts.models import User
from campaigns.models import Arrival, Campaign, Consent, Invitation, Membership, Panel, Role
from campaigns.people.consent import ConsentNeeded, new_version
from campaigns.people.invitations import (
    InvalidInvitation,
    InvitationRefused,
    LogInFirst,
    Terms,
    accept_invitation,
    make_invitations,
    revoke_invitation,
    visit,
)
from campaigns.people.members import add_member, annotators_by_state, end_membership
from campaigns.people.panels import NO_PARTICIPANT, PanelIds
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db
P1, P2 = PanelIds("p1", "study", "session"), PanelIds("p2", "study", "session")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=1)


@pytest.fixture
def prolific(campaign: Campaign) -> Invitation:
    return make_invitation(campaign, panel=Panel.PROLIFIC, code_completed="DONE")


# -- making and revoking ---------------------------------------------------------------------------------------


def test_links_are_made_on_the_same_terms_and_cannot_be_guessed(campaign: Campaign) -> None:
    made = make_invitations(campaign, terms=Terms(note="pilot", minutes=20), user=campaign.created_by, how_many=3)

    assert len({row.token for row in made}) == 3
    assert {(row.max_uses, row.note, row.minutes, row.allows_guests) for row in made} == {(1, "pilot", 20, True)}
    # 22 signs of base64 are 128 bits
    assert all(len(row.token) >= 22 for row in made)


@pytest.mark.databases
@each(
    "terms, how_many, fields",
    [
        (Terms(max_uses=0), 1, {"max_uses"}),
        (Terms(), 0, {"how_many"}),
        (Terms(), 501, {"how_many"}),
        (Terms(expires_at=timezone.now() - timedelta(minutes=1)), 1, {"expires_at"}),
        (Terms(panel="mturk"), 1, {"panel"}),
        (Terms(panel="prolific", codes={"completed": "C"}), 1, {"max_uses"}),
        (Terms(panel="prolific", max_uses=None), 1, {"code_completed"}),
        (Terms(panel="prolific", max_uses=None, codes={"completed": "C D"}), 1, {"code_completed"}),
        (Terms(codes={"screened_out": "C/D"}), 1, {"code_screened_out"}),
        (Terms(codes={"bored": "C"}), 1, {"panel"}),
        (Terms(return_url="https://panel.example/"), 1, {"return_url"}),
        (Terms(panel="pid", max_uses=None, return_url="javascript:x"), 1, {"return_url"}),
        (Terms(panel="pid", max_uses=None, return_url="https://panel.example/?c={code}"), 1, {"code_completed"}),
    ],
    undo=True,
)
def test_link_that_could_not_work_is_not_made(
    campaign: Campaign, terms: Terms, how_many: int, fields: set[str]
) -> None:
    with pytest.raises(InvalidInvitation) as refusal:
        make_invitations(campaign, terms=terms, user=campaign.created_by, how_many=how_many)

    assert set(refusal.value.errors) == fields
    assert not Invitation.objects.exists()


@pytest.mark.databases
def test_revoking_keeps_the_time_of_the_first_time(campaign: Campaign) -> None:
    invitation = make_invitation(campaign)

    by = campaign.created_by
    first = revoke_invitation(invitation, by=by).revoked_at

    assert first
    assert revoke_invitation(invitation, by=by).revoked_at == first


# -- coming in ---------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_guest_becomes_an_annotator_with_a_pseudonym(campaign: Campaign) -> None:
    invitation = make_invitation(campaign)

    guest = accept_invitation(invitation.token)

    member = Membership.objects.get(user=guest)
    assert (member.role, member.pseudonym) == (Role.ANNOTATOR, "A1")
    assert guest.is_guest
    assert Arrival.objects.get().user == guest
    assert annotators_by_state(campaign).guests == 1


def test_account_becomes_an_annotator_under_its_own_name(campaign: Campaign) -> None:
    user = UserFactory()

    assert accept_invitation(make_invitation(campaign).token, user=user) == user
    assert Membership.objects.get(user=user).role == Role.ANNOTATOR


def test_guest_of_another_campaign_stays_the_same_person(campaign: Campaign) -> None:
    guest = make_guest()

    assert accept_invitation(make_invitation(campaign).token, user=guest) == guest


def test_every_guest_is_somebody_else_until_the_link_is_used_up(campaign: Campaign) -> None:
    token = make_invitation(campaign, max_uses=2).token

    one, other = accept_invitation(token), accept_invitation(token)

    assert one != other
    with pytest.raises(InvitationRefused, match="As many people"):
        accept_invitation(token)
    assert campaign.memberships.filter(role=Role.ANNOTATOR).count() == 2


def test_link_for_one_person_lets_in_one(campaign: Campaign) -> None:
    token = make_invitation(campaign, max_uses=1).token
    accept_invitation(token)

    with pytest.raises(InvitationRefused, match="for one person"):
        accept_invitation(token)


def test_click_that_comes_twice_is_one_person(campaign: Campaign) -> None:
    token = make_invitation(campaign, max_uses=1).token

    assert accept_invitation(token, click="c" * 32) == accept_invitation(token, click="c" * 32)
    assert Arrival.objects.count() == 1


def test_click_of_a_guest_does_not_lead_into_an_account_that_has_a_password_by_now(campaign: Campaign) -> None:
    token = make_invitation(campaign).token
    guest = accept_invitation(token, click="c" * 32)
    keep_account(guest, username="lena", password="listen-closely")

    with pytest.raises(LogInFirst):
        accept_invitation(token, click="c" * 32)


def test_somebody_who_is_in_already_uses_up_no_link(campaign: Campaign) -> None:
    annotator = add_member(campaign, user=UserFactory(), role=Role.ANNOTATOR).user
    token = make_invitation(campaign, max_uses=1).token

    assert accept_invitation(token, user=annotator) == annotator
    assert not Arrival.objects.exists()
    assert accept_invitation(token) != annotator


@pytest.mark.databases
def test_somebody_who_came_by_the_link_comes_back_when_it_is_used_up_or_over(campaign: Campaign) -> None:
    invitation = make_invitation(campaign, max_uses=1)
    guest = accept_invitation(invitation.token)
    Invitation.objects.update(expires_at=timezone.now() - timedelta(hours=1))

    assert accept_invitation(invitation.token, user=guest) == guest


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"revoked_at": timezone.now()}, "no longer valid"),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, "expired"),
    ],
)
def test_link_that_is_over_lets_nobody_in(campaign: Campaign, fields: dict[str, Any], says: str) -> None:
    token = make_invitation(campaign, **fields).token

    with pytest.raises(InvitationRefused, match=says):
        accept_invitation(token)

    assert not User.objects.filter(is_guest=True).exists()


@pytest.mark.parametrize(("status", "says"), [("draft", "not begun"), ("paused", "paused"), ("closed", "over")])
def test_campaign_that_is_not_open_lets_nobody_in(status: str, says: str) -> None:
    token = make_invitation(make_campaign(units=1, status=status)).token

    with pytest.raises(InvitationRefused, match=says):
        accept_invitation(token)


def test_unknown_token_is_no_invitation() -> None:
    with pytest.raises(Invitation.DoesNotExist):
        accept_invitation("nothing")


def test_somebody_who_was_removed_does_not_let_themselves_in_again(campaign: Campaign) -> None:
    user = UserFactory()
    end_membership(add_member(campaign, user=user, role=Role.ANNOTATOR))

    with pytest.raises(InvitationRefused, match="have left"):
        accept_invitation(make_invitation(campaign).token, user=user)


def test_link_for_accounts_asks_others_to_log_in(campaign: Campaign) -> None:
    token = make_invitation(campaign, allows_guests=False).token

    with pytest.raises(LogInFirst):
        accept_invitation(token)

    assert accept_invitation(token, user=UserFactory())


@pytest.mark.databases
def test_nobody_gets_in_without_agreeing_to_the_newest_text(campaign: Campaign) -> None:
    token = make_invitation(campaign, max_uses=1).token
    new_version(campaign, text="one", user=campaign.created_by)
    new_version(campaign, text="two", user=campaign.created_by)

    for version in (None, 1):
        with pytest.raises(ConsentNeeded):
            accept_invitation(token, agreed=version)
    assert not Arrival.objects.exists()
    assert not User.objects.filter(is_guest=True).exists()

    guest = accept_invitation(token, agreed=2)

    assert Consent.objects.get().user == guest


# -- panels ------------------------------------------------------------------------------------------------------


@pytest.mark.databases
def test_participant_who_comes_again_is_the_same_person_with_a_new_session(prolific: Invitation) -> None:
    first = accept_invitation(prolific.token, ids=P1)
    again = accept_invitation(prolific.token, ids=PanelIds("p1", "study", "another"))

    assert first == again
    arrival = Arrival.objects.get()
    assert (arrival.participant, arrival.study, arrival.session) == ("p1", "study", "another")
    assert prolific.campaign.memberships.filter(role=Role.ANNOTATOR).count() == 1


def test_participant_who_comes_by_two_links_of_a_campaign_is_one_person(
    campaign: Campaign, prolific: Invitation
) -> None:
    other = make_invitation(campaign, panel=Panel.PROLIFIC, code_completed="OTHER")

    assert accept_invitation(prolific.token, ids=P1) == accept_invitation(other.token, ids=P1)
    assert Arrival.objects.count() == 2


def test_same_number_of_another_panel_or_campaign_is_somebody_else(campaign: Campaign, prolific: Invitation) -> None:
    first = accept_invitation(prolific.token, ids=P1)
    others = [
        make_invitation(campaign, panel=Panel.PID),
        make_invitation(make_campaign(units=1), panel=Panel.PROLIFIC, code_completed="DONE"),
    ]

    assert first not in [accept_invitation(other.token, ids=P1) for other in others]


def test_two_participants_at_one_browser_are_two_people(prolific: Invitation) -> None:
    first = accept_invitation(prolific.token, ids=P1)

    second = accept_invitation(prolific.token, user=first, ids=P2)

    assert first != second


def test_participants_keep_coming_back_when_the_places_are_taken(campaign: Campaign) -> None:
    invitation = make_invitation(campaign, panel=Panel.PID, max_uses=2)
    first = accept_invitation(invitation.token, ids=P1)
    accept_invitation(invitation.token, ids=P2)

    assert accept_invitation(invitation.token, ids=P1) == first
    with pytest.raises(InvitationRefused):
        accept_invitation(invitation.token, ids=PanelIds("p3"))


def test_panel_without_a_number_lets_nobody_in(prolific: Invitation) -> None:
    with pytest.raises(InvitationRefused, match="number is missing"):
        accept_invitation(prolific.token, ids=NO_PARTICIPANT, click="c" * 32)


def test_number_does_not_lead_into_an_account_with_a_password(prolific: Invitation) -> None:
    guest = accept_invitation(prolific.token, ids=P1)
    kept = keep_account(guest, username="lena", password="listen-closely")

    with pytest.raises(LogInFirst):
        accept_invitation(prolific.token, ids=P1)
    assert accept_invitation(prolific.token, user=kept, ids=P1) == kept


def test_account_does_not_take_over_somebody_elses_number(prolific: Invitation) -> None:
    accept_invitation(prolific.token, ids=P1)

    with pytest.raises(InvitationRefused, match="Another account"):
        accept_invitation(prolific.token, user=UserFactory(), ids=P1)


def test_account_does_not_come_under_a_second_number(prolific: Invitation) -> None:
    user = UserFactory()
    accept_invitation(prolific.token, user=user, ids=P1)

    with pytest.raises(InvitationRefused, match="another participant number"):
        accept_invitation(prolific.token, user=user, ids=P2)


@pytest.mark.databases
def test_annotator_who_comes_from_a_panel_has_a_way_back_to_it(campaign: Campaign, prolific: Invitation) -> None:
    annotator = make_member(campaign)

    accept_invitation(prolific.token, user=annotator, ids=P1)

    assert Arrival.objects.get(user=annotator).participant == "p1"


# -- what the page shows beforehand ----------------------------------------------------------------------------------


def test_visit_shows_what_would_happen_and_changes_nothing(campaign: Campaign) -> None:
    text = new_version(campaign, text="one", user=campaign.created_by)
    invitation = make_invitation(campaign, max_uses=1)

    found = visit(invitation, user=None, ids=NO_PARTICIPANT)

    assert (found.joined, found.reason, found.consent) == (False, "", text)
    assert not Arrival.objects.exists()


def test_visit_of_somebody_who_is_in_says_so(campaign: Campaign) -> None:
    assert visit(make_invitation(campaign), user=make_member(campaign), ids=NO_PARTICIPANT).joined


def test_visit_of_a_participant_who_lost_their_session_asks_for_nothing_twice(
    campaign: Campaign, prolific: Invitation
) -> None:
    new_version(campaign, text="one", user=campaign.created_by)
    accept_invitation(prolific.token, ids=P1, agreed=1)

    found = visit(prolific, user=None, ids=P1)

    assert (found.joined, found.reason, found.consent) == (False, "", None)


def test_visit_says_why_not(campaign: Campaign) -> None:
    used_up = make_invitation(campaign, max_uses=1)
    accept_invitation(used_up.token)

    assert "for one person" in visit(used_up, user=None, ids=NO_PARTICIPANT).reason
    assert visit(make_invitation(campaign, allows_guests=False), user=None, ids=NO_PARTICIPANT).must_log_in


# -- at the same time ----------------------------------------------------------------------------------------------


def at_once(*visits: Callable[[], User]) -> list[User | None]:
    """Who got in, each in a thread of its own; None for somebody who was refused."""

    def enter(come: Callable[[], User]) -> User | None:
        try:
            return come()
        except InvitationRefused:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(len(visits)) as pool:
        return list(pool.map(enter, visits))


@pytest.mark.django_db(transaction=True)
def test_link_for_three_lets_in_three_of_eight_who_come_at_once() -> None:
    campaign = make_campaign(units=1)
    token = make_invitation(campaign, max_uses=3).token

    came = at_once(*(lambda n=n: accept_invitation(token, click=f"{n:032d}") for n in range(8)))

    assert Counter(person is None for person in came) == {True: 5, False: 3}
    pseudonyms = campaign.memberships.filter(role=Role.ANNOTATOR).values_list("pseudonym", flat=True)
    assert sorted(pseudonyms) == ["A1", "A2", "A3"]
    assert User.objects.filter(is_guest=True).count() == 3


@pytest.mark.django_db(transaction=True)
def test_one_click_that_comes_four_times_at_once_is_one_person() -> None:
    campaign = make_campaign(units=1)
    token = make_invitation(campaign, max_uses=1).token

    came = at_once(*[lambda: accept_invitation(token, click="c" * 32)] * 4)

    assert len(set(came)) == 1
    assert came[0]
    assert campaign.memberships.filter(role=Role.ANNOTATOR).count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_participant_who_comes_four_times_at_once_is_one_person() -> None:
    campaign = make_campaign(units=1)
    links = [make_invitation(campaign, panel=Panel.PID) for _ in range(2)]

    came = at_once(*(lambda link=link: accept_invitation(link.token, ids=P1) for link in links * 2))

    assert len(set(came)) == 1
    assert campaign.memberships.filter(role=Role.ANNOTATOR).count() == 1


@pytest.mark.databases
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"use": 1}, {"use": 1}),
        ({"use": 1, "participant": "p"}, {"use": 2, "participant": "p"}),
        ({"use": 1, "click": "c"}, {"use": 2, "click": "c"}),
    ],
)
def test_constraints_have_the_last_word(campaign: Campaign, first: dict[str, Any], second: dict[str, Any]) -> None:
    invitation = make_invitation(campaign)
    Arrival.objects.create(invitation=invitation, user=UserFactory(), **first)

    with pytest.raises(IntegrityError), transaction.atomic():
        Arrival.objects.create(invitation=invitation, user=UserFactory(), **second)


@pytest.mark.databases
def test_constraint_keeps_one_person_at_one_arrival_per_link(campaign: Campaign) -> None:
    invitation, user = make_invitation(campaign), UserFactory()
    Arrival.objects.create(invitation=invitation, user=user, use=1)

    with pytest.raises(IntegrityError), transaction.atomic():
        Arrival.objects.create(invitation=invitation, user=user, use=2)
