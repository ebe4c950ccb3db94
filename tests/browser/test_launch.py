"""From a dataset to an open campaign, step by step: by mouse with looks back, and by the keyboard alone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server
from tests.browser.test_languages import cut_off, english_words, log_in_german, sideways
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser
#: The demo's clips all fit at this loudness.
QUIET = "-30"


def at(page: Page, name: str) -> None:
    """Wait for the step."""
    expect(page.locator('.launch-steps [aria-current="step"] .name')).to_have_text(name)


def steps(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Steps of the launch").get_by_role("link", name=name).click()


def number(page: Page, name: str) -> str:
    return page.locator("#numbers dl > div").filter(has_text=name).locator("dd").inner_text()


def test_campaign_is_launched_by_mouse_with_a_look_back(page: Page, shoot: Shoot, server: Server) -> None:
    log_in(page, "researcher")
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Is flint good?")
    page.get_by_role("button", name="Save and go on").click()
    expect(page.get_by_text("The title names flint, and annotators read it.")).to_be_visible()
    page.get_by_label("Title").fill("Which answer do you prefer?")
    page.get_by_label("flint").uncheck()
    assert violations(page) == []
    shoot("launch-systems")
    page.get_by_role("button", name="Save and go on").click()

    at(page, "Protocol")
    page.get_by_label("Overall only").check()
    page.get_by_label("Loudness (LUFS)").fill(QUIET)
    page.get_by_label("Listening").select_option("Not checked")
    assert violations(page) == []
    shoot("launch-protocol")
    page.get_by_role("button", name="Save and go on").click()

    at(page, "Units")
    everything = number(page, "Units")
    page.get_by_label("A balanced subset of those").check()
    page.get_by_label("Items for each two systems").fill("2")
    page.get_by_label("Repeated for reliability").fill("10")
    page.get_by_label("Seconds per answer").fill("20")
    page.get_by_label("Seconds per answer").press("Tab")
    expect(page.locator("#numbers")).to_contain_text("at 20 s each")
    assert (number(page, "Units"), number(page, "Repeated units")) == ("20", "2")
    assert int(everything) > 20
    assert violations(page) == []
    shoot("launch-units")
    page.get_by_role("button", name="Draw the units and go on").click()

    at(page, "Answers")
    page.get_by_role("link", name="How many answers give which precision?").click()
    expect(page.locator(".curve")).to_have_count(2)
    assert violations(page) == []
    shoot("planning")
    page.get_by_role("button", name="Use 3").click()
    expect(page.get_by_label("Answers per unit")).to_have_value("3")
    assert violations(page) == []
    shoot("launch-answers")
    page.get_by_role("button", name="Save and go on").click()

    at(page, "Checks")
    steps(page, "Units")
    expect(page.get_by_label("Items for each two systems")).to_have_value("2")
    assert number(page, "Answers") == "60"
    steps(page, "People")
    page.get_by_label("Username").fill("annotator")
    page.get_by_role("button", name="Add", exact=True).click()
    at(page, "People")
    page.get_by_role("link", name="Go on: Preview").click()

    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled(timeout=60_000)
    page.get_by_role("button", name="Play response 1").click()
    expect(page.locator(".playing")).to_have_count(1)
    page.get_by_text("1 is better", exact=True).click()
    shoot("preview")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Here nothing is.")).to_be_visible()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    assert violations(page) == []
    page.get_by_role("link", name="Go on with the launch").click()

    at(page, "Open")
    expect(page.get_by_text("Nothing stands in the way.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("annotators there are: 1.")).to_be_visible()
    assert violations(page) == []
    shoot("launch-open")
    page.get_by_role("button", name="Open for annotators").click()
    expect(page.get_by_text("Open", exact=True).first).to_be_visible()
    assert server.rows(
        "SELECT count(*) FROM campaigns_campaignunit u JOIN campaigns_campaign c ON c.id = u.campaign_id "
        "WHERE c.slug = 'which-answer-do-you-prefer' AND u.purpose = 'study'"
    ) == [(20,)]
    assert server.rows("SELECT count(*) FROM annotation_annotation") == [(0,)]


def tab_to(page: Page, name: str, *, most: int = 120) -> None:
    """Go on with the Tab key until the focus is on what is called so."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(NAME_OF_FOCUS).startswith(name):
            return
    raise AssertionError(f"the Tab key never came to {name}")


NAME_OF_FOCUS = """() => {
  const it = document.activeElement;
  const label = it.labels?.length ? it.labels[0].textContent : it.textContent;
  return (it.getAttribute("aria-label") ?? label ?? "").trim().replace(/\\s+/g, " ");
}"""


def test_campaign_is_launched_by_keyboard_and_left_and_resumed(page: Page) -> None:
    log_in(page, "researcher")
    tab_to(page, "New campaign")
    page.keyboard.press("Enter")
    tab_to(page, "Title")
    page.keyboard.type("Only by keys")
    page.keyboard.press("Enter")

    at(page, "Protocol")
    tab_to(page, "Dimension first (HCoT)")
    page.keyboard.press("Space")
    tab_to(page, "Loudness (LUFS)")
    page.keyboard.press("Control+A")
    page.keyboard.type(QUIET)
    page.keyboard.press("Enter")

    at(page, "Units")
    page.goto("/")
    tab_to(page, "Only by keys")
    page.keyboard.press("Enter")
    tab_to(page, "Go on with the launch: Units")
    page.keyboard.press("Enter")
    at(page, "Units")
    tab_to(page, "Every two systems on every item")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("A balanced subset of those")).to_be_checked()
    tab_to(page, "Items for each two systems")
    page.keyboard.press("Control+A")
    page.keyboard.type("1")
    page.keyboard.press("Enter")

    at(page, "Answers")
    tab_to(page, "Answers per unit")
    page.keyboard.press("Control+A")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    for step in ("Checks", "People"):
        at(page, step)
        tab_to(page, "Go on: ")
        page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is stored.")).to_be_visible()
    tab_to(page, "Go on with the launch")
    page.keyboard.press("Enter")

    at(page, "Open")
    expect(page.get_by_role("button", name="Open for annotators")).to_be_visible(timeout=60_000)
    tab_to(page, "Open for annotators")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    tab_to(page, "Clone")
    page.keyboard.press("Enter")
    at(page, "Dataset")
    expect(page.get_by_label("Title")).to_have_value("Only by keys (copy)")


@pytest.mark.parametrize("step", ["systems", "protocol", "units", "answers", "open"])
def test_german_step_fits_and_has_no_english(page: Page, english: re.Pattern[str], shoot: Shoot, step: str) -> None:
    log_in(page, "researcher")
    page.goto("/campaigns/new/")
    page.get_by_label("Title").fill(f"Probe {step}")
    page.get_by_role("button", name="Save and go on").click()
    log_in_german(page, "researcher")
    page.goto(f"/campaigns/probe-{step}/launch/{step}/", wait_until="networkidle")

    assert english_words(page, english) == []
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert cut_off(page) == [], width
        assert sideways(page) <= 0, width
    shoot(f"german-launch-{step}")
