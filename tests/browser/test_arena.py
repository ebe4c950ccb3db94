"""Two windows vote in a public arena, the board moves in a third, and a killed server comes back to the same."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot, log_in, open_page_of_campaign, window
from tests.browser.server import Server, wait_for

pytestmark = pytest.mark.browser
SLUG = "demo-which-answer-is-better"
MAKE_ARENA = f"""
from arena.settings.setup import Terms, set_arena
from campaigns.models import Campaign
campaign = Campaign.objects.get(slug="{SLUG}")
Campaign.objects.filter(pk=campaign.pk).update(status="draft")
set_arena(campaign, terms=Terms(is_public=True, reveals_names=True))
Campaign.objects.filter(pk=campaign.pk).update(status="open")
"""


@pytest.fixture(scope="module", autouse=True)
def public_arena(server: Server) -> None:
    server.shell(MAKE_ARENA)


@pytest.fixture
def voters(browser: Browser, server: Server) -> Iterator[list[Page]]:
    with window(browser, server.url) as one, window(browser, server.url) as other:
        yield [one, other]


def come_in(voter: Page) -> None:
    """As a guest, by the landing and the volume."""
    voter.goto(f"/arena/{SLUG}/")
    voter.get_by_role("button", name="Start as a guest").click()
    voter.get_by_role("link", name="Continue to labelling").click()
    expect(voter.locator("[data-unit]")).to_be_visible()


def vote(voter: Page, choice: str) -> None:
    before = voter.locator("[data-unit]").get_attribute("data-assignment")
    for question in ("content", "voice_quality", "paralinguistics", "overall"):
        voter.locator(f'[data-question="{question}"]').get_by_text(choice).click()
    voter.get_by_role("button", name="Submit").click()
    expect(voter.locator(f'[data-unit]:not([data-assignment="{before}"])')).to_be_visible()


def votes_on(page: Page) -> int:
    found = re.match(r"(\d+) votes?; standing", page.locator("#board-as-of").inner_text())
    assert found
    return int(found[1])


def ratings(page: Page) -> list[str]:
    return page.locator("table.board .drawn b").all_inner_texts()


@pytest.mark.smoke
def test_two_vote_and_a_third_window_moves_and_outlives_the_server(
    page: Page, voters: list[Page], server: Server, shoot: Shoot, complaints: list[str]
) -> None:
    log_in(page, "researcher", at=f"/campaigns/{SLUG}/board/")
    before = votes_on(page)
    page.evaluate("window.neverReloaded = true")
    for voter in voters:
        come_in(voter)
    for n, (voter, choice) in enumerate(zip([*voters, *voters], ["1 is better", "2 is better"] * 2, strict=True), 1):
        expect(voter.locator(".revealed")).to_have_count(0 if n < 3 else 1)
        vote(voter, choice)
        expect(page.locator("#board-as-of")).to_contain_text(f"{before + n} vote", timeout=20_000)
    assert page.evaluate("window.neverReloaded") is True
    expect(voters[0].locator(".revealed dd")).to_have_count(2)
    told = voters[0].locator(".revealed dd").all_inner_texts()
    assert set(told) <= set(page.locator("table.board th bdi").all_inner_texts())
    shown = ratings(page)

    server.kill()
    server.start()
    wait_for(server.url + "/accounts/login/")
    page.reload()

    assert (votes_on(page), ratings(page)) == (before + 4, shown)
    server.manage("rebuild_standings", "--check")
    voters[0].reload()
    vote(voters[0], "1 is better")
    expect(page.locator("#board-as-of")).to_contain_text(f"{before + 5} vote", timeout=20_000)
    complaints.clear()  # the browser reports the lost socket itself


def test_pages_of_an_arena_fit_their_screens(page: Page, shoot: Shoot) -> None:
    page.goto(f"/arena/{SLUG}/")
    shoot("arena-landing")
    page.get_by_role("button", name="Start as a guest").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Continue to labelling").click()
    vote(page, "1 is better")
    shoot("arena-voting")
    log_in(page, "researcher", at=f"/campaigns/{SLUG}/")
    open_page_of_campaign(page, "Arena")
    expect(page.get_by_label("Address of the arena")).to_have_value(re.compile(f"/arena/{SLUG}/$"))
    shoot("arena-staff")
