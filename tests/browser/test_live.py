"""A researcher watches while two people label; the server goes away, and comes back."""

import re
import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import SESSIONS, Shoot, log_in, window
from tests.browser.server import Server

pytestmark = pytest.mark.browser

ANOTHER_ANNOTATOR = """
from accounts.models import User
from campaigns.people.members import add_member
from campaigns.models import Campaign, Role
second = User.objects.create_user(username="second", password="listen-closely")
for campaign in Campaign.objects.all():
    add_member(campaign, user=second, role=Role.ANNOTATOR)
"""
CAMPAIGN = "demo-which-answer-is-better"


@pytest.fixture
def labellers(browser: Browser, server: Server) -> Iterator[list[Page]]:
    server.shell(ANOTHER_ANNOTATOR + SESSIONS)
    with window(browser, server.url) as one, window(browser, server.url) as other:
        for page, name in ((one, "annotator"), (other, "second")):
            log_in(page, name, at=f"/label/{CAMPAIGN}/")
        yield [one, other]


def answer(page: Page) -> None:
    done = int(page.locator(".own-progress span").first.inner_text().split()[0])
    for key in "1111":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"{done + 1} of ")).to_be_visible()


@pytest.mark.smoke
def test_page_follows_two_people_and_says_when_it_cannot(
    page: Page, server: Server, labellers: list[Page], shoot: Shoot, complaints: list[str]
) -> None:
    fetched: list[float] = []
    page.on("request", lambda sent: fetched.append(time.monotonic()) if sent.url.endswith("/pulse/") else None)
    log_in(page, "researcher")
    with page.expect_websocket() as opened:
        page.goto(f"/campaigns/{CAMPAIGN}/")
    assert opened.value.url == f"{server.url.replace('http', 'ws')}/live/"
    expect(page.get_by_text("0 of 60 answers")).to_be_visible()
    expect(page.get_by_text("All is well")).to_be_visible(timeout=40_000)  # once the worker found what waits

    for n in range(3):
        for labeller in labellers:
            answer(labeller)
        expect(page.get_by_text(f"{2 * (n + 1)} of 60 answers")).to_be_visible(timeout=4000)  # sooner than polls come
    expect(page.get_by_text(re.compile(r"^2 at work"))).to_be_visible()
    shoot("campaign-live")
    assert min(later - one for one, later in pairwise(fetched[1:])) > 0.9

    server.kill()
    expect(page.get_by_text("Not connected at the moment")).to_be_visible(timeout=8000)
    server.start()
    expect(page.get_by_text("Not connected at the moment")).to_be_hidden(timeout=40_000)
    labellers[0].reload()
    answer(labellers[0])
    expect(page.get_by_text("7 of 60 answers")).to_be_visible(timeout=4000)
    complaints.clear()  # what could not be reached while the server was dead
