"""Second factor and single sign-on, walked in a browser: set up, asked for, lost and taken away; and a provider."""

import re
from base64 import b32decode
from collections.abc import Iterator
from time import sleep, time

import pytest
from django_otp.oath import totp
from joserfc.jwk import RSAKey
from playwright.sync_api import Browser, Page, expect

from tests.accounts.provider import CLIENT, SECRET, Provider, providing
from tests.browser.conftest import PASSWORD
from tests.browser.server import Server

pytestmark = pytest.mark.browser
STEP_S = 30
PEOPLE = f"""
from accounts.models import User
from campaigns.models import Campaign, Membership
from corpus.models import Dataset
from protocols import SHIPPED, digest, to_document
admin = User.objects.create_superuser("admin", password="{PASSWORD}")
annotator = User.objects.create_user("annotator", email="lena@lab.example", password="{PASSWORD}")
document = to_document(SHIPPED["hcot"])
campaign = Campaign.objects.create(
    dataset=Dataset.objects.create(name="D", slug="d", created_by=admin), title="Study", slug="study",
    protocol_document=document, protocol_digest=digest(document), created_by=admin,
)
Membership.objects.create(campaign=campaign, user=annotator, role="annotator", pseudonym="A1")
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with providing() as provider:
        yield provider


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser, provider: Provider, installed: Server
) -> Iterator[Server]:
    """Without the demo, which takes longer than all that is tried here."""
    server = Server(tmp_path_factory.mktemp("server"), like=installed)
    server.env |= {
        "OIDC_ISSUER": provider.issuer, "OIDC_CLIENT_ID": CLIENT, "OIDC_CLIENT_SECRET": SECRET, "OIDC_NAME": "The lab"
    }  # fmt: skip
    server.shell(PEOPLE)
    server.start(worker=False)
    yield server
    server.kill()


def code_of(key: str, *, later: int = 0) -> str:
    """What an authenticator shows that was given the key as it is typed, or will show `later` steps from now."""
    letters = key.replace(" ", "")
    secret = b32decode(letters + "=" * (-len(letters) % 8))
    return f"{totp(secret, step=STEP_S, t0=-STEP_S * later):06d}"


def wait_for_a_step_with_time_left() -> None:
    """A code that is typed in one step and read in the next is a late clock's: none of later is taken then."""
    left = STEP_S - time() % STEP_S
    if left < 10:
        sleep(left)


def first_factor(page: Page, name: str) -> None:
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in", exact=True).click()


def type_code(page: Page, typed: str) -> None:
    page.get_by_label("Code").fill(typed)
    page.get_by_role("button", name="Log in", exact=True).click()


def is_in(page: Page) -> None:
    expect(page.get_by_role("button", name="Log out")).to_be_visible()


def test_second_factor_is_set_up_asked_for_lost_and_taken_away(page: Page, server: Server) -> None:
    first_factor(page, "annotator")
    is_in(page)
    page.goto("/accounts/account/")
    page.get_by_role("link", name="Add a second factor").click()
    key = page.locator("code").inner_text()
    wait_for_a_step_with_time_left()
    page.get_by_label("Code").fill(code_of(key))
    page.get_by_role("button", name="Switch on").click()
    expect(page.locator("li code")).to_have_count(10)
    recovery = page.locator("li code").all_inner_texts()
    assert len(set(recovery)) == 10
    page.get_by_role("link", name="I have kept them").click()
    page.get_by_role("button", name="Log out").click()

    first_factor(page, "annotator")
    expect(page.get_by_role("heading", name="Your code")).to_be_visible()
    page.goto("/accounts/account/")  # the password alone opens nothing
    expect(page).to_have_url(re.compile("/accounts/login/"))
    page.goto("/accounts/login/code/")
    type_code(page, "000000")
    expect(page.get_by_text("This code is not right, or was used before.")).to_be_visible()
    sleep(1.1)  # a wrong code slows the next one down
    type_code(page, code_of(key, later=1))  # that of this moment was used to switch it on
    is_in(page)

    first_factor(page, "annotator")
    type_code(page, recovery[0])
    is_in(page)
    first_factor(page, "annotator")
    type_code(page, recovery[0])
    expect(page.get_by_text("This code is not right, or was used before.")).to_be_visible()

    first_factor(page, "admin")
    is_in(page)
    page.goto("/campaigns/study/members/")
    page.get_by_role("link", name="Second factor of A1").click()
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("annotator logs in with the password alone now")).to_be_visible()
    first_factor(page, "annotator")
    is_in(page)


@pytest.fixture
def honest(provider: Provider) -> Iterator[Provider]:
    """However it lied in a test, the provider tells the truth again afterwards."""
    claims, key = dict(provider.claims), provider.signing_key
    yield provider
    provider.claims, provider.signing_key, provider.forged = claims, key, {}


def sign_on(page: Page) -> None:
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_role("link", name="Log in by The lab").click()


def test_provider_lets_in_whom_it_knows_and_forgeries_do_not(page: Page, honest: Provider) -> None:
    refused = page.get_by_text("The sign-on did not work.")
    lies: list[dict[str, object]] = [{"aud": "another"}, {"iss": "http://127.0.0.1:9"}, {"nonce": "x"}, {"exp": 1}]
    for lie in lies:
        honest.forged = lie
        sign_on(page)
        expect(refused).to_be_visible()
    honest.forged, honest.signing_key = {}, RSAKey.generate_key(2048, {"kid": "k1"})
    sign_on(page)
    expect(refused).to_be_visible()
    honest.signing_key = honest.key
    page.goto("/accounts/sign-on/back/?code=code-1&state=guessed")
    expect(refused).to_be_visible()

    honest.claims = {"sub": "s-9", "email": "nobody@lab.example", "email_verified": True}
    sign_on(page)
    expect(page.get_by_text("You have no account here.")).to_be_visible()
    honest.claims = {"sub": "s-1", "email": "lena@lab.example", "email_verified": False}
    sign_on(page)
    expect(page.get_by_text("You have no account here.")).to_be_visible()

    honest.claims["email_verified"] = True
    sign_on(page)
    is_in(page)
    expect(page.get_by_role("link", name="annotator")).to_be_visible()
    assert honest.asked[-1]["code_challenge_method"] == "S256"
    assert all(asked["state"] and asked["nonce"] for asked in honest.asked)
