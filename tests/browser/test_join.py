"""From a link that a researcher makes to the code that a guest takes back to the panel."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot, log_in, open_page_of_campaign, window
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

TITLE = "One pair for Prolific"
ONE_UNIT = f"""
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign, open_campaign
from corpus.models import Dataset
from campaigns.audio.delivery import prepare_audio_of
from protocols import SHIPPED, Listening
from corpus.datasets.units import pairs_of_systems
from dataclasses import replace

protocol = replace(SHIPPED["blind_overall"], listening=Listening("none"))
dataset = Dataset.objects.get()
units = pairs_of_systems(dataset, per_pair=2)[:1]
owner = User.objects.get(username="researcher")
campaign = create_campaign(
    dataset, title="{TITLE}", protocol=protocol, units=units, user=owner, target_lufs=None, answers_per_unit=9
)
prepare_audio_of(str(campaign.pk), lambda *_: None)
open_campaign(campaign)
"""
CONSENT = "You take part of your own free will.\n\nYou can leave at any time, and have your answers left out."


@pytest.fixture(scope="module", autouse=True)
def one_unit(server: Server) -> None:
    server.shell(ONE_UNIT)


@pytest.fixture
def guest(browser: Browser, server: Server, complaints: list[str]) -> Iterator[Page]:
    """Another browser, in which nobody ever logged in."""
    with window(browser, server.url, complaints) as guest:
        yield guest


def open_people(page: Page) -> None:
    log_in(page, "researcher")
    page.get_by_role("link", name=TITLE).click()
    open_page_of_campaign(page, "People")


def make_prolific_link(page: Page) -> str:
    """Make a link as a researcher does, and copy it by its button."""
    page.get_by_label("Link", exact=True).select_option("For several people")
    page.get_by_label("Minutes it takes").fill("5")
    page.get_by_text("People from a panel").click()
    page.get_by_label("Panel", exact=False).first.select_option("Prolific")
    page.get_by_label("Code: completed").fill("C1KBVJ2Z")
    page.get_by_label("Code: screened out").fill("SCR33NED")
    page.get_by_role("button", name="Create", exact=True).click()
    page.get_by_role("button", name=re.compile("^Copy")).first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    return page.get_by_label(re.compile(r"^Link \d+$")).first.input_value()


def ask_for_consent(page: Page, text: str) -> None:
    page.get_by_label("Text").fill(text)
    page.get_by_role("button", name="Ask for this from now on").click()
    expect(page.get_by_text("Version 1", exact=False).first).to_be_visible()


def arrive(guest: Page, link: str, number: str) -> None:
    filled_in = (
        link.replace("{{%PROLIFIC_PID%}}", number).replace("{{%STUDY_ID%}}", "s").replace("{{%SESSION_ID%}}", "x")
    )
    guest.goto(filled_in)
    assert "?" not in guest.url


def test_guest_from_prolific_consents_labels_and_is_led_back(page: Page, guest: Page, shoot: Shoot) -> None:
    open_people(page)
    ask_for_consent(page, CONSENT)
    link = make_prolific_link(page)
    assert link.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}")
    assert violations(page) == []
    shoot("people-links")

    arrive(guest, link, "5e9b9c9b9c9b9c9b9c9b9c9b")
    expect(guest.get_by_text("about 5 minutes")).to_be_visible()
    guest_shoots = Shoot(guest, shoot.folder)
    guest_shoots("join")
    assert violations(guest) == []
    guest.get_by_role("button", name="Take part").click()
    assert "/join/" in guest.url  # the box is not ticked
    guest.get_by_label("I have read this and agree").check()
    guest.get_by_role("button", name="Take part").click()

    expect(guest.get_by_role("button", name="Play response 2")).to_be_enabled()
    guest.get_by_text("1 is better", exact=True).click()
    guest.get_by_role("button", name="Submit").click()
    back = guest.get_by_role("link", name="Back to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=C1KBVJ2Z")
    expect(guest.get_by_text("C1KBVJ2Z")).to_be_visible()
    assert violations(guest) == []
    guest_shoots("join-end")

    page.reload()
    expect(page.get_by_role("row", name=re.compile("Guest annotator A1", re.IGNORECASE))).to_be_visible()
    expect(page.get_by_text("1 person agreed")).to_be_visible()


def test_guest_keeps_the_account_or_leaves_and_is_forgotten(
    page: Page, guest: Page, shoot: Shoot, server: Server
) -> None:
    open_people(page)
    link = make_prolific_link(page)
    arrive(guest, link, "rarepid")
    if guest.get_by_label("I have read this and agree").count():
        guest.get_by_label("I have read this and agree").check()
    guest.get_by_role("button", name="Take part").click()
    guest.get_by_role("link", name="Earshot").click()
    guest_shoots = Shoot(guest, shoot.folder)
    guest_shoots("home-guest")
    guest.get_by_role("link", name="keep this account").click()
    assert violations(guest) == []
    guest_shoots("keep-account")
    guest.get_by_label("Username").fill("lena-of-prolific")
    guest.get_by_label("Password", exact=True).fill("listen-closely")
    guest.get_by_label("Password confirmation").fill("listen-closely")
    guest.get_by_role("button", name="Save", exact=True).click()
    expect(guest.get_by_role("link", name="lena-of-prolific")).to_be_visible()

    guest.get_by_role("link", name="Leave this study").click()
    assert violations(guest) == []
    guest_shoots("withdraw")
    guest.get_by_label("Delete my identity").check()
    guest.get_by_label("Do not use my answers").check()
    guest.get_by_role("button", name="Leave this study").click()
    expect(guest.get_by_text("Your account and your participant number are deleted.")).to_be_visible()
    assert violations(guest) == []
    guest_shoots("withdrawn")
    assert server.rows("SELECT count(*) FROM accounts_user WHERE username = 'lena-of-prolific'") == [(0,)]
    assert server.rows("SELECT count(*) FROM campaigns_arrival WHERE participant = 'rarepid'") == [(0,)]


def test_participant_who_does_not_want_to_is_led_back(page: Page, guest: Page, shoot: Shoot) -> None:
    open_people(page)
    link = make_prolific_link(page)
    arrive(guest, link, "declines")

    guest.get_by_role("button", name="No, thank you").click()

    back = guest.get_by_role("link", name="Back to Prolific")
    expect(back).to_have_attribute("href", "https://app.prolific.com/submissions/complete?cc=SCR33NED")
    assert violations(guest) == []


def test_link_that_was_revoked_says_so(page: Page, guest: Page, complaints: list[str], shoot: Shoot) -> None:
    open_people(page)
    link = make_prolific_link(page)
    page.locator("details.confirm summary", has_text="Revoke").first.click()
    page.get_by_role("button", name="Yes, revoke it").first.click()

    guest.goto(link.split("?")[0])

    expect(guest.get_by_text("This link is no longer valid.")).to_be_visible()
    Shoot(guest, shoot.folder)("join-revoked")
    assert violations(guest) == []
    complaints[:] = [said for said in complaints if "409" not in said]
