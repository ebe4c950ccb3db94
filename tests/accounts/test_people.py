"""Accounts of the installation: made, and given and taken rights, by administrators alone."""

import re
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

from accounts.models import User
from accounts.people.rights import CannotChange, InstallationRight, give_right, make_account, take_right
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db
PEOPLE = "/accounts/people/"


@pytest.fixture
def administrator(client: Client) -> User:
    user = UserFactory(is_superuser=True)
    client.force_login(user)
    return user


def change(client: Client, person: User, right: str, held: str) -> Any:
    return client.post(f"{PEOPLE}{person.pk}/right/{right}/", {"held": held}, follow=True)


def test_account_is_made_and_its_owner_chooses_the_password(client: Client, administrator: User) -> None:
    page = client.post(PEOPLE, {"username": "grace", "is_researcher": "on"}, follow=True).content.decode()

    made = User.objects.get(username="grace")
    assert (made.is_researcher, made.is_superuser, made.has_usable_password()) == (True, False, False)
    link = re.search(r"http://testserver(/accounts/new-password/[^<\s]+)", page)
    assert link
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


def test_name_that_is_taken_is_said(client: Client, administrator: User) -> None:
    UserFactory(username="grace")

    response = client.post(PEOPLE, {"username": "grace"})

    assert (response.status_code, User.objects.filter(username="grace").count()) == (422, 1)


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
    assert response.redirect_chain == [(PEOPLE, 302)]
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


@pytest.mark.parametrize("right", list(InstallationRight))
@pytest.mark.parametrize("action", [give_right, take_right])
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


@pytest.mark.parametrize("path", ["right/researcher/", "right/administrator/", "password/"])
def test_nothing_is_changed_by_get(client: Client, administrator: User, path: str) -> None:
    assert client.get(f"{PEOPLE}{UserFactory().pk}/{path}").status_code == 405


def test_page_asks_as_much_for_three_accounts_as_for_one(
    client: Client, administrator: User, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(PEOPLE)
    with django_assert_num_queries(6):
        client.get(PEOPLE)
    UserFactory.create_batch(2)
    with django_assert_num_queries(6):
        client.get(PEOPLE)


def test_accounts_are_found_by_name(client: Client, administrator: User) -> None:
    UserFactory(username="grace")
    UserFactory(username="alan")

    page = client.get(PEOPLE, {"q": "GRA"}).content.decode()

    assert ("<bdi>grace</bdi>" in page, "<bdi>alan</bdi>" in page) == (True, False)


def test_refusal_names_the_page_where_an_administrator_gives_the_right(client: Client) -> None:
    campaign = make_campaign()
    client.force_login(make_member(campaign, "researcher"))

    page = client.get("/campaigns/new/").content.decode()

    assert "Only researchers may do this." in page
    assert f"http://testserver{PEOPLE}" in page
