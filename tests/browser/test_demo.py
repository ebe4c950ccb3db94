"""The demo's arena: a researcher finds a board with votes in it, and the annotator votes on."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in

pytestmark = pytest.mark.browser
SLUG = "demo-arena-with-simulated-voters"
WITH_ARENA = True


def test_researcher_sees_intervals_the_matrix_and_the_history(page: Page, shoot: Shoot) -> None:
    log_in(page, "researcher")
    page.get_by_role("link", name="Demo: arena with simulated voters").first.click()
    page.get_by_role("navigation", name="Pages of the campaign").get_by_role("link", name="Board").click()

    expect(page.locator("#board-as-of")).to_contain_text("240 votes; standing 4")
    expect(page.locator("table.board td.drawn")).to_have_count(6)
    shoot("demo-board")
    page.get_by_label("Errors").select_option("cluster_bootstrap")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("#board")).to_contain_text("1,000 resamples of the 12 voters, each with all their votes")
    shoot("demo-board-resampled")
    page.get_by_label("Ties").select_option("davidson")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_text("these intervals are from sandwich errors")).to_be_visible()
    shoot("demo-board-not-resampled")


def test_annotator_votes_on(page: Page, shoot: Shoot) -> None:
    log_in(page, "annotator")
    page.goto(f"/arena/{SLUG}/")
    shoot("demo-arena")
