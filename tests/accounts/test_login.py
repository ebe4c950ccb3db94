import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.cases import each
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def somebody() -> None:
    """Without any account the log-in leads to the page that says how to begin."""
    UserFactory()


def log_in(client: Client, *, leads_to: str) -> str:
    """Log in with the form as it is shown at an address with this `next`; return where it leads."""
    user = UserFactory()
    shown = client.get(reverse("login"), {"next": leads_to}).content.decode()
    following = re.search(r'name="next" value="([^"]*)"', shown)
    assert following
    sent = {"username": user.username, "password": "secret", "next": following[1]}
    response = client.post(reverse("login"), sent)
    assert response.status_code == 302
    return response["Location"]


def test_logged_out_page_is_redirected_to_the_login_and_back(client: Client) -> None:
    response = client.get("/datasets/")

    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=/datasets/")


@pytest.mark.parametrize("method", ["get", "post"])
def test_logged_out_htmx_request_is_401(client: Client, method: str) -> None:
    response = getattr(client, method)("/datasets/", headers={"HX-Request": "true"})

    assert (response.status_code, response.content) == (401, b"")
    assert "Location" not in response


def test_logged_out_htmx_request_may_still_log_in(client: Client) -> None:
    assert client.get("/accounts/login/", headers={"HX-Request": "true"}).status_code == 200


def test_login_form_posts_to_the_login_wherever_it_is_shown(client: Client) -> None:
    page = client.get("/accounts/login/?next=/datasets/").content.decode()

    assert re.search(r'<form [^>]*method="post" action="/accounts/login/"', page)


def test_login_leads_to_the_page_that_was_asked_for(client: Client) -> None:
    assert log_in(client, leads_to="/datasets/") == "/datasets/"


@each("elsewhere", ["https://evil.example/", "//evil.example/", "/\\evil.example", "javascript:x"], undo=True)
def test_login_does_not_lead_off_the_site(client: Client, elsewhere: str) -> None:
    assert log_in(client, leads_to=elsewhere) == "/"


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example/"])
def test_login_with_a_forged_form_does_not_lead_off_the_site(client: Client, elsewhere: str) -> None:
    sent = {"username": UserFactory().username, "password": "secret", "next": elsewhere}

    assert client.post("/accounts/login/", sent)["Location"] == "/"
