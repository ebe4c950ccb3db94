from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from accounts.models import ApiToken, User
from accounts.tokens.tokens import MOST_TOKENS, CannotMakeToken, make_token, revoke_token, token_behind
from tests.api.callers import caller
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
ME = "/api/v1/me/"


@pytest.fixture
def user() -> User:
    return UserFactory(username="ada")


def test_token_is_kept_as_a_hash_only(user: User) -> None:
    row, text = make_token(user, name="script", scopes=["read"], days=7)

    held = " ".join(str(value) for value in ApiToken.objects.values_list().get())
    assert text not in held
    assert text.startswith(row.hint)
    assert len(row.hint) < len(text) / 3
    assert token_behind(text) == row


@each("change", [{"name": " "}, {"scopes": []}, {"scopes": ["everything"]}, {"days": 0}, {"days": 367}], undo=True)
def test_token_needs_a_name_a_scope_and_an_end(user: User, change: dict[str, object]) -> None:
    with pytest.raises(CannotMakeToken):
        make_token(user, **{"name": "script", "scopes": ["read"], "days": 7} | change)


def test_guest_gets_no_token() -> None:
    with pytest.raises(PermissionDenied):
        make_token(UserFactory(is_guest=True), name="script", scopes=["read"], days=7)


def test_tokens_are_so_many_at_most(user: User) -> None:
    rows = [make_token(user, name=str(n), scopes=["read"], days=7)[0] for n in range(MOST_TOKENS)]

    with pytest.raises(CannotMakeToken):
        make_token(user, name="one more", scopes=["read"], days=7)
    revoke_token(rows[0], by=user)
    make_token(user, name="one more", scopes=["read"], days=7)


@pytest.mark.parametrize("change", [{"expires_at": timezone.now()}, {"revoked_at": timezone.now()}])
def test_token_that_is_over_lets_nobody_in(user: User, change: dict[str, object]) -> None:
    client = caller(user)
    assert client.get(ME).status_code == 200

    ApiToken.objects.update(**change)

    response = client.get(ME)
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    assert response.json()["code"] == "invalid_token"


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_guest": True}])
def test_token_of_somebody_who_is_gone_lets_nobody_in(user: User, change: dict[str, object]) -> None:
    client = caller(user)

    User.objects.update(**change)

    assert client.get(ME).status_code == 401


@each("said", ["Bearer", "Bearer x", "Bearer \xff", "bearer earshot_wrong", "Basic YTpi", "nonsense"], undo=True)
def test_something_else_in_place_of_a_token_lets_nobody_in(client: Client, said: str) -> None:
    assert client.get(ME, headers={"Authorization": said}).status_code == 401


def test_token_opens_no_page(user: User) -> None:
    text = make_token(user, name="script", scopes=["read"], days=7)[1]

    response = Client().get(reverse("home"), headers={"Authorization": f"Bearer {text}"})

    assert response.status_code == 302
    assert response["Location"].startswith(reverse("login"))


def test_session_opens_the_api_and_needs_the_csrf_token_to_change_anything(user: User) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(user)

    assert client.get(ME).json()["username"] == "ada"
    assert client.post("/api/v1/campaigns/", {}).status_code == 403
    assert client.post("/api/v1/campaigns/", {}).json()["detail"].startswith("CSRF")


def test_last_use_is_noted_once_a_minute(user: User, django_assert_num_queries: object) -> None:
    client = caller(user)
    assert ApiToken.objects.get().last_used_at is None

    client.get(ME)
    first = ApiToken.objects.get().last_used_at
    client.get(ME)
    assert ApiToken.objects.get().last_used_at == first

    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=2))
    client.get(ME)
    assert ApiToken.objects.get().last_used_at > first


@pytest.mark.django_db(transaction=True)
def test_use_that_cannot_be_noted_fails_no_request(user: User) -> None:
    client = caller(user)

    def locked(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith('UPDATE "accounts_apitoken"'):
            raise OperationalError("database is locked")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(locked):
        assert client.get(ME).status_code == 200
    assert ApiToken.objects.get().last_used_at is None
    client.get(ME)
    assert ApiToken.objects.get().last_used_at is not None


@pytest.mark.django_db(transaction=True)
def test_use_is_not_waited_for(user: User) -> None:
    """SQLite's own, which has one lock for all that is written."""
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL locks rows")
    seen: list[int] = []

    def look(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.startswith('UPDATE "accounts_apitoken"'):
            seen.append(connection.connection.execute("PRAGMA busy_timeout").fetchone()[0])
        return execute(sql, params, many, context)

    client = caller(user)
    connection.cursor().execute("PRAGMA busy_timeout = 1234")
    with connection.execute_wrapper(look):
        client.get(ME)

    assert seen == [0]
    assert connection.cursor().execute("PRAGMA busy_timeout").fetchone()[0] == 1234


def test_page_shows_a_new_token_once(client: Client, user: User) -> None:
    client.force_login(user)

    made = client.post(reverse("tokens"), {"name": "my script", "scopes": ["read", "judge"], "days": "30"})
    page = client.get(reverse("tokens"))

    row = ApiToken.objects.get()
    text = made.context["new"]
    assert token_behind(text) == row
    assert row.scopes == ["read", "judge"]
    assert text in made.content.decode()
    assert made["Cache-Control"].startswith("max-age=0, no-cache, no-store")
    assert text not in page.content.decode()
    assert "my script" in page.content.decode()


def test_page_says_what_is_missing(client: Client, user: User) -> None:
    client.force_login(user)

    response = client.post(reverse("tokens"), {"name": "", "days": "30"})

    assert response.status_code == 422
    assert not ApiToken.objects.exists()


def test_token_is_revoked_by_its_owner_alone(client: Client, user: User) -> None:
    row, text = make_token(user, name="script", scopes=["read"], days=7)
    client.force_login(UserFactory())
    assert client.post(reverse("token-revoke", args=[row.pk])).status_code == 404
    assert token_behind(text)

    client.force_login(user)
    assert client.post(reverse("token-revoke", args=[row.pk])).status_code == 302

    assert token_behind(text) is None


def test_page_lists_only_ones_own_in_the_same_number_of_queries(
    client: Client, user: User, django_assert_num_queries: object
) -> None:
    client.force_login(user)
    make_token(UserFactory(), name="of somebody else", scopes=["read"], days=7)
    for n in (1, 3):
        while user.api_tokens.count() < n:
            make_token(user, name="mine", scopes=["read"], days=7)
        with django_assert_num_queries(3):
            page = client.get(reverse("tokens")).content.decode()
        assert page.count("mine") == 2 * n
        assert "somebody else" not in page
