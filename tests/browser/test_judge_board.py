"""The board of a judge's run: chosen beside people's, and heard behind its cells with the judge's reasons."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.test_judges import open_judges, see_it_done, start
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser
BOARD = "/campaigns/demo-which-answer-is-better/board/"


def test_judges_run_is_a_board_of_its_own_once_it_is_done(page: Page, shoot: Shoot, complaints: list[str]) -> None:
    log_in(page, "researcher")
    open_judges(page)
    start(page, "Random", "both")
    see_it_done(page)
    pk = page.url.rstrip("/").rsplit("/", 1)[-1]

    page.goto(BOARD)
    page.get_by_label("Answers of").select_option(f"judge-{pk}")
    page.get_by_role("button", name="Show", exact=True).click()

    expect(page.get_by_text(re.compile(r"Units with a vote: \d+ of 30"))).to_be_visible()
    expect(page.get_by_text("a judge’s run is one voter")).to_be_visible()
    expect(page.get_by_label("Excluded answers")).to_have_count(0)
    shoot("judge-board")
    assert violations(page) == []

    cell = page.locator("table.matrix a").first
    cell.click()
    expect(page.get_by_text(re.compile(r"^The judge heard \w+ first:")).first).to_be_visible()
    shoot("judge-board-units")
    assert violations(page) == []

    page.goto(f"{BOARD}?by=judge-999999")
    expect(page.get_by_text("No run of this number judged pairs of this campaign.")).to_be_visible()
    shoot("judge-board-none")
    complaints.clear()  # the browser reports the page that is not found
