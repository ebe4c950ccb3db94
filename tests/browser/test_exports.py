"""A researcher makes two exports, sees them come without a reload, downloads one and deletes the other."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from corpus.imports.files.studies import holds_study
from tests.browser.conftest import Shoot, log_in, open_page_of_campaign
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

CAMPAIGN = "/campaigns/demo-which-answer-is-better/"
A_WHILE = 60_000
ONE_ANSWER = """
from campaigns.models import Campaign
from annotation.assignment.next_unit import next_assignment
from annotation.answers.submit import record_answers
from campaigns.people.members import add_member
from accounts.models import User
campaign = Campaign.objects.get(slug="demo-which-answer-is-better")
person = User.objects.create(username="passer-by")
add_member(campaign, user=person, role="annotator")
held = next_assignment(campaign, person)
clicked = {"content": "1", "voice_quality": "2", "paralinguistics": "both_bad", "overall": "1"}
record_answers(held.pk, annotator=person, clicked=clicked, idempotency_key="k")
"""


@pytest.mark.smoke
def test_exports_are_made_watched_downloaded_and_deleted(
    page: Page, server: Server, shoot: Shoot, tmp_path: Path
) -> None:
    server.shell(ONE_ANSWER)
    log_in(page, "researcher", at=CAMPAIGN)
    open_page_of_campaign(page, "Exports")
    expect(page.get_by_text("No export yet")).to_be_visible()
    page.get_by_label("Answers as CSV").check()
    page.get_by_label("Dataset for Hugging Face, with sound").check()
    page.get_by_role("button", name="Create the files").click()
    page.evaluate("window.neverReloaded = true")

    study = page.get_by_role("link", name="Download demo-which-answer-is-better-hugging-face.zip")
    expect(study).to_be_visible(timeout=A_WHILE)
    expect(page.get_by_role("link", name="answers.csv")).to_be_visible(timeout=A_WHILE)
    assert page.evaluate("window.neverReloaded")
    files = page.locator("#exports")
    expect(files.get_by_text("until ")).to_have_count(2)
    expect(files.get_by_text("asked for by researcher")).to_have_count(2)
    assert violations(page) == []
    shoot("exports")
    with page.expect_download() as downloading:
        study.click()
    file = tmp_path / "study.zip"
    downloading.value.save_as(file)
    with file.open("rb") as opened:
        assert holds_study(opened)
    page.get_by_text("Delete: Answers as CSV").click()
    page.get_by_role("button", name="Yes, delete it").click()
    expect(page.get_by_text("The export is deleted.")).to_be_visible()
