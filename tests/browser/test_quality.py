"""The pages of quality in a browser, after a rehearsal: wide and narrow, sorted, decided, and fetched again."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server

pytestmark = pytest.mark.browser


def keep_a_rehearsal(server: Server) -> None:
    """On SQLite what is kept is a copy of the database, which takes the place of the server's own here."""
    server.manage("rehearse", "--keep", "--each", "1", "--units", "16")
    kept = server.data / "rehearsals" / "the-demos-script-0.sqlite3"
    if not kept.exists():
        return
    server.kill()
    for name in ("earshot.sqlite3-wal", "earshot.sqlite3-shm"):
        (server.data / name).unlink(missing_ok=True)
    kept.replace(server.data / "earshot.sqlite3")
    server.start()


def test_reviewer_sees_who_stands_out_and_decides(page: Page, server: Server, shoot: Shoot) -> None:
    keep_a_rehearsal(server)
    log_in(page, "admin", at="/campaigns/rehearsal/quality/")
    expect(page.get_by_role("heading", name="Results of the answers")).to_be_visible()
    shoot("quality")

    page.get_by_role("link", name="Pasted reasons").click()
    expect(page.get_by_role("columnheader", name="Pasted reasons")).to_have_attribute("aria-sort", "descending")
    worst = page.locator("#multiples tbody tr").first
    expect(worst.locator("td.flagged").first).to_be_visible()
    with page.expect_response(lambda response: "seen=" in response.url) as again:
        page.wait_for_timeout(5500)
    assert again.value.status == 204

    worst.get_by_role("link").click()
    shoot("quality-annotator")
    page.get_by_label("Why").fill("Looked at it together.")
    page.get_by_role("button", name="Leave all out").click()
    expect(page.get_by_text("All answers of this annotator are left out.")).to_be_visible()
    expect(page.get_by_text(re.compile("Looked at it together"))).to_be_visible()


def test_manager_changes_a_rule(page: Page, server: Server, shoot: Shoot) -> None:
    log_in(page, "admin", at="/campaigns/rehearsal/quality/rules/")
    shoot("quality-rules")
    page.get_by_role("group", name="One side").get_by_label("Then").select_option("Pause")
    page.get_by_role("button", name="Apply from now on").click()

    expect(page.get_by_role("row", name=re.compile("One side.*Warn.*Pause"))).to_be_visible()
    page.get_by_role("button", name="Back to the defaults").click()
    expect(page.get_by_role("row", name=re.compile("One side.*Pause.*Warn"))).to_be_visible()
