"""Sign-on at a real OpenID provider, whose ID tokens are thin: no e-mail address, which is at its userinfo endpoint.

The other side: `oidc-provider` 8 (npm, MIT, OpenID Certified) with its own defaults, started by `node` on loopback;
`make test` installs it into tests/contact/oidc_provider/node_modules from the lock beside it. Its own forms are
filled in as a person would.
"""

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from accounts.models import Identity, User
from tests.factories import UserFactory
from tests.needs import lacking

pytestmark = pytest.mark.django_db
FOLDER = Path(__file__).parent / "oidc_provider"
CLIENT, SECRET = "earshot", "a-secret-of-the-client"


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    node = shutil.which("node")
    if node is None or not (FOLDER / "node_modules").is_dir():
        lacking("the provider is not installed: `make test` does it where there is npm")
    command = [node, "server.mjs", CLIENT, SECRET, "http://testserver" + reverse("sign-on-back")]
    with subprocess.Popen(
        command, cwd=FOLDER, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as provider:
        assert provider.stdout
        yield provider.stdout.readline().strip()
        provider.terminate()


@pytest.fixture(autouse=True)
def settings_of_provider(settings: Settings, issuer: str) -> None:
    settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_CLIENT_SECRET = issuer, CLIENT, SECRET


def person_at_provider(address: str, name: str) -> str:
    """Follow the provider's pages as a person does who types `name` and agrees; the address they are sent back to."""
    with requests.Session() as browser:
        reply = browser.get(address, allow_redirects=False, timeout=10)
        for _ in range(20):
            if "Location" in reply.headers:
                address = urljoin(address, reply.headers["Location"])
                if address.startswith("http://testserver/"):
                    return address
                reply = browser.get(address, allow_redirects=False, timeout=10)
            else:
                form = re.search(r'<form[^>]* action="([^"]+)"', reply.text)
                assert form, reply.text
                hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', reply.text))
                typed = hidden | ({"login": name, "password": "x"} if hidden["prompt"] == "login" else {})
                reply = browser.post(urljoin(address, form[1]), typed, allow_redirects=False, timeout=10)
    raise AssertionError("The provider sends nobody back.")


def sign_on(client: Client, name: str) -> HttpResponse:
    gone = client.get(reverse("sign-on"))
    return client.get(person_at_provider(gone["Location"], name))


def test_account_is_found_by_the_address_of_the_userinfo_endpoint(client: Client) -> None:
    user = UserFactory(email="lena@lab.example")

    assert sign_on(client, "lena")["Location"] == "/"

    assert client.session["_auth_user_id"] == str(user.pk)
    assert Identity.objects.get().subject == "lena"


def test_domain_that_may_sign_up_is_read_at_the_userinfo_endpoint(client: Client, settings: Settings) -> None:
    settings.OIDC_SIGN_UP = ["lab.example"]

    sign_on(client, "kim")

    assert list(User.objects.values_list("username", "email")) == [("kim", "kim@lab.example")]


def test_account_is_linked_and_unlinked(client: Client) -> None:
    user = UserFactory(email="")
    client.force_login(user)

    asked = client.get(sign_on(client, "lena")["Location"]).content.decode()
    assert "lena@lab.example" in asked
    client.post(reverse("sign-on-link"))
    assert Identity.objects.get().user == user
    client.post(reverse("sign-on-unlink"))

    assert not Identity.objects.exists()
