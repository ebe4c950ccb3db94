"""The last administrator who can log in keeps the right, and a disabled account gets no new password."""

import pytest
from django.test import Client
from pytest_django import Settings

from accounts.login.password_links import password_link
from accounts.models import Identity, User
from accounts.people.accounts import disable_account, enable_account
from accounts.people.rights import CannotChange, InstallationRight, administrators, give_right, take_right
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
ADMINISTRATOR = InstallationRight.ADMINISTRATOR
ISSUER = "https://sso.example"


def without_password() -> User:
    user: User = User.objects.create_user(username="zqxv", is_superuser=True)
    return user


@pytest.mark.databases
def test_account_without_a_password_is_no_other_administrator() -> None:
    boss, other = UserFactory(is_superuser=True), without_password()

    with pytest.raises(CannotChange, match="last administrator"):
        take_right(boss, ADMINISTRATOR, by=boss)

    other.set_password("listen-closely-1")
    other.save()
    take_right(boss, ADMINISTRATOR, by=boss)
    assert list(administrators()) == [other]


@pytest.mark.databases
def test_account_of_the_single_sign_on_counts_where_that_is_set_up(settings: Settings) -> None:
    other = without_password()
    Identity.objects.create(user=other, issuer=ISSUER, subject="s")
    settings.OIDC_ISSUER = ""
    assert not administrators().exists()

    settings.OIDC_ISSUER = ISSUER
    assert list(administrators()) == [other]


def test_right_given_does_not_make_an_account_able_to_log_in() -> None:
    boss, person = UserFactory(is_superuser=True), User.objects.create_user(username="zqxv")

    give_right(person, ADMINISTRATOR, by=boss)

    assert list(administrators()) == [boss]


def test_link_for_a_password_works_only_while_the_account_is_enabled() -> None:
    boss, person = UserFactory(is_superuser=True), UserFactory(password="listen-closely-1")
    link = password_link(person, by=boss)
    new = {"new_password1": "hear-it-out-2", "new_password2": "hear-it-out-2"}
    disable_account(person, by=boss)

    refused = Client().get(link, follow=True)
    Client().post(refused.request["PATH_INFO"], new)

    person.refresh_from_db()
    assert "new_password1" not in refused.content.decode()
    assert person.check_password("listen-closely-1")

    begun = Client()
    begun_page = begun.get(password_link(enable_account(person, by=boss), by=boss), follow=True)
    assert "new_password1" in begun_page.content.decode()
    disable_account(person, by=boss)
    begun.post(begun_page.request["PATH_INFO"], new)
    person.refresh_from_db()
    assert person.check_password("listen-closely-1")
