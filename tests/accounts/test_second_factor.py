import re
from base64 import b32encode

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django_otp.oath import TOTP, totp
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from pytest_django import Settings

from accounts.login import entering
from accounts.login.second_factor import begin, confirm, has_second_factor, is_right, new_recovery_codes, take_away
from accounts.models import Authenticator, User
from campaigns.models import Role
from tests.factories import UserFactory, make_campaign, make_member

pytestmark = pytest.mark.django_db


def code_of(user: User, *, later: int = 0) -> str:
    """What the authenticator shows, or will show `later` steps of thirty seconds from now."""
    device = Authenticator.objects.filter(user=user).order_by("-pk")[0]
    return f"{totp(device.bin_key, step=device.step, t0=device.t0 - later * device.step):06d}"


def give_second_factor(user: User) -> list[str]:
    begin(user)
    codes = confirm(user, code_of(user))
    assert codes
    Authenticator.objects.update(last_t=-1)  # the code of this moment may be used once more
    return codes


def unthrottle() -> None:
    StaticDevice.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)
    Authenticator.objects.update(throttling_failure_count=0, throttling_failure_timestamp=None)


def log_in(client: Client, user: User, **sent: str) -> str:
    response = client.post(reverse("login"), {"username": user.username, "password": "secret"} | sent)
    assert response.status_code == 302
    return str(response["Location"])


def is_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


@pytest.mark.databases
def test_codes_are_those_of_the_standard() -> None:
    """RFC 6238, appendix B, the last six of the eight digits."""
    for moment, code in ((59, 287082), (1111111109, 81804), (1234567890, 5924), (20000000000, 353130)):
        device = Authenticator()
        device.bin_key = b"12345678901234567890"
        clock = TOTP(device.bin_key)
        clock.time = moment
        assert clock.token() == code


@pytest.mark.databases
def test_it_is_on_only_after_its_first_code(client: Client) -> None:
    user = UserFactory()
    client.force_login(user)

    page = client.get(reverse("second-factor")).content.decode()
    assert 'src="data:image/svg+xml' in page
    assert not has_second_factor(user)
    assert client.post(reverse("second-factor"), {"code": "000000"}).status_code == 200
    assert not has_second_factor(user)
    unthrottle()

    shown = client.post(reverse("second-factor"), {"code": code_of(user)}).content.decode()

    assert has_second_factor(user)
    codes = re.findall(r"<code>(\w{16})</code>", shown)
    assert len(set(codes)) == 10


def test_right_code_right_after_a_wrong_one_is_told_to_wait(client: Client) -> None:
    user = UserFactory()
    client.force_login(user)
    address = reverse("second-factor")
    client.get(address)

    first = client.post(address, {"code": "000000"}).content.decode()
    second = client.post(address, {"code": code_of(user)}).content.decode()

    assert "Look at the clock of your phone" in first
    assert "this one was not looked at. Type it again in 1 second." in second
    assert not has_second_factor(user)
    unthrottle()
    client.post(address, {"code": code_of(user)})
    assert has_second_factor(user)


def test_log_in_tells_a_code_that_was_not_looked_at_from_a_wrong_one(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)
    log_in(client, user)

    said = [client.post(reverse("login-code"), {"code": code}).content.decode() for code in ("000000", code_of(user))]

    assert "This code is not right" in said[0]
    assert "this one was not looked at" in said[1]
    assert not is_in(client)


def test_key_can_be_scanned_again_until_it_is_confirmed(client: Client) -> None:
    client.force_login(UserFactory())

    keys = {
        re.findall(r"<code>([A-Z2-7 ]+)</code>", client.get(reverse("second-factor")).content.decode())[0]
        for _ in "ab"
    }

    assert len(keys) == 1


def test_password_alone_does_not_let_in(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)

    assert log_in(client, user, next="/datasets/") == reverse("login-code")
    assert not is_in(client)
    response = client.post(reverse("login-code"), {"code": code_of(user)})

    assert (response.status_code, response["Location"]) == (302, "/datasets/")
    assert is_in(client)


def test_code_without_a_password_leads_to_the_log_in(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)

    assert client.post(reverse("login-code"), {"code": code_of(user)})["Location"] == reverse("login")
    assert not is_in(client)


@pytest.mark.databases
def test_code_works_once(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)
    code = code_of(user)

    assert [is_right(user, code), is_right(user, code)] == [True, False]


@pytest.mark.databases
def test_recovery_code_works_once_and_new_ones_replace_the_old() -> None:
    user = UserFactory()
    codes = give_second_factor(user)

    assert [is_right(user, codes[0]), is_right(user, codes[0])] == [True, False]
    unthrottle()
    new = new_recovery_codes(user)
    assert StaticToken.objects.filter(device__user=user).count() == 10
    assert not is_right(user, codes[1])
    unthrottle()
    assert is_right(user, new[1])


def test_recovery_code_is_read_as_people_type_it(client: Client) -> None:
    user = UserFactory()
    code = give_second_factor(user)[0].upper()
    log_in(client, user)

    client.post(reverse("login-code"), {"code": f" {code[:8]} {code[8:]}"})

    assert is_in(client)


def test_wrong_codes_do_not_stand_in_the_way_of_recovery() -> None:
    user = UserFactory()
    codes = give_second_factor(user)
    for _ in range(3):
        is_right(user, "000000")

    assert is_right(user, codes[0])


def test_codes_cannot_be_guessed_for_long(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)
    log_in(client, user)
    for n in range(7):
        unthrottle()
        page = client.post(reverse("login-code"), {"code": f"{n:06d}"}).content.decode()
    unthrottle()
    assert "Too many attempts" in page

    client.post(reverse("login-code"), {"code": code_of(user)})

    assert not is_in(client)


def test_first_factor_holds_for_ten_minutes(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    user = UserFactory()
    give_second_factor(user)
    log_in(client, user)
    monkeypatch.setattr(entering, "TIMEOUT_S", -1)

    assert client.get(reverse("login-code"))["Location"] == reverse("login")


@pytest.mark.databases
def test_first_factor_does_not_hold_where_the_password_was_changed(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)
    log_in(client, user)
    user.set_password("another-password")
    user.save()

    client.post(reverse("login-code"), {"code": code_of(user)})

    assert not is_in(client)


@pytest.mark.databases
def test_it_is_switched_off_by_the_password_and_not_without(client: Client) -> None:
    user = UserFactory()
    give_second_factor(user)
    client.force_login(user)

    client.post(reverse("second-factor-off"), {"password": "wrong"})
    assert has_second_factor(user)
    client.post(reverse("second-factor-off"), {"password": "secret"})

    assert not has_second_factor(user)
    assert not StaticToken.objects.exists()


def test_key_that_is_on_is_not_shown_again(client: Client) -> None:
    user = UserFactory(last_login=timezone.now())
    give_second_factor(user)
    client.force_login(user)

    assert client.get(reverse("second-factor"))["Location"] == reverse("second-factor-off")


def administered(role: str = Role.ANNOTATOR) -> tuple[User, User, str]:
    """An administrator of the installation, a member of a campaign with a second factor, and where it is taken."""
    campaign = make_campaign()
    member = make_member(campaign, role)
    give_second_factor(member)
    pk = campaign.memberships.get(user=member).pk
    return UserFactory(is_superuser=True), member, reverse("member-second-factor", args=[campaign.slug, pk])


@pytest.mark.databases
def test_lost_factor_is_taken_away_by_an_administrator_and_the_log_says_so(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("WARNING", "accounts")
    administrator, member, address = administered()
    client.force_login(administrator)
    people = client.get(reverse("members", args=[address.split("/")[2]])).content.decode()
    assert address in people
    assert member.username in client.get(address).content.decode()

    assert client.post(address, {"password": "wrong"}).status_code == 422
    assert has_second_factor(member)
    assert client.post(address, {"password": "secret"}).status_code == 302

    assert not has_second_factor(member)
    assert not StaticDevice.objects.filter(user=member).exists()
    assert f"Account {administrator.pk} took the second factor of account {member.pk} away." in caplog.messages
    assert member.username not in caplog.text
    assert "has no second factor" in client.get(address).content.decode()
    assert log_in(Client(), member) == reverse("home")


def test_second_factor_is_not_for_admins_of_a_campaign_to_take_away(client: Client) -> None:
    _administrator, member, address = administered(Role.ADMIN)
    client.force_login(member)

    assert client.post(address, {"password": "secret"}).status_code == 403
    assert has_second_factor(member)
    with pytest.raises(PermissionDenied):
        take_away(member, by=member)


def test_database_holds_neither_keys_nor_recovery_codes() -> None:
    user = UserFactory()
    key = begin(user).bin_key
    codes = give_second_factor(user)

    kept = str([*Authenticator.objects.values_list(), *StaticToken.objects.values_list()])

    assert not [secret for secret in (key.hex(), b32encode(key).decode(), *codes) if secret in kept]


def test_another_secret_key_leaves_the_recovery_codes(settings: Settings) -> None:
    """The authenticator has to be set up again; it neither lets in nor breaks the page."""
    user = UserFactory()
    codes = give_second_factor(user)
    code = code_of(user)
    settings.SECRET_KEY = "another"

    assert [is_right(user, code), is_right(user, codes[0])] == [False, True]
