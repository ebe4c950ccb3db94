"""Requests that somebody else makes a person send, or that lie about where they come from and where they go."""

import logging
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.core import mail
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from accounts.models import User
from accounts.tasks import send_password_links_task
from tests.api.test_access import WHO_MAY as API
from tests.cases import each
from tests.config.pages.test_access import FOR_GUESTS, WITHOUT_LOGIN
from tests.factories import UserFactory
from tests.world import pages

pytestmark = pytest.mark.django_db

EVIL = "evil.example"
ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = (
    f"https://{EVIL}/", f"//{EVIL}", f"///{EVIL}", f"/\\{EVIL}", f"\\\\{EVIL}", f"https:{EVIL}", f"https:///{EVIL}",
    f"http://testserver@{EVIL}/", f"\thttps://{EVIL}", f"/\t/{EVIL}", f"javascript:alert('{EVIL}')",
    f"data:text/html,{EVIL}", f"https://testserver.{EVIL}/",
)  # fmt: skip
WHERE_TO = ("next", "next_page", "to", "url", "redirect", "return", "return_url", "back", "continue")


# -- forgery ------------------------------------------------------------


def test_no_page_is_exempt_from_the_check_against_forgery() -> None:
    assert [name for name, _route, view in pages() if getattr(view, "csrf_exempt", False)] == []


def test_unsafe_request_without_a_token_of_ours_is_refused_at_every_address(
    people: dict[str, User], addresses: dict[str, str], open_addresses: dict[str, str]
) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people["superuser"])

    logging.disable()
    let_in = []
    for name, address in (addresses | open_addresses).items():
        response = client.post(address, headers={"Accept": "text/html"})
        let_in += [name] * (response.status_code != 403 or "403_csrf.html" not in map(str, template_names(response)))
    logging.disable(logging.NOTSET)
    assert let_in == []


def template_names(response: HttpResponse) -> list[str | None]:
    return [template.name for template in response.templates]


def test_session_of_a_browser_needs_the_token_for_the_api_too(people: dict[str, User]) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(people["superuser"])

    response = client.post("/api/v1/campaigns/", {})

    assert response.status_code == 403
    assert "CSRF" in response.json()["detail"]
    assert len(API) > 40


def test_token_of_another_origin_does_not_count(people: dict[str, User]) -> None:
    client = Client(enforce_csrf_checks=True, headers={"Origin": f"https://{EVIL}"})
    client.cookies["csrftoken"] = "c" * 32

    response = client.post(reverse("login"), {"csrfmiddlewaretoken": "c" * 32})

    assert response.status_code == 403


# -- ways off the site ------------------------------------------------------------


def leads_off(response: HttpResponse) -> bool:
    """Whether a browser would go somewhere else, as browsers read addresses: without tabs, and \\ as /."""
    told = [response.get(it, "") for it in ("Location", "HX-Redirect", "HX-Location", "Refresh", "HX-Push-Url")]
    read = [re.sub(r"[\t\r\n]", "", it).replace("\\", "/").strip() for it in told]
    return any(
        re.match(r"(https?:)?//(?!testserver[/:]|testserver$)|https?:(?!//)|javascript:|data:", it) for it in read
    )


@each("elsewhere", ELSEWHERE, undo=True)
def test_no_link_of_a_login_page_leads_off_the_site(elsewhere: str) -> None:
    user = UserFactory()
    said = dict.fromkeys(WHERE_TO, elsewhere)
    entered = {"username": user.username, "password": "secret"} | said

    came = [
        Client().post(reverse("login"), entered),
        Client().post(f"{reverse('login')}?next={elsewhere}", entered),
        Client().post(reverse("set_language"), said | {"language": "de"}, headers={"Referer": elsewhere.strip()}),
        Client().post(reverse("logout"), said),
    ]

    assert [response.status_code for response in came] == [302, 302, 302, 302]
    assert not [response.headers for response in came if leads_off(response)]


def test_no_address_leads_off_the_site_because_it_is_asked_to(
    people: dict[str, User], addresses: dict[str, str], open_addresses: dict[str, str]
) -> None:
    said = dict.fromkeys(WHERE_TO, f"https://{EVIL}/")
    logging.disable()
    off = []
    for role in ("superuser", "annotator"):
        client = Client(headers={"Referer": f"https://{EVIL}/", "HX-Current-URL": f"https://{EVIL}/"})
        for name, address in (addresses | open_addresses).items():
            if role == "annotator" and name not in FOR_GUESTS | WITHOUT_LOGIN:
                continue
            client.force_login(people[role])
            for response in (client.get(address, said), client.post(f"{address}?next=https://{EVIL}/", said)):
                off += [f"{role} {name}: {response['Location']}"] if leads_off(response) else []
    logging.disable(logging.NOTSET)
    assert off == []


# -- hosts ------------------------------------------------------------


@each("host", [EVIL, f"testserver.{EVIL}", f"testserver@{EVIL}", "testserver,evil.example", ""], undo=True)
def test_request_for_another_host_is_refused(host: str) -> None:
    response = Client().get(reverse("login"), headers={"Host": host})

    assert response.status_code == 400
    assert EVIL not in response.content.decode()


@pytest.mark.parametrize(
    "header", ["X-Forwarded-Host", "X-Host", "Forwarded", "X-Original-Host", "X-Forwarded-Server"]
)
def test_link_in_a_mail_names_the_host_that_was_asked_for(
    header: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    user = UserFactory(email="lena@lab.example")
    monkeypatch.setattr(
        "accounts.login.password_links.current_app.send_task",
        lambda _name, args, **_options: send_password_links_task(*args),
    )

    Client(headers={header: EVIL, "Origin": "http://testserver"}).post(reverse("forgotten"), {"email": user.email})

    [letter] = mail.outbox
    assert "http://testserver/" in letter.body
    assert EVIL not in letter.body


# -- what a browser is told ------------------------------------------------------------


def strict(response: HttpResponse) -> bool:
    policy = response.get("Content-Security-Policy", "")
    sources = dict(part.strip().split(" ", 1) for part in policy.split(";") if " " in part.strip())
    return (
        sources.get("default-src") == sources.get("base-uri") == sources.get("frame-ancestors") == "'none'"
        and sources.get("script-src") == sources.get("style-src") == sources.get("form-action") == "'self'"
        and "unsafe" not in policy
        and "*" not in policy
        and response.get("X-Frame-Options") == "DENY"
        and response.get("X-Content-Type-Options") == "nosniff"
        and response.get("Referrer-Policy") == "same-origin"
    )


def test_every_answer_brings_the_strict_policy(
    people: dict[str, User],
    addresses: dict[str, str],
    open_addresses: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = Client(raise_request_exception=False)
    logging.disable()
    loose = []
    for role in ("superuser", "annotator"):
        client.force_login(people[role])
        for name, address in (addresses | open_addresses | {"nowhere": "/nowhere/", "api": "/api/v1/me/"}).items():
            if role == "superuser" or name in FOR_GUESTS:
                loose += [] if strict(client.get(address)) else [name]
    strange = Client().get("/", headers={"Host": EVIL})
    forged = Client(enforce_csrf_checks=True).post(reverse("login"))
    monkeypatch.setattr("analytics.home.views.render", None)
    broken = client.get("/")
    logging.disable(logging.NOTSET)
    assert loose == []
    assert [(it.status_code, strict(it)) for it in (strange, forged, broken)] == [
        (400, True),
        (403, True),
        (500, True),
    ]


def test_templates_have_neither_scripts_nor_styles_nor_handlers_of_their_own() -> None:
    inline = re.compile(
        r"<script(?![^>]*\b(src=|type=\"application/json\"))|<style|\sstyle=|\son(?!e=)[a-z]+=|javascript:"
    )
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in (ROOT / "templates").rglob("*.html")
        for match in inline.finditer(path.read_text())
    ]
    assert found == []


# -- HTTPS ------------------------------------------------------------

UNDER_HTTPS = """
import django, json
django.setup()
from django.conf import settings as s
from django.core.checks import run_checks
print(json.dumps([
    s.SESSION_COOKIE_SECURE, s.CSRF_COOKIE_SECURE, s.LANGUAGE_COOKIE_SECURE, s.SECURE_SSL_REDIRECT,
    s.SESSION_COOKIE_HTTPONLY, s.LANGUAGE_COOKIE_HTTPONLY, s.SESSION_COOKIE_SAMESITE, s.CSRF_COOKIE_SAMESITE,
    s.SECURE_HSTS_SECONDS >= 31536000, s.SECURE_HSTS_INCLUDE_SUBDOMAINS, s.SECURE_HSTS_PRELOAD, s.DEBUG,
    [str(it) for it in run_checks(include_deployment_checks=True) if not it.is_silenced()],
]))
"""


def test_under_https_cookies_are_secure_and_the_check_for_deployment_is_clean(tmp_path: Path) -> None:
    environment = {
        "DJANGO_SETTINGS_MODULE": "config.settings", "HTTPS": "true", "SECRET_KEY": "x7-Kq_" * 12,
        "HSTS_SUBDOMAINS": "true", "PATH": "/usr/bin:/bin", "EARSHOT_DATA": str(tmp_path),
    }  # fmt: skip
    told = subprocess.run(
        [sys.executable, "-c", UNDER_HTTPS], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert told.stdout.strip() == ('[true, true, true, true, true, true, "Lax", "Lax", true, true, false, false, []]')
