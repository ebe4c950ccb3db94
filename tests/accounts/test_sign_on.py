"""Signing on at a provider on this machine, which tells the truth or lies."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from joserfc.jwk import RSAKey
from pytest_django import Settings

from accounts.login.guests import make_guest
from accounts.models import Identity, User
from accounts.sign_on.views import TO_LINK, TO_LINK_S
from tests.accounts.provider import CLIENT, SECRET, Provider, providing
from tests.accounts.test_second_factor import give_second_factor
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(settings: Settings) -> Iterator[Provider]:
    with providing() as provider:
        settings.OIDC_ISSUER = provider.issuer
        settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = CLIENT, SECRET
        yield provider


def sign_on(client: Client, provider: Provider, *, leads_to: str = "", **back: str) -> Any:
    gone = client.get(reverse("sign-on"), {"next": leads_to})
    assert gone["Location"].startswith(f"{provider.issuer}/authorize?")
    return client.get(reverse("sign-on-back"), provider.sent_back(gone["Location"]) | back)


def who(client: Client) -> User | None:
    pk = client.session.get("_auth_user_id")
    return User.objects.get(pk=pk) if pk else None


def refusal(client: Client, response: HttpResponse) -> str:
    assert response["Location"] in {reverse("login"), reverse("account")}
    shown = client.get(response["Location"])
    return str(*(message.message for message in shown.context["messages"]))


def test_without_settings_there_is_no_sign_on(client: Client) -> None:
    assert client.get(reverse("sign-on")).status_code == 404
    assert client.get(reverse("sign-on-back")).status_code == 404
    assert reverse("sign-on") not in client.get(reverse("login")).content.decode()


def test_log_in_page_offers_it_under_its_name(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_NAME = "Lab of Sound"

    page = client.get(reverse("login"), {"next": "/datasets/"}).content.decode()

    assert "Log in by Lab of Sound" in page
    assert f"{reverse('sign-on')}?next=/datasets/" in page


def test_account_with_the_verified_address_is_linked_and_let_in(client: Client, provider: Provider) -> None:
    user = UserFactory(email="Lena@lab.example")

    response = sign_on(client, provider, leads_to="/datasets/")

    assert (response.status_code, response["Location"], who(client)) == (302, "/datasets/", user)
    assert list(Identity.objects.values_list("user", "issuer", "subject")) == [(user.pk, provider.issuer, "s-1")]


def test_linked_account_is_known_by_its_subject_whatever_its_address_is_now(
    client: Client, provider: Provider
) -> None:
    user = UserFactory(email="lena@lab.example")
    sign_on(client, provider)
    UserFactory(email="new@lab.example")
    provider.claims["email"] = "new@lab.example"

    other = Client()
    sign_on(other, provider)

    assert who(other) == user


@pytest.mark.parametrize("verified", [False, None, "true"])
def test_address_that_the_provider_did_not_verify_links_nobody(
    client: Client, provider: Provider, verified: object
) -> None:
    UserFactory(email="lena@lab.example")
    provider.claims["email_verified"] = verified

    assert "You have no account here" in refusal(client, sign_on(client, provider))
    assert (who(client), Identity.objects.count()) == (None, 0)


def test_two_accounts_with_one_address_are_linked_by_nobody(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_SIGN_UP = ["*"]
    UserFactory(email="lena@lab.example")
    UserFactory(email="lena@lab.example")

    assert "Log in to it" in refusal(client, sign_on(client, provider))
    assert User.objects.count() == 2


@pytest.mark.parametrize(
    ("allowed", "signs_up"),
    [([], False), (["lab.example"], True), (["LAB.example"], True), (["example"], False), (["*"], True)],
)
def test_who_may_sign_up_is_a_setting(
    client: Client, provider: Provider, settings: Settings, allowed: list[str], signs_up: bool
) -> None:
    settings.OIDC_SIGN_UP = allowed

    sign_on(client, provider)

    assert (who(client) is not None) == signs_up
    assert User.objects.count() == signs_up


def test_new_account_has_no_rights_and_a_name_of_its_own(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_SIGN_UP = ["*"]
    UserFactory(username="lena")

    sign_on(client, provider)

    new = who(client)
    assert new
    assert (new.may_launch, new.is_superuser, new.email, new.has_usable_password()) == (
        False, False, "lena@lab.example", False
    )  # fmt: skip
    assert new.username.startswith("lena-")


def test_new_account_is_not_called_like_another_in_another_script(
    client: Client, provider: Provider, settings: Settings
) -> None:
    settings.OIDC_SIGN_UP = ["*"]
    UserFactory(username="l\u0435na")

    sign_on(client, provider)

    new = who(client)
    assert new
    assert new.username.startswith("lena-")


@each(
    "lie",
    [{"aud": "somebody-else"}, {"iss": "https://evil.example"}, {"nonce": "other"}, {"exp": 1}, {"sub": None}],
    undo=True,
)
def test_token_that_is_not_for_this_visit_lets_nobody_in(
    client: Client, provider: Provider, lie: dict[str, object]
) -> None:
    UserFactory(email="lena@lab.example")
    provider.forged = lie

    assert "did not work" in refusal(client, sign_on(client, provider))
    assert who(client) is None


def test_token_signed_by_another_key_lets_nobody_in(client: Client, provider: Provider) -> None:
    UserFactory(email="lena@lab.example")
    provider.signing_key = RSAKey.generate_key(2048, {"kid": "k1"})

    assert "did not work" in refusal(client, sign_on(client, provider))
    assert who(client) is None


def test_state_that_is_not_ours_lets_nobody_in(client: Client, provider: Provider) -> None:
    UserFactory(email="lena@lab.example")

    assert "did not work" in refusal(client, sign_on(client, provider, state="forged"))
    assert who(client) is None


def test_same_answer_does_not_let_in_twice(client: Client, provider: Provider) -> None:
    UserFactory(email="lena@lab.example")
    gone = client.get(reverse("sign-on"))
    back = provider.sent_back(gone["Location"])
    client.get(reverse("sign-on-back"), back)
    client.logout()

    client.get(reverse("sign-on-back"), back)

    assert who(client) is None


def test_person_who_declines_at_the_provider_comes_back_to_the_log_in(client: Client, provider: Provider) -> None:
    client.get(reverse("sign-on"))

    response = client.get(reverse("sign-on-back"), {"error": "access_denied", "state": "x"})

    assert "did not work" in refusal(client, response)


def test_provider_that_is_down_is_said(client: Client, settings: Settings) -> None:
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID = "http://127.0.0.1:9", CLIENT

    assert "cannot be reached" in refusal(client, client.get(reverse("sign-on")))


def test_sign_on_does_not_lead_off_the_site(client: Client, provider: Provider) -> None:
    UserFactory(email="lena@lab.example")

    assert sign_on(client, provider, leads_to="https://evil.example/")["Location"] == "/"


def test_closed_account_is_not_let_in(client: Client, provider: Provider) -> None:
    user = UserFactory(email="lena@lab.example")
    sign_on(client, provider)
    User.objects.filter(pk=user.pk).update(is_active=False)

    other = Client()

    assert "closed" in refusal(other, sign_on(other, provider))
    assert who(other) is None


def test_second_factor_is_asked_for_after_the_sign_on_too(client: Client, provider: Provider) -> None:
    give_second_factor(UserFactory(email="lena@lab.example"))

    assert sign_on(client, provider)["Location"] == reverse("login-code")
    assert who(client) is None


def test_person_who_is_logged_in_links_the_account_by_post(client: Client, provider: Provider) -> None:
    user = UserFactory(email="")
    client.force_login(user)

    asked = client.get(sign_on(client, provider)["Location"])
    assert not Identity.objects.exists()
    assert (asked.status_code, "lena@lab.example" in asked.content.decode()) == (200, True)
    assert client.post(reverse("sign-on-link"))["Location"] == reverse("account")

    assert Identity.objects.get().user == user
    other = Client()
    sign_on(other, provider)
    assert who(other) == user


def test_link_asks_for_a_token_against_forged_requests(provider: Provider) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(UserFactory(email=""))
    sign_on(client, provider)

    assert client.post(reverse("sign-on-link")).status_code == 403
    assert not Identity.objects.exists()


def test_link_needs_a_sign_on_of_the_last_minutes(client: Client, provider: Provider) -> None:
    client.force_login(UserFactory(email=""))
    assert "too long" in refusal(client, client.post(reverse("sign-on-link")))

    sign_on(client, provider)
    session = client.session
    session[TO_LINK] = session[TO_LINK] | {"at": session[TO_LINK]["at"] - TO_LINK_S - 1}
    session.save()
    assert "too long" in refusal(client, client.post(reverse("sign-on-link")))

    assert not Identity.objects.exists()


def test_identity_of_another_account_is_not_taken_over(client: Client, provider: Provider) -> None:
    user = UserFactory(email="lena@lab.example")
    sign_on(client, provider)
    other = Client()
    other.force_login(UserFactory())
    sign_on(other, provider)

    assert "Another account" in refusal(other, other.post(reverse("sign-on-link")))
    assert Identity.objects.get().user == user


def test_guest_is_not_linked(client: Client, provider: Provider) -> None:
    client.force_login(make_guest())
    sign_on(client, provider)

    assert client.post(reverse("sign-on-link")).status_code == 403
    assert not Identity.objects.exists()


def test_account_is_unlinked_by_post_and_logs_in_by_its_password_alone(client: Client, provider: Provider) -> None:
    user = UserFactory(email="lena@lab.example")
    sign_on(client, provider)
    assert reverse("sign-on-unlink") in client.get(reverse("account")).content.decode()
    User.objects.filter(pk=user.pk).update(email="")

    assert client.get(reverse("sign-on-unlink")).status_code == 405
    assert client.post(reverse("sign-on-unlink"))["Location"] == reverse("account")

    assert not Identity.objects.exists()
    other = Client()
    assert "You have no account here" in refusal(other, sign_on(other, provider))


def test_account_without_a_password_is_not_unlinked(client: Client, provider: Provider, settings: Settings) -> None:
    settings.OIDC_SIGN_UP = ["*"]
    sign_on(client, provider)

    assert "Without a password" in refusal(client, client.post(reverse("sign-on-unlink")))
    assert Identity.objects.count() == 1


def test_userinfo_of_another_subject_lets_nobody_in(client: Client, provider: Provider) -> None:
    UserFactory(email="lena@lab.example")
    provider.claims = {"sub": "s-1"}
    provider.userinfo = {"sub": "s-2", "email": "lena@lab.example", "email_verified": True}

    assert "did not work" in refusal(client, sign_on(client, provider))
    assert who(client) is None


def test_address_counts_only_where_it_was_verified_itself(client: Client, provider: Provider) -> None:
    UserFactory(email="lena@lab.example")
    provider.claims = {"sub": "s-1", "email": "lena@lab.example"}
    provider.userinfo = {"sub": "s-1", "email": "other@lab.example", "email_verified": True}

    assert "You have no account here" in refusal(client, sign_on(client, provider))


def test_linked_account_is_let_in_although_userinfo_is_down(client: Client, provider: Provider) -> None:
    user = UserFactory(email="lena@lab.example")
    sign_on(client, provider)
    provider.claims = {"sub": "s-1"}
    provider.userinfo = None

    other = Client()
    sign_on(other, provider)

    assert who(other) == user
