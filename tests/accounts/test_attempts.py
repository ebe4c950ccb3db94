from datetime import timedelta

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.login.attempts import (
    MOST_ANYWHERE,
    MOST_AT_ACCOUNT,
    MOST_FROM_ADDRESS,
    SLOW_WINDOW,
    WINDOW,
    TooMany,
    begin_attempt,
    forget_attempts,
)
from accounts.login.known_browsers import COOKIE
from accounts.login.password_links import password_link
from accounts.models import FailedAttempt, User
from accounts.tasks import forget_attempts_task
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
HERE, THERE = "198.51.100.7", "203.0.113.9"


def try_in(user: User, password: str, *, address: str = HERE, name: str = "", known_browser: str = "") -> str:
    """The page's words, or "" where it let in."""
    sent = {"username": name or user.username, "password": password}
    client = Client(REMOTE_ADDR=address)
    if known_browser:
        client.cookies[COOKIE] = known_browser
    response = client.post(reverse("login"), sent)
    return "" if response.status_code == 302 else response.content.decode()


def test_fifth_failure_is_the_last_one_looked_at() -> None:
    user = UserFactory()
    for _ in range(MOST_AT_ACCOUNT):
        assert "Too many" not in try_in(user, "wrong")

    assert "Too many attempts failed. Try again in 15 minutes." in try_in(user, "secret")


def test_nobody_locks_out_others() -> None:
    user, other = UserFactory(), UserFactory()
    for _ in range(MOST_AT_ACCOUNT + 3):
        try_in(user, "wrong")

    assert try_in(user, "secret", address=THERE) == ""  # the owner, elsewhere
    assert try_in(other, "secret") == ""  # somebody else, at the same address


def test_name_is_the_same_however_it_is_written() -> None:
    user = UserFactory(username="lena")
    for name in ("lena", "Lena", "LENA", "lenA", "leNa"):
        try_in(user, "wrong", name=name)

    assert "Too many" in try_in(user, "secret")


def test_one_address_cannot_go_through_all_names() -> None:
    user = UserFactory()
    for n in range(MOST_FROM_ADDRESS):
        begin_attempt(f"name{n}", HERE)

    assert "Too many" in try_in(user, "secret")


def from_many_addresses(user: User) -> None:
    for n in range(MOST_ANYWHERE):
        begin_attempt(user.username, f"192.0.2.{n}")


def cookie_of(user: User) -> str:
    """What a browser gets that logs in to this account."""
    client = Client(REMOTE_ADDR=THERE)
    client.post(reverse("login"), {"username": user.username, "password": "secret"})
    return client.cookies[COOKIE].value


def test_many_addresses_together_are_limited_at_one_account() -> None:
    user, other = UserFactory(), UserFactory()
    from_many_addresses(user)

    assert "Try again in 60 minutes." in try_in(user, "secret")
    assert try_in(other, "secret") == ""


def test_limit_over_all_addresses_locks_no_owner_out_of_their_own_browser() -> None:
    user, other = UserFactory(), UserFactory()
    own, others = cookie_of(user), cookie_of(other)
    from_many_addresses(user)

    assert "Too many" in try_in(user, "secret", known_browser=others)
    assert "Too many" in try_in(user, "secret", known_browser=f"{own}x")
    assert try_in(user, "secret", known_browser=own) == ""


def test_known_browser_is_limited_by_address_as_any_other() -> None:
    user = UserFactory()
    own = cookie_of(user)
    for _ in range(MOST_AT_ACCOUNT):
        try_in(user, "wrong", known_browser=own)

    assert "Too many" in try_in(user, "secret", known_browser=own)


def test_limit_over_all_addresses_ends_after_an_hour() -> None:
    user = UserFactory()
    from_many_addresses(user)
    FailedAttempt.objects.update(failed_at=timezone.now() - SLOW_WINDOW - timedelta(seconds=1))

    assert try_in(user, "secret") == ""


def test_new_password_by_a_link_clears_the_limit_over_all_addresses() -> None:
    user, administrator = UserFactory(), UserFactory(is_superuser=True)
    from_many_addresses(user)
    client = Client()
    form = client.get(password_link(user, by=administrator))["Location"]

    client.post(form, {"new_password1": "quiet otters applaud", "new_password2": "quiet otters applaud"})

    assert try_in(user, "quiet otters applaud") == ""


@each(
    "one, other, same",
    [
        ("2001:db8::1", "2001:db8::2:3", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:198.51.100.7", HERE, True),
        (HERE, THERE, False),
        ("", "unknown", True),
    ],
    undo=True,
)
def test_households_count_as_one_address(one: str, other: str, same: bool) -> None:
    assert (begin_attempt("a", one).address == begin_attempt("a", other).address) == same


def test_failures_are_over_after_a_quarter_of_an_hour() -> None:
    user = UserFactory()
    for _ in range(MOST_AT_ACCOUNT):
        try_in(user, "wrong")
    FailedAttempt.objects.update(failed_at=timezone.now() - WINDOW - timedelta(seconds=1))

    assert try_in(user, "secret") == ""


def test_right_password_forgets_the_failures_before() -> None:
    user = UserFactory()
    for _ in range(3):
        for _ in range(MOST_AT_ACCOUNT - 1):
            try_in(user, "wrong")
        assert try_in(user, "secret") == ""

    assert not FailedAttempt.objects.exists()


def test_refused_attempts_do_not_prolong_the_wait() -> None:
    for _ in range(MOST_AT_ACCOUNT):
        begin_attempt("a", HERE)
    for _ in range(3):
        with pytest.raises(TooMany):
            begin_attempt("a", HERE)

    assert FailedAttempt.objects.count() == MOST_AT_ACCOUNT


def test_neither_names_nor_addresses_are_kept() -> None:
    begin_attempt("Rumpelstiltskin", HERE)

    row = str(FailedAttempt.objects.values().get()).casefold()
    assert "rumpel" not in row
    assert HERE not in row


def test_what_no_longer_counts_is_deleted() -> None:
    begin_attempt("a", HERE)
    FailedAttempt.objects.update(failed_at=timezone.now() - SLOW_WINDOW)
    begin_attempt("b", HERE)

    assert (forget_attempts_task(), forget_attempts()) == (1, 0)
    assert FailedAttempt.objects.count() == 1


def test_unknown_names_fail_with_the_same_words() -> None:
    user = UserFactory()

    def words(page: str) -> str:
        return page[page.index('role="alert"') :][:200]

    assert words(try_in(user, "wrong")) == words(try_in(user, "wrong", name="nobody-at-all"))


@each("password", ["short-one", "password1234", "123456789012345", "lena-listens1"], undo=True)
def test_weak_passwords_are_refused(password: str) -> None:
    with pytest.raises(ValidationError):
        validate_password(password, User(username="lena-listens"))


def test_long_phrase_is_taken() -> None:
    validate_password("quiet otters applaud", User(username="lena"))
