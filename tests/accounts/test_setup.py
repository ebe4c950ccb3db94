"""The first administrator: by a one-time code, and in no other way."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.utils import timezone

from accounts.models import SetupCode, User
from accounts.setup.first_administrator import (
    AdministratorExists,
    WrongCode,
    is_setup_code,
    make_first_administrator,
    new_setup_code,
)
from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db
SETUP = "/accounts/setup/"
CHOSEN = {"username": "ada", "password1": "listen-closely-1", "password2": "listen-closely-1"}


@each("path", ["/", "/datasets/", "/campaigns/new/", "/accounts/login/", "/accounts/people/"], undo=True)
def test_every_page_of_an_empty_installation_leads_to_the_one_that_says_what_to_do(client: Client, path: str) -> None:
    assert (client.get(path).status_code, client.get(path)["Location"]) == (302, SETUP)

    page = client.get(SETUP).content.decode()
    assert "has no administrator yet" in page
    assert "python manage.py first_administrator" in page
    assert "<form" not in page.split("<main")[1].split("</main>")[0]


@pytest.mark.databases
def test_code_makes_the_administrator_logs_them_in_and_shows_what_comes_next(client: Client) -> None:
    code = new_setup_code()
    form = client.get(SETUP, {"code": code}).content.decode()
    assert f'name="code" value="{code}"' in form

    home = client.post(SETUP, CHOSEN | {"code": code}, follow=True).content.decode()

    user = User.objects.get()
    assert (user.username, user.is_superuser, user.check_password("listen-closely-1")) == ("ada", True, True)
    assert "What comes next" in home
    assert all(
        f'href="{path}"' in home for path in ("/accounts/people/", "/imports/new/", "/campaigns/new/", "/judges/")
    )
    assert SetupCode.objects.count() == 0


@pytest.mark.parametrize("code", ["", "no-code", "0" * 64])
def test_without_the_code_nobody_is_made(client: Client, code: str) -> None:
    new_setup_code()

    response = client.post(SETUP, CHOSEN | {"code": code})

    assert response.status_code == (403 if code else 200)
    assert User.objects.count() == 0


@pytest.mark.databases
def test_hash_that_is_kept_is_no_code(client: Client) -> None:
    code = new_setup_code()
    kept = SetupCode.objects.get().digest

    assert code not in kept
    assert client.post(SETUP, CHOSEN | {"code": kept}).status_code == 403


def test_code_is_dead_once_used_and_so_are_all_others(client: Client) -> None:
    first, second = new_setup_code(), new_setup_code()
    make_first_administrator(first, username="ada", password="listen-closely-1")

    for code in (first, second):
        assert client.get(SETUP, {"code": code})["Location"] == "/"
        assert client.post(SETUP, CHOSEN | {"username": "eve", "code": code})["Location"] == "/"
        with pytest.raises(AdministratorExists):
            make_first_administrator(code, username="eve", password="listen-closely-1")
    assert User.objects.count() == 1


@pytest.mark.databases
def test_each_of_several_processes_gives_out_a_code_that_works() -> None:
    codes = [new_setup_code() for _process in range(3)]

    assert all(is_setup_code(code) for code in codes)
    assert len(set(codes)) == 3


@pytest.mark.databases
def test_code_is_dead_after_a_day() -> None:
    code = new_setup_code()
    SetupCode.objects.update(made_at=timezone.now() - timedelta(days=1, seconds=1))

    assert not is_setup_code(code)
    with pytest.raises(WrongCode):
        make_first_administrator(code, username="ada", password="listen-closely-1")


def test_code_does_not_work_once_there_is_an_administrator_by_another_way(client: Client) -> None:
    code = new_setup_code()
    UserFactory(is_superuser=True)

    client.post(SETUP, CHOSEN | {"code": code})

    assert not User.objects.filter(username="ada").exists()


@each("password", ["short", "password1234", "123456789012", "ada-ada-ada"], undo=True)
def test_password_has_to_keep_the_rules(client: Client, password: str) -> None:
    code = new_setup_code()
    sent = {"username": "ada-ada-ada", "password1": password, "password2": password, "code": code}

    response = client.post(SETUP, sent)

    assert (response.status_code, User.objects.count()) == (422, 0)
    assert is_setup_code(code)


def test_installation_with_accounts_and_no_administrator_still_has_its_log_in(client: Client) -> None:
    UserFactory()

    assert client.get("/accounts/login/").status_code == 200
    assert client.get("/datasets/")["Location"] == "/accounts/login/?next=/datasets/"
    assert is_setup_code(new_setup_code())


def test_command_prints_an_address_only_while_there_is_no_administrator(
    client: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("first_administrator", "--address", "http://lab.example:8080/")
    address = capsys.readouterr().out.strip()

    assert address.startswith("http://lab.example:8080/accounts/setup/?code=")
    assert "Create the first account" in client.get(address).content.decode()
    UserFactory(is_superuser=True)
    with pytest.raises(CommandError, match="has an administrator already"):
        call_command("first_administrator")
