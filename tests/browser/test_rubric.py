"""Criteria are reviewed without a mouse, and the campaign opens once they are."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser
TABLE = b"item,text\nfacts-01,Does it name a number?\nfacts-01,Does it speak of babies?\nfacts-01,Is it loud?\n"
SEED = """
from campaigns.launch.lifecycle import create_campaign, prepare_audio
from corpus.models import Dataset
from protocols import SHIPPED
from corpus.datasets.units import single_responses
dataset = Dataset.objects.get()
units = [unit for unit in single_responses(dataset) if unit.item.key in ("facts-01", "facts-02")]
campaign = create_campaign(
    dataset, title="By criteria", protocol=SHIPPED["rubric"], units=units, user=dataset.created_by
)
prepare_audio(campaign, user=dataset.created_by)
"""
RUBRIC = "/campaigns/by-criteria/rubric/"


def press(page: Page, key: str) -> None:
    with page.expect_navigation():
        page.keyboard.press(key)


def test_criteria_are_reviewed_by_keyboard_and_then_the_campaign_opens(
    page: Page, server: Server, shoot: Shoot
) -> None:
    server.shell(SEED)
    log_in(page, "researcher", at=RUBRIC)
    page.get_by_label("Table of criteria").set_input_files(
        {"name": "criteria.csv", "mimeType": "text/csv", "buffer": TABLE}
    )
    page.get_by_role("button", name="Upload the table").click()
    expect(page.get_by_text("0 of 2 items reviewed")).to_be_visible()
    page.get_by_role("link", name="Review the next item").click()
    assert violations(page) == []

    press(page, "a")
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" Of newborns?")
    shoot("rubric-item")
    press(page, "Control+Enter")
    press(page, "d")

    expect(page.get_by_role("heading", name="facts-02")).to_be_visible()
    page.get_by_role("button", name="This item needs none").click()
    page.goto(RUBRIC)
    expect(page.get_by_text("2 of 2 items reviewed")).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("Accepted as drafted"))).to_contain_text("1 / 3")
    assert violations(page) == []
    shoot("rubric")
    page.goto("/campaigns/by-criteria/")
    page.get_by_role("button", name="Open for annotators").click(timeout=60_000)  # the audio is being prepared
    expect(page.locator(".state.open")).to_be_visible()
    kept = server.rows("select text from campaigns_frozencriterion order by number")
    assert kept == [("Does it name a number?",), ("Does it speak of babies? Of newborns?",)]
