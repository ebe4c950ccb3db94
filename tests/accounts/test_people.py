"""Accounts of the installation: made, and given and taken rights, by administrators alone."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.login.second_factor import begin, has_second_factor
from accounts.models import ApiToken, User
from accounts.people.accounts import disable_account, make_account
from accounts.people.listing import last_seen
from accounts.people.rights import CannotChange, InstallationRight, give_right, take_right
from accounts.tokens.tokens import make_token, token_behind
from campaigns.models import Campaign, CampaignUnit, Role
from tests.cases import each
from tests.factories import UserFactory, make_assignment, make_campaign, make_member

pytestmark = pytest.mark.django_db
PEOPLE = "/accounts/people/"


@pytest.fixture
def administrator(client: Client) -> User:
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    return user


@pytest.mark.databases
@each("username", ["ada", "ADA", "aDa"], undo=True)
def test_usernames_differ_in_more_than_capitals(client: Client, administrator: User, username: str) -> None:
    UserFactory(username="Ada")

    page = client.post(PEOPLE, {"username": username})
    with pytest.raises(CannotChange):
        make_account(username=username, email="", is_researcher=False, by=administrator)

    assert "A user with that username already exists." in page.content.decode()
    assert User.objects.filter(username__iexact="ada").count() == 1


def with_factor(user: User) -> None:
    device = begin(user)
    device.confirmed = True
    device.save()


def change(client: Client, person: User, right: str, held: str) -> Any:
    return client.post(f"{PEOPLE}{person.pk}/right/{right}/", {"held": held}, follow=True)


@pytest.mark.databases
def test_account_is_made_and_its_owner_chooses_the_password(client: Client, administrator: User) -> None:
    page = client.post(PEOPLE, {"username": "grace", "is_researcher": "on"}, follow=True).content.decode()

    made = User.objects.get(username="grace")
    assert (made.is_researcher, made.is_superuser, made.has_usable_password()) == (True, False, False)
    link = re.search(r'http://testserver(/accounts/new-password/[^"\s]+)', page)
    assert link
    assert f'<input readonly dir="ltr" value="http://testserver{link[1]}"' in page
    assert "is not shown again" in page
    assert link[1] not in client.get(f"{PEOPLE}{made.pk}/").content.decode()
    owner = Client()
    form = owner.get(link[1], follow=True)
    new = {"new_password1": "listen-closely-1", "new_password2": "listen-closely-1"}
    owner.post(form.request["PATH_INFO"], new)
    assert owner.login(username="grace", password="listen-closely-1")
    assert "does not work any more" in Client().get(link[1], follow=True).content.decode()


def test_link_is_sent_where_there_is_mail_and_not_shown(
    client: Client, administrator: User, settings: Settings
) -> None:
    settings.SENDS_EMAIL = True

    page = client.post(PEOPLE, {"username": "grace", "email": "grace@lab.example"}, follow=True).content.decode()

    [sent] = mail.outbox
    assert sent.to == ["grace@lab.example"]
    assert "/accounts/new-password/" in sent.body
    assert "/accounts/new-password/" not in page


@pytest.mark.databases
def test_name_that_is_taken_is_said(client: Client, administrator: User) -> None:
    UserFactory(username="grace")

    response = client.post(PEOPLE, {"username": "grace"})

    assert (response.status_code, User.objects.filter(username="grace").count()) == (422, 1)


@pytest.mark.databases
def test_right_of_a_researcher_is_given_and_taken(client: Client, administrator: User) -> None:
    person = UserFactory()

    given = change(client, person, "researcher", "yes").content.decode()
    person.refresh_from_db()
    assert person.may_launch
    assert f"{person.username} is a researcher now" in given
    taken = change(client, person, "researcher", "no").content.decode()
    person.refresh_from_db()
    assert not person.may_launch
    assert f"{person.username} is no longer a researcher." in taken


def test_last_administrator_cannot_lose_the_right(client: Client, administrator: User) -> None:
    UserFactory(is_superuser=True, is_active=False)

    response = change(client, administrator, "administrator", "no")

    administrator.refresh_from_db()
    assert administrator.is_superuser
    assert response.redirect_chain == [(f"{PEOPLE}{administrator.pk}/", 302)]
    assert "This is the last administrator." in response.content.decode()


def test_administrator_steps_down_once_there_is_another(client: Client, administrator: User) -> None:
    other = UserFactory()
    given = change(client, other, "administrator", "yes").content.decode()

    response = change(client, administrator, "administrator", "no")

    administrator.refresh_from_db()
    assert (administrator.is_superuser, response.status_code) == (False, 200)
    assert f"{other.username} is an administrator now." in given
    assert f"{administrator.username} is no longer an administrator." in response.content.decode()
    assert client.get(PEOPLE).status_code == 403


@each("right", list(InstallationRight), undo=True)
@each("action", [give_right, take_right], undo=True)
def test_only_administrators_change_rights(action: Any, right: InstallationRight) -> None:
    with pytest.raises(PermissionDenied):
        action(UserFactory(), right, by=UserFactory(is_researcher=True))
    with pytest.raises(PermissionDenied):
        make_account(username="grace", email="", is_researcher=True, by=UserFactory())


def test_guest_is_given_no_right(client: Client, administrator: User) -> None:
    guest = UserFactory(is_guest=True)

    assert client.post(f"{PEOPLE}{guest.pk}/right/researcher/", {"held": "yes"}).status_code == 404
    with pytest.raises(CannotChange):
        give_right(guest, InstallationRight.RESEARCHER, by=administrator)


@pytest.mark.parametrize(
    "path", ["right/researcher/", "right/administrator/", "password/", "disable/", "enable/", "log-out/"]
)
def test_nothing_is_changed_by_get(client: Client, administrator: User, path: str) -> None:
    assert client.get(f"{PEOPLE}{UserFactory().pk}/{path}").status_code == 405


def test_page_asks_as_much_for_three_accounts_as_for_one(
    client: Client, administrator: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(PEOPLE)
    with django_assert_num_queries(10):
        client.get(PEOPLE)
    UserFactory.create_batch(2)
    with django_assert_num_queries(10):
        client.get(PEOPLE)


def names(client: Client, **query: str) -> list[str]:
    page = client.get(PEOPLE, query).content.decode()
    return re.findall(r'/accounts/people/\d+/"><bdi>([^<]+)</bdi>', page)


@pytest.mark.databases
def test_accounts_are_found_filtered_and_sorted(client: Client, administrator: User) -> None:
    User.objects.filter(pk=administrator.pk).update(username="root", email="z@lab.example")
    grace = UserFactory(username="grace", email="a@lab.example", is_researcher=True)
    UserFactory(username="alan", email="b@other.example", is_active=False)
    guest = UserFactory(is_guest=True)
    UserFactory(is_guest=True, is_active=False)
    with_factor(grace)

    found = {show: names(client, show=show) for show in ("", "researchers", "disabled", "never", "no-factor")}

    assert found == {
        "": ["alan", "grace", "root"],
        "researchers": ["grace"],
        "disabled": ["alan"],
        "never": ["alan", "grace"],
        "no-factor": ["root"],
    }
    assert names(client, show="guests") == [guest.username]
    assert (names(client, q="GRA"), names(client, q="OTHER.ex")) == (["grace"], ["alan"])
    assert names(client, sort="-email") == ["root", "alan", "grace"]
    assert names(client, sort="password", show="nonsense") == ["alan", "grace", "root"]


def test_table_keeps_every_column_on_a_phone(client: Client, administrator: User) -> None:
    """Below the name, each with its title."""
    table = client.get(PEOPLE).content.decode().split('<table class="people-table">')[1].split("</table>")[0]

    assert "secondary" not in table
    assert re.findall(r'data-title="([^"]+)"', table) == [
        "E-mail address", "Last log-in", "Last seen", "Rights", "Second factor", "Campaigns",
    ]  # fmt: skip


def test_page_of_a_person_says_what_they_take_part_in(
    client: Client, administrator: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    campaign = make_campaign()
    person = make_member(campaign, Role.REVIEWER)
    make_token(person, name="zqxv-script", scopes=["read"], days=3)
    person.identities.create(issuer="https://sso.example", subject="s")

    client.get(f"{PEOPLE}{person.pk}/")
    with django_assert_num_queries(12):
        page = client.get(f"{PEOPLE}{person.pk}/").content.decode()

    for said in (campaign.title, "Reviewer", "zqxv-script", "https://sso.example"):
        assert said in page
    assert re.search(
        r"<td data-title=\"Campaigns\">1</td></tr>", client.get(PEOPLE, {"q": person.username}).content.decode()
    )
    assert client.get(f"{PEOPLE}{UserFactory(is_guest=True, is_active=False).pk}/").status_code == 404


@pytest.mark.databases
def test_person_was_seen_last_at_the_latest_of_their_traces(administrator: User) -> None:
    campaign = make_campaign()
    by_token, by_unit, never = make_member(campaign), make_member(campaign), UserFactory()
    now = timezone.now()
    User.objects.update(last_login=None)
    User.objects.filter(pk=by_token.pk).update(last_login=now - timedelta(days=2))
    row, _text = make_token(by_token, name="t", scopes=["read"], days=3)
    ApiToken.objects.filter(pk=row.pk).update(last_used_at=now)
    shown = make_assignment(campaign, by_unit).shown_at

    assert last_seen(User.objects.filter(pk__in=[by_token.pk, by_unit.pk, never.pk])) == {
        by_token.pk: now,
        by_unit.pk: shown,
    }


@pytest.mark.databases
def test_disabled_account_is_out_at_once_until_it_is_enabled(client: Client, administrator: User) -> None:
    person = UserFactory()
    token = make_token(person, name="t", scopes=["read"], days=3)[1]
    browser = Client()
    browser.force_login(person)

    client.post(f"{PEOPLE}{person.pk}/disable/")

    assert (browser.get("/").status_code, token_behind(token)) == (302, None)
    client.post(f"{PEOPLE}{person.pk}/enable/")
    assert token_behind(token)
    assert browser.get("/").status_code == 302, "what was logged in before stays logged out"


def test_units_in_hand_go_back_when_an_account_is_disabled(administrator: User) -> None:
    campaign: Campaign = make_campaign()
    person = make_member(campaign, Role.ANNOTATOR)
    assignment = make_assignment(campaign, person)
    unit = CampaignUnit.objects.filter(pk=assignment.campaign_unit_id)
    unit.update(seats_taken=1)

    disable_account(person, by=administrator)

    assignment.refresh_from_db()
    assert (assignment.status, unit.get().seats_taken) == ("expired", 0)


def test_last_administrator_and_oneself_cannot_be_disabled(client: Client, administrator: User) -> None:
    other = UserFactory(is_superuser=True)

    own = client.post(f"{PEOPLE}{administrator.pk}/disable/", follow=True).content.decode()
    User.objects.filter(pk=administrator.pk).update(is_active=False)

    assert "You cannot disable your own account." in own
    with pytest.raises(CannotChange, match="last administrator"):
        disable_account(other, by=administrator)
    with pytest.raises(CannotChange, match="Guests"):
        disable_account(UserFactory(is_guest=True), by=administrator)


def test_person_is_logged_out_everywhere_and_may_log_in_again(client: Client, administrator: User) -> None:
    person = UserFactory()
    browser = Client()
    browser.force_login(person)

    client.post(f"{PEOPLE}{person.pk}/log-out/")

    assert browser.get("/").status_code == 302
    browser.force_login(User.objects.get(pk=person.pk))
    assert (browser.get("/").status_code, client.get(PEOPLE).status_code) == (200, 200)


@pytest.mark.databases
def test_name_and_address_are_changed_unless_taken(client: Client, administrator: User) -> None:
    person = UserFactory(username="grace")
    UserFactory(username="alan")
    address = f"{PEOPLE}{person.pk}/"

    assert client.post(address, {"username": "alan", "email": ""}).status_code == 422
    client.post(address, {"username": "hopper", "email": "hopper@lab.example"})

    person.refresh_from_db()
    assert (person.username, person.email) == ("hopper", "hopper@lab.example")


@pytest.mark.databases
def test_second_factor_is_removed_with_ones_own_password(client: Client, administrator: User) -> None:
    administrator.set_password("listen-closely-1")
    administrator.save()
    client.force_login(administrator)
    person = UserFactory()
    with_factor(person)
    address = f"{PEOPLE}{person.pk}/second-factor/"

    assert client.post(address, {"password": "wrong"}).status_code == 422
    assert has_second_factor(person)
    client.post(address, {"password": "listen-closely-1"})
    assert not has_second_factor(person)


@pytest.mark.databases
def test_token_of_another_is_revoked(client: Client, administrator: User) -> None:
    person = UserFactory()
    row, token = make_token(person, name="t", scopes=["read"], days=3)

    assert client.post(f"{PEOPLE}{administrator.pk}/tokens/{row.pk}/revoke/").status_code == 404
    client.post(f"{PEOPLE}{person.pk}/tokens/{row.pk}/revoke/")
    assert token_behind(token) is None


PASTED = "ada, ada@lab.example\n\nGrace Hopper\tgrace@lab.example\nalan@lab.example\nmute"


@pytest.mark.databases
def test_several_people_are_invited_by_links_that_are_shown_once(client: Client, administrator: User) -> None:
    page = client.post(f"{PEOPLE}invite/", {"people": PASTED, "is_researcher": "on"}).content.decode()

    made = User.objects.exclude(pk=administrator.pk).order_by("pk").values_list("username", "email", "is_researcher")
    assert list(made) == [
        ("ada", "ada@lab.example", True),
        ("grace.hopper", "grace@lab.example", True),
        ("alan", "alan@lab.example", True),
        ("mute", "", True),
    ]
    assert page.count('value="http://testserver/accounts/new-password/') == 4
    assert re.findall(r"^(?:.*>)?([\w.]+)\thttp://testserver/accounts/new-password/", page, re.MULTILINE) == [
        "ada", "grace.hopper", "alan", "mute",
    ]  # fmt: skip


def test_invitations_are_sent_where_there_is_mail(client: Client, administrator: User, settings: Settings) -> None:
    settings.SENDS_EMAIL = True

    page = client.post(f"{PEOPLE}invite/", {"people": PASTED}).content.decode()

    assert [it.to for it in mail.outbox] == [["ada@lab.example"], ["grace@lab.example"], ["alan@lab.example"]]
    assert page.count("/accounts/new-password/") == 1


def test_faulty_lines_are_named_and_nobody_is_invited(client: Client, administrator: User) -> None:
    UserFactory(username="ada", email="ada@lab.example")
    lines = "ada, other@lab.example\nlovelace, ADA@lab.example\nsl/ash\nbob, bob@\neve\neve"

    response = client.post(f"{PEOPLE}invite/", {"people": lines})

    page = response.content.decode()
    assert (response.status_code, User.objects.count()) == (422, 2)
    assert [line for line in range(1, 7) if f"Line {line}:" in page] == [1, 2, 3, 4, 6]


def test_refusal_names_the_page_where_an_administrator_gives_the_right(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, "researcher"))

    page = client.get("/campaigns/new/").content.decode()

    assert "Only researchers may do this." in page
    assert f"http://testserver{PEOPLE}" in page
