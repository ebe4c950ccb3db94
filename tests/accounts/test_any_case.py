"""Usernames differ in more than capitals, in any script and on every database; a user logs in in any capitals."""

import pytest
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse

from accounts.login.attempts import MOST_AT_ACCOUNT
from accounts.login.guests import CannotKeep, keep_account, make_guest
from accounts.models import User
from accounts.people.accounts import change_account, make_account
from accounts.people.invited import Faulty, lines_of
from accounts.people.rights import CannotChange
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PAIRS = [("Ärin", "ärin"), ("ΣΟΦΙΑ", "σοφια"), ("Straße", "STRASSE"), ("ada", "ADA")]


@pytest.mark.databases
@each("one, other", PAIRS, undo=True)
def test_names_that_differ_in_capitals_are_one(client: Client, one: str, other: str) -> None:
    boss = UserFactory(is_superuser=True)
    person = UserFactory(username=one, password="listen-closely-1")
    renamed = UserFactory()
    client.force_login(boss)

    page = client.post(reverse("people"), {"username": other}).content.decode()

    assert "A user with that username already exists." in page
    with pytest.raises(CannotChange):
        make_account(username=other, email="", is_researcher=False, by=boss)
    with pytest.raises(CannotChange):
        change_account(renamed, username=other, email="", by=boss)
    with pytest.raises(CannotKeep):
        keep_account(make_guest(), username=other, password="listen-closely-1")
    with pytest.raises(Faulty, match=r"^Line 1: .* taken"):
        lines_of(other)
    assert list(User.objects.named(other)) == [person]


@pytest.mark.databases
def test_no_row_has_a_name_in_other_capitals() -> None:
    UserFactory(username="Ärin")

    with pytest.raises(IntegrityError):
        User.objects.bulk_create([User(username="ärin")])


@pytest.mark.databases
@each("one, other", PAIRS, undo=True)
def test_user_logs_in_in_any_capitals(one: str, other: str) -> None:
    UserFactory(username=one, password="listen-closely-1")
    browser = Client()

    browser.post(reverse("login"), {"username": other, "password": "listen-closely-1"})

    assert browser.session["_auth_user_id"]


def test_old_name_is_free_after_a_change() -> None:
    boss, person = UserFactory(is_superuser=True), UserFactory(username="Ärin")

    change_account(person, username="Örin", email="", by=boss)

    assert [User.objects.named(name).exists() for name in ("ärin", "örin")] == [False, True]


@pytest.mark.databases
def test_other_capitals_are_no_new_guesses() -> None:
    UserFactory(username="straße", password="listen-closely-1")
    names = ["straße", "STRASSE", "Straße"]
    for n in range(MOST_AT_ACCOUNT):
        Client().post(reverse("login"), {"username": names[n % 3], "password": "wrong"})

    right = {"username": "straße", "password": "listen-closely-1"}
    browser = Client()
    browser.post(reverse("login"), right)

    assert "_auth_user_id" not in browser.session


@pytest.mark.databases
def test_invited_lines_that_differ_in_capitals_are_named() -> None:
    with pytest.raises(Faulty) as faulty:
        lines_of("Ärin\nada, ada@lab.example\närin\nADA")

    assert [it.partition(":")[0] for it in faulty.value.messages] == ["Line 3", "Line 4"]
