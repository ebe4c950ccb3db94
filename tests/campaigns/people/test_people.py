import html
import re
from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from campaigns.models import Campaign, Invitation, Role
from campaigns.people.consent import give_consent, new_version
from campaigns.people.invitations import accept_invitation
from campaigns.people.members import Annotators, add_member, annotators_by_state, end_membership
from campaigns.people.panels import PanelIds
from tests.cases import each
from tests.factories import UserFactory, make_campaign, make_invitation

pytestmark = pytest.mark.django_db
ONE_USE = {"kind": "one_use", "how_many": "3", "allows_guests": "on"}
PROLIFIC = {"kind": "reusable", "how_many": "1", "panel": "prolific", "code_completed": "DONE", "allows_guests": "on"}


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(units=1)


@pytest.fixture
def admin(client: Client, campaign: Campaign) -> Client:
    client.force_login(add_member(campaign, user=UserFactory(), role=Role.ADMIN).user)
    return client


def people(client: Client, campaign: Campaign) -> str:
    return html.unescape(client.get(reverse("members", args=[campaign.slug])).content.decode())


@pytest.mark.databases
def test_links_for_one_person_each_are_made_and_shown(admin: Client, campaign: Campaign) -> None:
    admin.post(reverse("invitation-new", args=[campaign.slug]), ONE_USE | {"max_uses": "9", "note": "pilot"})

    page = people(admin, campaign)
    assert [row.max_uses for row in campaign.invitations.all()] == [1, 1, 1]
    assert page.count("0 of 1") == 3
    assert page.count("pilot") == 3
    assert all(f'value="http://testserver/join/{row.token}/"' in page for row in campaign.invitations.all())


@pytest.mark.databases
def test_link_for_several_is_one_however_many_were_asked_for(admin: Client, campaign: Campaign) -> None:
    admin.post(
        reverse("invitation-new", args=[campaign.slug]), {"kind": "reusable", "how_many": "5", "max_uses": "20"}
    )

    invitation = Invitation.objects.get()
    assert (invitation.max_uses, invitation.allows_guests, invitation.created_by) == (20, False, admin_of(campaign))


def add(client: Client, campaign: Campaign, **fields: str) -> str:
    sent = {"role": Role.ANNOTATOR} | fields
    return html.unescape(client.post(reverse("members", args=[campaign.slug]), sent, follow=True).content.decode())


@pytest.mark.databases
def test_person_is_added_by_the_username_in_any_capitals(admin: Client, campaign: Campaign) -> None:
    UserFactory(username="Lena")

    add(admin, campaign, username="lena")

    assert list(campaign.memberships.filter(role=Role.ANNOTATOR).values_list("user__username", flat=True)) == ["Lena"]


def test_slip_in_a_username_makes_no_account(admin: Client, campaign: Campaign) -> None:
    UserFactory(username="lena")
    before = User.objects.count()

    page = add(admin, campaign, username="lean")

    assert "There is no account with this username. Check its spelling, or tick that it is to be created." in page
    assert (User.objects.count(), campaign.memberships.filter(role=Role.ANNOTATOR).count()) == (before, 0)


def test_account_is_made_where_that_is_chosen(admin: Client, campaign: Campaign) -> None:
    page = add(admin, campaign, username="lena", is_new="on")

    password = re.search(r"shown once: (\S{14})", page)
    assert password
    assert User.objects.get(username="lena").check_password(password[1])
    assert campaign.memberships.get(role=Role.ANNOTATOR).user.username == "lena"


def test_account_that_is_there_is_not_made_again(admin: Client, campaign: Campaign) -> None:
    UserFactory(username="lena")

    assert "A user with that username already exists." in add(admin, campaign, username="LENA", is_new="on")
    assert campaign.memberships.filter(role=Role.ANNOTATOR).count() == 0


def test_no_account_is_made_that_looks_like_another(admin: Client, campaign: Campaign) -> None:
    UserFactory(username="rosa")
    before = User.objects.count()

    page = add(admin, campaign, username="r\u043esa", is_new="on")

    assert "This looks like the username rosa, with letters of another script. Choose another." in page
    assert (User.objects.count(), campaign.memberships.filter(role=Role.ANNOTATOR).count()) == (before, 0)


def admin_of(campaign: Campaign) -> object:
    return campaign.memberships.get(role=Role.ADMIN).user


def test_prolific_link_comes_with_what_prolific_fills_in(admin: Client, campaign: Campaign) -> None:
    admin.post(reverse("invitation-new", args=[campaign.slug]), PROLIFIC)

    token = Invitation.objects.get().token
    assert (
        f"http://testserver/join/{token}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&STUDY_ID={{{{%STUDY_ID%}}}}"
        "&SESSION_ID={{%SESSION_ID%}}" in people(admin, campaign)
    )


@each(
    "changes, field",
    [
        ({"code_completed": ""}, "code_completed"),
        ({"kind": "one_use"}, "max_uses"),
        ({"panel": "pid", "return_url": "javascript:alert(1)"}, "return_url"),
        ({"expires_at": "2001-01-01T00:00"}, "expires_at"),
        ({"expires_at": "soon"}, "expires_at"),
        ({"how_many": ""}, "how_many"),
    ],
    undo=True,
)
def test_faulty_link_is_not_made_and_the_fault_is_shown_where_it_is(
    admin: Client, campaign: Campaign, changes: dict[str, str], field: str
) -> None:
    response = admin.post(reverse("invitation-new", args=[campaign.slug]), PROLIFIC | changes)

    assert response.status_code == 200
    assert list(response.context["invitation_form"].errors) == [field]
    assert not Invitation.objects.exists()


@pytest.mark.databases
def test_expiry_is_taken_as_the_browser_sends_it(admin: Client, campaign: Campaign) -> None:
    tomorrow = timezone.localtime() + timedelta(days=1)

    admin.post(
        reverse("invitation-new", args=[campaign.slug]), ONE_USE | {"expires_at": tomorrow.strftime("%Y-%m-%dT%H:%M")}
    )

    expires_at = Invitation.objects.first().expires_at
    assert expires_at == tomorrow.replace(second=0, microsecond=0)


def test_revoked_link_lets_nobody_in_and_is_not_copied_any_more(admin: Client, campaign: Campaign) -> None:
    invitation = make_invitation(campaign)

    admin.post(reverse("invitation-revoke", args=[campaign.slug, invitation.pk]))

    page = people(admin, campaign)
    assert "revoked" in page
    assert "data-copy=" not in page
    assert Client().get(invitation.get_absolute_url()).status_code == 409


@pytest.mark.databases
def test_link_of_another_campaign_is_not_revoked(admin: Client, campaign: Campaign) -> None:
    other = make_invitation(make_campaign(units=0))

    assert admin.post(reverse("invitation-revoke", args=[campaign.slug, other.pk])).status_code == 404
    other.refresh_from_db()
    assert other.revoked_at is None


def test_guests_are_shown_as_guests_by_their_pseudonyms(admin: Client, campaign: Campaign) -> None:
    guest = accept_invitation(make_invitation(campaign, panel="pid").token, ids=PanelIds("rarepid"))

    page = people(admin, campaign)

    assert "Guest" in page
    assert "A1" in page
    assert guest.username not in page
    assert "rarepid" not in page


@pytest.mark.databases
def test_people_are_counted_by_what_became_of_them(campaign: Campaign) -> None:
    invitation = make_invitation(campaign)
    for _ in range(3):
        accept_invitation(invitation.token)
    add_member(campaign, user=UserFactory(), role=Role.ANNOTATOR)
    left = end_membership(campaign.memberships.filter(role=Role.ANNOTATOR).first())
    left.answers_withdrawn_at = timezone.now()
    left.save()

    assert annotators_by_state(campaign) == Annotators(labelling=3, guests=2, left=1, withdrew=1)


def test_consent_text_is_asked_from_now_on_and_says_who_agreed(admin: Client, campaign: Campaign) -> None:
    url = reverse("consent-text", args=[campaign.slug])
    admin.post(url, {"text": "one"})
    give_consent(campaign, user=UserFactory(), version=1)
    admin.post(url, {"text": "two"})

    page = people(admin, campaign)
    assert [
        (text.version, text.agreed)
        for text in admin.get(reverse("members", args=[campaign.slug])).context["consent_texts"]
    ] == [(2, 0), (1, 1)]
    assert "1 person agreed" in page
    assert "0 people agreed" in page


@pytest.mark.databases
@pytest.mark.parametrize("text", ["", "   ", "x" * 20_001])
def test_faulty_consent_text_is_not_asked(admin: Client, campaign: Campaign, text: str) -> None:
    response = admin.post(reverse("consent-text", args=[campaign.slug]), {"text": text})

    assert list(response.context["consent_form"].errors) == ["text"]
    assert not campaign.consent_texts.exists()


def test_usernames_are_suggested_that_one_may_see(client: Client, campaign: Campaign) -> None:
    """Of the campaigns to which one adds people; of all accounts to an administrator. No guests, nobody twice."""
    lead = add_member(campaign, user=UserFactory(username="lead"), role=Role.ADMIN).user
    other, foreign = make_campaign(units=1), make_campaign(units=1)
    add_member(other, user=lead, role=Role.ADMIN)
    add_member(foreign, user=lead, role=Role.RESEARCHER)
    for where, name in ((other, "known"), (foreign, "hidden"), (campaign, "here")):
        add_member(where, user=UserFactory(username=name), role=Role.ANNOTATOR)
    add_member(other, user=UserFactory(username="gone", is_active=False), role=Role.ANNOTATOR)
    add_member(other, user=UserFactory(username="visitor", is_guest=True), role=Role.ANNOTATOR)
    UserFactory(username="root", is_superuser=True)

    def suggested(to: User) -> set[str]:
        client.force_login(to)
        page = people(client, campaign)
        assert 'list="accounts-to-add"' in page
        return set(re.findall(r'<option value="([^"]+)"></option>', page))

    assert suggested(lead) & {"known", "hidden", "here", "gone", "visitor", "root"} == {"known"}
    assert {"known", "hidden", "root"} <= suggested(User.objects.get(username="root"))
    assert not {"here", "gone", "visitor"} & suggested(User.objects.get(username="root"))


@pytest.mark.databases
def test_people_page_costs_the_same_queries_for_more_people_and_links(
    admin: Client, campaign: Campaign, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(2):
        for _ in range(n * 3 + 1):
            accept_invitation(make_invitation(campaign).token, agreed=n or None)
        new_version(campaign, text=f"text {n}", user=campaign.created_by)
        with django_assert_num_queries(PEOPLE_QUERIES):
            admin.get(reverse("members", args=[campaign.slug]))


#: session, user, campaign, roles (2), newest text, people by state, members, links, texts, what the tabs count (3)
PEOPLE_QUERIES = 13
