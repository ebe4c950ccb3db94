"""The demo's arena: a researcher finds a board with votes in it, and the annotator votes on."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in, open_page_of_campaign

pytestmark = pytest.mark.browser
SLUG = "demo-arena-with-simulated-voters"
WITH_ARENA = True


def test_researcher_sees_intervals_the_matrix_and_the_history(page: Page, shoot: Shoot) -> None:
    log_in(page, "researcher")
    for _second in range(30):  # the worker starts beside the pages, and is seen a little later
        if page.get_by_text("All is well").is_visible():
            break
        page.wait_for_timeout(1000)
        page.reload()
    page.get_by_role("link", name="Demo: arena with simulated voters").first.click()
    open_page_of_campaign(page, "Board")

    expect(page.locator("#board-as-of")).to_contain_text("240 votes; standing 4")
    expect(page.locator("table.board td.drawn")).to_have_count(6)
    expect(page.get_by_text("All is well")).to_be_visible()
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
    log_in(page, "annotator", at=f"/arena/{SLUG}/")
    shoot("demo-arena")
