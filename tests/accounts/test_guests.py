import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.login.guests import CannotKeep, delete_identity, keep_account, make_guest
from accounts.login.second_factor import begin
from accounts.models import Authenticator, Identity, User
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
CHOSEN = {"username": "lena", "password1": "listen-closely", "password2": "listen-closely"}


def test_guest_has_a_name_that_says_nothing_and_no_password() -> None:
    one, other = make_guest(), make_guest()

    assert re.fullmatch(r"[a-z2-9]{20}", one.username)
    assert one.username != other.username
    assert (one.is_guest, one.email, one.has_usable_password()) == (True, "", False)


def test_guest_may_never_launch() -> None:
    assert not UserFactory(is_guest=True, is_researcher=True).may_launch


def test_kept_account_has_a_name_and_a_password_and_is_no_guest() -> None:
    guest = make_guest()

    kept = keep_account(guest, username="lena", password="listen-closely")

    assert (kept.pk, kept.username, kept.is_guest) == (guest.pk, "lena", False)
    assert kept.check_password("listen-closely")


def test_account_that_is_no_guests_is_not_kept_again() -> None:
    with pytest.raises(CannotKeep):
        keep_account(UserFactory(), username="lena", password="listen-closely")


@pytest.mark.databases
def test_account_is_not_kept_under_somebody_elses_name() -> None:
    UserFactory(username="lena")
    guest = make_guest()

    with pytest.raises(CannotKeep):
        keep_account(guest, username="lena", password="listen-closely")

    assert User.objects.get(pk=guest.pk).is_guest


@pytest.mark.databases
def test_deleted_identity_leaves_nothing_of_the_person() -> None:
    user = UserFactory(
        username="Rumpelstiltskin",
        email="rumpel@straw.example",
        first_name="Rumpel",
        last_name="Stiltskin",
        last_login=timezone.now(),
    )

    user.identities.create(issuer="https://login.example", subject="rumpel")
    begin(user)

    delete_identity(user)

    assert not Identity.objects.exists()
    assert not Authenticator.objects.exists()
    row = User.objects.filter(pk=user.pk).values().get()
    assert not [value for value in row.values() if "rumpel" in str(value).casefold()]
    assert (row["is_active"], row["last_login"]) == (False, None)
    assert not User.objects.get(pk=user.pk).has_usable_password()


def test_keep_page_makes_a_guest_somebody_who_can_log_in(client: Client) -> None:
    guest = make_guest()
    client.force_login(guest)

    response = client.post(reverse("keep-account"), CHOSEN)

    assert response.status_code == 302
    assert client.get(reverse("home")).status_code == 200  # still logged in
    elsewhere = Client()
    assert elsewhere.login(username="lena", password="listen-closely")


@pytest.mark.parametrize(
    ("changes", "field"),
    [({"username": "taken"}, "username"), ({"password2": "else"}, "password2"), ({"username": "a b"}, "username")],
)
def test_keep_page_says_what_is_wrong(client: Client, changes: dict[str, str], field: str) -> None:
    UserFactory(username="taken")
    guest = make_guest()
    client.force_login(guest)

    response = client.post(reverse("keep-account"), CHOSEN | changes)

    assert list(response.context["form"].errors) == [field]
    assert User.objects.get(pk=guest.pk).is_guest


def test_keep_page_is_not_there_for_others(client: Client) -> None:
    client.force_login(UserFactory())

    assert client.get(reverse("keep-account")).status_code == 404


def test_guest_is_told_that_there_is_no_password_to_change(client: Client) -> None:
    client.force_login(make_guest())

    assert client.get(reverse("password")).status_code == 403


@pytest.mark.databases
def test_guest_sees_no_random_name_and_no_button_that_locks_them_out(client: Client) -> None:
    guest = make_guest()
    client.force_login(guest)

    page = client.get(reverse("home")).content.decode()

    assert guest.username not in page
    assert reverse("logout") not in page
    assert reverse("keep-account") in page


@each("page, speaks_of_guests", [("/label/zqxv/", True), ("/datasets/", False), ("", False)])
def test_log_in_before_a_page_of_annotators_tells_guests_what_became_of_it(
    client: Client, page: str, speaks_of_guests: bool
) -> None:
    UserFactory()

    shown = client.get("/accounts/login/", {"next": page}).content.decode()

    assert ("the study has ended" in shown) == speaks_of_guests
