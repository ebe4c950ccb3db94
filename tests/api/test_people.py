"""The accounts of the installation by the API: for administrators whose token is for it."""

from typing import Any

import pytest
from django.contrib.auth import authenticate
from django.test import Client
from pytest_django import Settings
from pytest_django.fixtures import DjangoAssertNumQueries
from rest_framework.test import APIClient

from accounts.models import AuditEntry, User
from accounts.tokens.tokens import PEOPLE, SCOPES, make_token
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
PEOPLE_ADDRESS = "/api/v1/people/"


@pytest.fixture
def administrator() -> User:
    return UserFactory(is_superuser=True)


@pytest.fixture
def client(administrator: User) -> APIClient:
    return caller(administrator, [PEOPLE])


def test_account_is_made_with_a_link_by_which_its_owner_chooses_a_password(client: APIClient) -> None:
    sent = {"username": "ada", "email": "ada@lab.example", "is_researcher": True}
    reply = client.post(PEOPLE_ADDRESS, sent, headers={"Idempotency-Key": "k"})
    again = client.post(PEOPLE_ADDRESS, sent, headers={"Idempotency-Key": "k"})

    made = User.objects.get(username="ada")
    assert (reply.status_code, made.is_researcher, made.has_usable_password()) == (201, True, False)
    assert "/accounts/new-password/" in reply.json()["password_link"]
    assert again.json() == reply.json() | {"password_link": ""}  # a secret is not stored with the response
    assert User.objects.filter(username="ada").count() == 1


@each(
    "sent, status, field",
    [
        ({"username": "taken"}, 400, "username"),
        ({"username": "no name"}, 400, "username"),
        ({"username": "ada", "email": "nobody"}, 400, "email"),
        ({}, 400, "username"),
    ],
    undo=True,
)
def test_account_that_cannot_be_made_is_refused_at_its_field(
    client: APIClient, sent: dict[str, Any], status: int, field: str
) -> None:
    UserFactory(username="taken")

    reply = client.post(PEOPLE_ADDRESS, sent)

    assert (reply.status_code, [it["field"] for it in reply.json()["errors"]]) == (status, [field])


def test_name_address_and_rights_are_changed_together_or_not_at_all(client: APIClient, administrator: User) -> None:
    person = UserFactory(username="ada", email="ada@lab.example")

    reply = client.patch(f"{PEOPLE_ADDRESS}{person.pk}/", {"username": "ada.l", "is_researcher": True})
    last = client.patch(f"{PEOPLE_ADDRESS}{administrator.pk}/", {"username": "x", "is_administrator": False})

    person.refresh_from_db()
    assert (person.username, person.email, person.is_researcher) == ("ada.l", "ada@lab.example", True)
    assert reply.json()["username"] == "ada.l"
    assert (last.status_code, last.json()["code"]) == (409, "cannot_change")
    assert User.objects.get(pk=administrator.pk).username == administrator.username
    assert AuditEntry.objects.filter(subject_number=person.pk, event="researcher_given").exists()


def test_account_is_disabled_enabled_and_deleted(client: APIClient) -> None:
    person = UserFactory(username="ada")
    address = f"{PEOPLE_ADDRESS}{person.pk}/"

    early = client.delete(address)
    disabled = client.post(f"{address}disable/").json()
    enabled = client.post(f"{address}enable/").json()
    client.post(f"{address}disable/")
    deleted = client.delete(f"{address}?with_answers=true")

    assert (early.status_code, early.json()["code"]) == (409, "cannot_change")
    assert (disabled["is_active"], enabled["is_active"]) == (False, True)
    assert (deleted.status_code, client.get(address).status_code) == (204, 404)
    assert not User.objects.filter(username="ada").exists()


def test_nobody_disables_their_own_account(client: APIClient, administrator: User) -> None:
    assert client.post(f"{PEOPLE_ADDRESS}{administrator.pk}/disable/").status_code == 409


def test_new_password_link_works_and_is_sent_where_mail_is(client: APIClient, settings: Settings) -> None:
    settings.SENDS_EMAIL = False
    person = UserFactory(username="ada")

    link = client.post(f"{PEOPLE_ADDRESS}{person.pk}/password/").json()["password_link"]
    page = Client()
    form = page.get(link, follow=True)
    sent = {"new_password1": "quiet otters applaud", "new_password2": "quiet otters applaud"}
    page.post(form.redirect_chain[-1][0] if form.redirect_chain else link, sent)

    assert authenticate(username="ada", password="quiet otters applaud") == person


def test_tokens_of_a_person_are_listed_without_their_text_and_revoked(client: APIClient) -> None:
    person = UserFactory()
    token, text = make_token(person, name="laptop", scopes=["read"], days=1)

    listed = client.get(f"{PEOPLE_ADDRESS}{person.pk}/tokens/").json()["results"]
    revoked = client.delete(f"{PEOPLE_ADDRESS}{person.pk}/tokens/{token.pk}/")

    assert [(it["name"], it["scopes"]) for it in listed] == [("laptop", ["read"])]
    assert text not in str(listed)
    assert (revoked.status_code, client.delete(f"{PEOPLE_ADDRESS}{person.pk}/tokens/9999/").status_code) == (204, 404)
    token.refresh_from_db()
    assert token.revoked_at is not None


def test_accounts_are_searched_and_filtered(client: APIClient) -> None:
    UserFactory(username="ada", is_researcher=True)
    UserFactory(username="adam")
    UserFactory(username="guest", is_guest=True)

    def names(query: str) -> set[str]:
        return {it["username"] for it in client.get(f"{PEOPLE_ADDRESS}?{query}").json()["results"]}

    assert names("q=ada") == {"ada", "adam"}
    assert names("show=researchers") == {"ada"}
    assert "guest" not in names("show=guests")


def test_number_of_queries_does_not_depend_on_the_number_of_accounts(
    client: APIClient, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.get(PEOPLE_ADDRESS)
    for _n in range(5):
        UserFactory()

    with django_assert_max_num_queries(8):
        assert len(client.get(PEOPLE_ADDRESS).json()["results"]) == 6


def test_token_without_the_scope_and_anybody_else_is_refused(administrator: User) -> None:
    person = UserFactory()
    without = caller(administrator, [it for it in SCOPES if it != PEOPLE])

    assert without.get(PEOPLE_ADDRESS).status_code == 403
    for who in (UserFactory(is_researcher=True), UserFactory()):
        client = caller(who)
        assert client.get(PEOPLE_ADDRESS).status_code == 403
        assert client.post(PEOPLE_ADDRESS, {"username": "x"}).status_code == 403
        assert client.post(f"{PEOPLE_ADDRESS}{person.pk}/password/").status_code == 403


def test_change_of_an_unknown_field_is_refused_and_changes_nothing(client: APIClient) -> None:
    person = UserFactory(username="ada")

    reply = client.patch(f"{PEOPLE_ADDRESS}{person.pk}/", {"username": "other", "is_reseacher": True})

    person.refresh_from_db()
    assert reply.status_code == 400
    assert "is_reseacher" in reply.content.decode()
    assert person.username == "ada"
