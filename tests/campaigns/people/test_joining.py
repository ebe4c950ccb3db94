"""By a link into a campaign, as a browser goes: from the link to the first unit, and back to the panel."""

import html
import logging
import re
from pathlib import Path

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.models import Assignment
from campaigns.models import Arrival, Campaign, Consent, Invitation, Membership, Role
from campaigns.people.consent import new_version
from campaigns.people.members import add_member
from tests.annotation.test_listening import deliver_fakes
from tests.cases import each
from tests.factories import DIRECT_ANSWERS, RARE_A, RARE_B, UserFactory, make_campaign, make_invitation, make_member

pytestmark = pytest.mark.django_db
PID = "5e9b9c9brarepid9c9b9c9b9"
SENT = {"PROLIFIC_PID": PID, "STUDY_ID": "rarestudy", "SESSION_ID": "raresession"}
HTMX = {"HX-Request": "true"}


@pytest.fixture
def campaign(media_root: Path) -> Campaign:
    campaign = make_campaign(units=1)
    deliver_fakes(campaign)
    return campaign


@pytest.fixture
def prolific(campaign: Campaign) -> Invitation:
    return make_invitation(campaign, panel="prolific", code_completed="C0MPL", code_screened_out="SCR33N")


def label_url(campaign: Campaign) -> str:
    return reverse("label", args=[campaign.slug])


def fields_of(page: str) -> dict[str, str]:
    """What the form on the join page would send, box ticked."""
    names = re.findall(r'<input type="(?:hidden|checkbox)"[^>]*? name="(click|agree)" value="([^"]*)"', page)
    return dict(names)


def join(client: Client, invitation: Invitation, **changes: str) -> str:
    """Open the link and press the button; return where it leads."""
    page = client.get(invitation.get_absolute_url()).content.decode()
    response = client.post(invitation.get_absolute_url(), fields_of(page) | changes)
    assert response.status_code == 302
    return str(response["Location"])


def test_link_shows_what_is_asked_and_no_system(client: Client, campaign: Campaign) -> None:
    invitation = make_invitation(campaign, minutes=25)

    response = client.get(invitation.get_absolute_url())

    page = html.unescape(response.content.decode())
    assert response.status_code == 200
    for said in (
        campaign.title,
        campaign.protocol.title,
        campaign.protocol.instructions,
        "up to 1",
        "about 25 minutes",
    ):
        assert said in page
    assert RARE_A not in page
    assert RARE_B not in page


def test_looking_at_a_link_changes_nothing(client: Client, campaign: Campaign) -> None:
    url = make_invitation(campaign, max_uses=1).get_absolute_url()

    for _ in range(2):
        assert client.get(url).status_code == 200

    assert not Arrival.objects.exists()
    assert not User.objects.filter(is_guest=True).exists()


def test_guest_joins_by_one_button_and_labels(client: Client, campaign: Campaign) -> None:
    assert join(client, make_invitation(campaign)) == label_url(campaign)

    page = client.get(label_url(campaign)).content.decode()
    assert "data-question" in page
    assert Membership.objects.get(role=Role.ANNOTATOR).user.is_guest


def test_join_page_sent_twice_is_one_person(client: Client, campaign: Campaign) -> None:
    invitation = make_invitation(campaign, max_uses=1)
    fields = fields_of(client.get(invitation.get_absolute_url()).content.decode())
    other_tab = Client()

    for browser in (client, other_tab):
        assert browser.post(invitation.get_absolute_url(), fields).status_code == 302

    assert client.session["_auth_user_id"] == other_tab.session["_auth_user_id"]


@pytest.mark.databases
def test_account_joins_as_itself(client: Client, campaign: Campaign) -> None:
    user = UserFactory(username="lena")
    client.force_login(user)
    invitation = make_invitation(campaign)

    assert "You are logged in as <bdi>lena</bdi>" in client.get(invitation.get_absolute_url()).content.decode()
    join(client, invitation)

    assert Membership.objects.get(role=Role.ANNOTATOR).user == user


def test_somebody_who_is_in_goes_straight_to_the_units(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign))

    response = client.get(make_invitation(campaign).get_absolute_url())

    assert (response.status_code, response["Location"]) == (302, label_url(campaign))


def test_link_for_accounts_leads_to_the_login_and_back(client: Client, campaign: Campaign) -> None:
    invitation = make_invitation(campaign, allows_guests=False)

    response = client.get(invitation.get_absolute_url())

    assert response.status_code == 409
    assert f'href="{reverse("login")}?next={invitation.get_absolute_url()}"' in response.content.decode()
    assert client.post(invitation.get_absolute_url()).status_code == 409
    assert not Arrival.objects.exists()


def test_unknown_link_is_not_there(client: Client) -> None:
    assert client.get(reverse("join", args=["nothing"])).status_code == 404


@pytest.mark.parametrize("method", ["get", "post"])
def test_link_that_is_used_up_says_so(client: Client, campaign: Campaign, method: str) -> None:
    invitation = make_invitation(campaign, max_uses=1)
    join(Client(), invitation)

    response = getattr(client, method)(invitation.get_absolute_url())

    assert response.status_code == 409
    assert "it has been used" in response.content.decode()


@pytest.mark.parametrize("status", ["draft", "paused", "closed"])
def test_link_into_a_campaign_that_is_not_open_says_so(
    client: Client, campaign: Campaign, prolific: Invitation, status: str
) -> None:
    Campaign.objects.update(status=status)

    page = client.get(prolific.get_absolute_url())

    assert page.status_code == 409
    assert "Take part" not in page.content.decode()
    assert "return your submission" in page.content.decode()


# -- consent -----------------------------------------------------------------------------------------------------


def test_consent_is_shown_asked_and_kept(client: Client, campaign: Campaign) -> None:
    new_version(campaign, text="You may <b>leave</b>.\n\nAlways.", user=campaign.created_by)
    invitation = make_invitation(campaign)

    page = client.get(invitation.get_absolute_url()).content.decode()
    join(client, invitation)

    assert "You may &lt;b&gt;leave&lt;/b&gt;." in page
    assert Consent.objects.get().user == Membership.objects.get(role=Role.ANNOTATOR).user


@each("agree", ["", "1", "x", "99999999999999999999999"], undo=True)
def test_join_without_agreeing_to_the_newest_text_shows_it_again(
    client: Client, campaign: Campaign, agree: str
) -> None:
    for text in ("one", "two"):
        new_version(campaign, text=text, user=campaign.created_by)
    invitation = make_invitation(campaign)

    response = client.post(invitation.get_absolute_url(), {"agree": agree})

    assert response.status_code == 200
    assert "two" in response.content.decode()
    assert not Arrival.objects.exists()


def test_new_version_is_asked_before_the_next_unit(client: Client, campaign: Campaign) -> None:
    annotator = make_member(campaign)
    client.force_login(annotator)
    assert client.get(label_url(campaign)).status_code == 200
    new_version(campaign, text="two", user=campaign.created_by)
    asking = reverse("consent", args=[campaign.slug])

    held = Assignment.objects.get()
    answered = client.post(
        reverse("answer", args=[campaign.slug, held.pk]), DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX
    )

    # What was in hand is taken, and then the page itself goes to the text.
    assert (answered.status_code, answered["HX-Redirect"]) == (200, asking)
    assert client.get(label_url(campaign))["Location"] == asking
    assert "two" in client.get(asking).content.decode()
    unread = client.post(asking, {})
    assert "was not ticked" in unread.content.decode()
    assert client.post(asking, {"agree": "1"})["Location"] == label_url(campaign)
    assert client.get(label_url(campaign)).status_code == 200
    assert "You have agreed to this" in client.get(asking).content.decode()


@pytest.mark.databases
def test_nobody_is_given_a_unit_before_agreeing(client: Client, campaign: Campaign) -> None:
    new_version(campaign, text="one", user=campaign.created_by)
    client.force_login(make_member(campaign))

    client.get(label_url(campaign))

    assert not Assignment.objects.exists()


def test_consent_page_without_a_text_goes_on(client: Client, campaign: Campaign) -> None:
    client.force_login(make_member(campaign))
    url = reverse("consent", args=[campaign.slug])

    assert client.get(url)["Location"] == client.post(url)["Location"] == label_url(campaign)


# -- panels ------------------------------------------------------------------------------------------------------


def test_prolific_participant_goes_there_and_back(client: Client, campaign: Campaign, prolific: Invitation) -> None:
    arrived = client.get(prolific.get_absolute_url(), SENT)
    assert (arrived.status_code, arrived["Location"]) == (302, prolific.get_absolute_url())
    page = client.get(prolific.get_absolute_url()).content.decode()
    assert PID not in page
    join(client, prolific)

    arrival = Arrival.objects.get()
    assert (arrival.participant, arrival.study, arrival.session) == (PID, "rarestudy", "raresession")
    client.get(label_url(campaign))
    answer = reverse("answer", args=[campaign.slug, Assignment.objects.get().pk])
    end = client.post(answer, DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX).content.decode()

    assert 'href="https://app.prolific.com/submissions/complete?cc=C0MPL"' in end
    assert ">C0MPL<" in end
    assert "Back to Prolific" in end


def test_participant_who_lost_the_session_goes_on_as_the_same_person(
    client: Client, campaign: Campaign, prolific: Invitation
) -> None:
    client.get(prolific.get_absolute_url(), SENT)
    join(client, prolific)
    elsewhere = Client()

    elsewhere.get(prolific.get_absolute_url(), SENT)
    join(elsewhere, prolific)

    assert elsewhere.session["_auth_user_id"] == client.session["_auth_user_id"]
    assert campaign.memberships.filter(role=Role.ANNOTATOR).count() == 1


@pytest.mark.databases
def test_second_participant_at_a_browser_is_not_the_first(
    client: Client, campaign: Campaign, prolific: Invitation
) -> None:
    client.get(prolific.get_absolute_url(), SENT)
    join(client, prolific)

    client.get(prolific.get_absolute_url(), SENT | {"PROLIFIC_PID": "another"})
    join(client, prolific)

    assert Arrival.objects.values_list("user").distinct().count() == 2


def test_numbers_leave_the_session_when_the_participant_joins(client: Client, prolific: Invitation) -> None:
    client.get(prolific.get_absolute_url(), SENT)
    assert PID in str(client.session.items())

    join(client, prolific)

    assert [PID in str(row.get_decoded()) for row in Session.objects.all()] == [False]
    assert client.session.get_expiry_age() > 24 * 3600


def test_numbers_of_one_link_are_not_those_of_another(
    client: Client, campaign: Campaign, prolific: Invitation
) -> None:
    client.get(prolific.get_absolute_url(), SENT)
    other = make_invitation(campaign, panel="pid")

    assert 'name="participant"' in client.get(other.get_absolute_url()).content.decode()


def test_participant_whose_number_is_not_in_the_address_types_it_in(client: Client, prolific: Invitation) -> None:
    page = client.get(prolific.get_absolute_url(), {"PROLIFIC_PID": "{{%PROLIFIC_PID%}}"}).content.decode()
    assert "Your Prolific ID" in page

    missing = client.post(prolific.get_absolute_url(), {"participant": ""})
    faulty = client.post(prolific.get_absolute_url(), {"participant": "no number"})
    assert "participant" in missing.context["form"].errors
    assert "no participant number" in faulty.content.decode()
    assert not Arrival.objects.exists()

    assert client.post(prolific.get_absolute_url(), {"participant": f" {PID} "}).status_code == 302
    assert Arrival.objects.get().participant == PID


def test_number_that_came_in_the_address_is_not_replaced_by_a_typed_one(client: Client, prolific: Invitation) -> None:
    client.get(prolific.get_absolute_url(), SENT)

    client.post(prolific.get_absolute_url(), {"participant": "forged"})

    assert Arrival.objects.get().participant == PID


@pytest.mark.databases
def test_participant_who_declines_goes_back_and_nothing_is_kept(client: Client, prolific: Invitation) -> None:
    client.get(prolific.get_absolute_url(), SENT)

    page = client.post(prolific.get_absolute_url(), {"decline": "yes"}).content.decode()

    assert 'href="https://app.prolific.com/submissions/complete?cc=SCR33N"' in page
    assert not Arrival.objects.exists()
    assert not Session.objects.exists() or PID not in str([row.get_decoded() for row in Session.objects.all()])


def test_participant_who_declines_is_asked_to_return_the_submission_where_there_is_no_code(
    client: Client, campaign: Campaign
) -> None:
    invitation = make_invitation(campaign, panel="prolific", code_completed="C0MPL")
    client.get(invitation.get_absolute_url(), SENT)

    page = client.post(invitation.get_absolute_url(), {"decline": "yes"}).content.decode()

    assert "return your submission" in page
    assert "C0MPL" not in page


def test_participant_for_whom_nothing_was_left_is_not_told_the_code_of_those_who_finished(
    client: Client, campaign: Campaign, prolific: Invitation
) -> None:
    held = Client()
    held.force_login(add_member(campaign, user=UserFactory(), role=Role.ANNOTATOR).user)
    held.get(label_url(campaign))
    client.get(prolific.get_absolute_url(), SENT)
    join(client, prolific)

    page = client.get(label_url(campaign)).content.decode()

    assert "C0MPL" not in page
    assert "SCR33N" in page


def test_generic_panel_is_returned_to_at_the_address_of_the_link_alone(client: Client, campaign: Campaign) -> None:
    invitation = make_invitation(
        campaign, panel="pid", code_completed="C", return_url="https://panel.example/?i={pid}&c={code}"
    )
    sent = {"pid": "w42", "return_url": "https://evil.example/", "next": "https://evil.example/"}
    client.get(invitation.get_absolute_url(), sent)
    join(client, invitation, next="https://evil.example/", return_url="https://evil.example/")
    client.get(label_url(campaign), sent)
    answer = reverse("answer", args=[campaign.slug, Assignment.objects.get().pk])

    end = client.post(answer, DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX).content.decode()

    assert 'href="https://panel.example/?i=w42&amp;c=C"' in end
    assert "evil" not in end


def test_annotator_from_no_panel_sees_no_code_at_the_end(
    client: Client, campaign: Campaign, prolific: Invitation
) -> None:
    client.force_login(make_member(campaign))
    client.get(label_url(campaign))
    answer = reverse("answer", args=[campaign.slug, Assignment.objects.get().pk])

    end = client.post(answer, DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX).content.decode()

    assert "You can close this page" in end
    assert "rolific" not in end


def test_numbers_reach_no_page_export_or_log(
    client: Client, campaign: Campaign, prolific: Invitation, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    client.get(prolific.get_absolute_url(), SENT)
    join(client, prolific)
    client.get(label_url(campaign))
    answer = reverse("answer", args=[campaign.slug, Assignment.objects.get().pk])
    client.post(answer, DIRECT_ANSWERS | {"idempotency_key": "k"}, headers=HTMX)
    client.get("/join/nowhere/", SENT)

    admin = Client()
    admin.force_login(add_member(campaign, user=UserFactory(), role=Role.ADMIN).user)
    pages = ["home", "campaign", "members", "campaign-tidy", "campaign-trace"]
    seen = "".join(
        admin.get(reverse(name, args=[] if name == "home" else [campaign.slug])).getvalue().decode() for name in pages
    )

    assert "A1" in seen
    for secret in SENT.values():
        assert secret not in seen
        assert secret not in caplog.text
