"""Usernames that look like another, in another script, cannot be chosen."""

import pytest
from django.test import Client

from accounts.look_alikes import look_alike, skeleton
from accounts.models import User
from tests.factories import UserFactory

CYRILLIC_O = "\u043e"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Tomato pairs", f"T{CYRILLIC_O}mato pairs"),
        ("alpha", "\u0430lpha"),
        ("alpha", "\u0251lpha"),
        ("model", "\uff4d\uff4f\uff44\uff45\uff4c"),
        ("Sun", "\u0405\u057d\u0578"),
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert one != other
    assert look_alike(one, [other]) == other
    assert look_alike(other, [one]) == one


def test_names_in_any_script_that_do_not_look_alike_are_left_alone() -> None:
    names = ["Мария", "Марина", "Ελένη", "Anna", "Anne", "system 1", "system l", "ｍ2"]

    assert len({skeleton(name) for name in names}) == len(names)
    assert look_alike("Анна", ["Anna"]) is None, "a Cyrillic н is no n"
    assert look_alike("Мария", ["мария"]) is None, "capitals alone are another matter"


@pytest.mark.django_db
@pytest.mark.databases
def test_account_cannot_be_called_like_another_in_another_script(client: Client) -> None:
    client.force_login(UserFactory(is_superuser=True))
    UserFactory(username="rosa")

    refused = client.post("/accounts/people/", {"username": f"r{CYRILLIC_O}sa", "email": ""})
    taken = User.objects.filter(username=f"r{CYRILLIC_O}sa").exists()
    client.post("/accounts/people/", {"username": "rose", "email": ""})

    assert "looks like the username rosa" in refused.content.decode()
    assert not taken
    assert User.objects.filter(username="rose").exists()


@pytest.mark.django_db
@pytest.mark.parametrize("username", ["\u3164", "\u2800", "\ufdfa" * 100])
def test_username_that_nobody_sees_or_that_is_longer_than_it_looks_is_refused(client: Client, username: str) -> None:
    """The last one is 1,800 characters in Unicode's compatibility form, in which names are kept."""
    client.force_login(UserFactory(is_superuser=True))
    there = User.objects.count()

    refused = client.post("/accounts/people/", {"username": username, "email": ""})

    assert (refused.status_code, User.objects.count()) == (422, there)
