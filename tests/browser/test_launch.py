"""From a dataset to an open campaign, step by step: by mouse with looks back, and by the keyboard alone."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser
#: The demo's clips all fit at this loudness.
QUIET = "-30"
N_UNITS = """
SELECT count(*) FROM campaigns_campaignunit u JOIN campaigns_campaign c ON c.id = u.campaign_id
WHERE c.slug = 'which-answer-do-you-prefer' AND u.purpose = 'study'
"""


def at(page: Page, name: str) -> None:
    """Wait for the step."""
    expect(page.locator('.launch-steps [aria-current="step"] .name')).to_have_text(name)


def steps(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Steps of the launch").get_by_role("link", name=name).click()


def number(page: Page, name: str) -> str:
    named = page.locator("dt", has_text=re.compile(f"^{name}"))
    return page.locator("#numbers dl > div").filter(has=named).locator("dd").inner_text()


def look(page: Page, shoot: Shoot, name: str) -> None:
    assert violations(page) == []
    shoot(name)


def choose_systems(page: Page, shoot: Shoot, complaints: list[str]) -> None:
    page.get_by_label("Title").fill("Is flint good?")
    page.get_by_role("button", name="Save and continue").click()
    expect(page.get_by_text("The title names flint, and annotators read it.")).to_be_visible()
    complaints[:] = [said for said in complaints if "422" not in said]
    page.get_by_label("Title").fill("Which answer do you prefer?")
    page.get_by_label("flint").uncheck()
    look(page, shoot, "launch-systems")
    page.get_by_role("button", name="Save and continue").click()


def choose_protocol(page: Page, shoot: Shoot) -> None:
    at(page, "Protocol")
    page.get_by_label("Overall only").check()
    page.get_by_label("Loudness (LUFS)").fill(QUIET)
    page.get_by_label("Listening").select_option("Not checked")
    look(page, shoot, "launch-protocol")
    page.get_by_role("button", name="Save and continue").click()


def choose_units(page: Page, shoot: Shoot) -> None:
    """A subset, with its numbers before anything is drawn."""
    at(page, "Arena")
    page.get_by_role("link", name="Continue: Units").click()
    at(page, "Units")
    everything = number(page, "Units")
    page.get_by_label("A balanced subset of those").check()
    page.get_by_label("Items for each two systems").fill("2")
    page.get_by_label("Repeated for reliability").fill("10")
    page.get_by_label("Seconds per answer").fill("20")
    page.get_by_label("Seconds per answer").press("Tab")
    expect(page.locator("#numbers")).to_contain_text("at 20 s each")
    expect(page.locator("#numbers dd").first).to_have_text("20")
    assert number(page, "Repeated units") == "2"
    assert int(everything) > 20
    look(page, shoot, "launch-units")
    page.get_by_role("button", name="Draw the units and continue").click()


def choose_answers(page: Page, shoot: Shoot) -> None:
    """As many as the planning aid says."""
    at(page, "Answers")
    page.get_by_role("link", name="How many answers give which precision?").click()
    expect(page.locator("figure.chart")).to_have_count(2)
    look(page, shoot, "planning")
    page.get_by_role("button", name="Use 3").click()
    expect(page.get_by_label("Answers per unit")).to_have_value("3")
    look(page, shoot, "launch-answers")
    page.get_by_role("button", name="Save and continue").click()


def add_annotator(page: Page) -> None:
    steps(page, "People")
    page.get_by_label("Username").fill("annotator")
    page.get_by_role("button", name="Add", exact=True).click()
    at(page, "People")


def try_preview(page: Page, shoot: Shoot) -> None:
    page.get_by_role("link", name="Continue: Preview").click()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled(timeout=60_000)
    page.get_by_role("button", name="Play response 1").click()
    expect(page.locator(".playing")).to_have_count(1)
    page.get_by_text("1 is better", exact=True).click()
    shoot("preview")
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Here nothing is.")).to_be_visible()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    assert violations(page) == []
    page.get_by_role("link", name="Continue the launch").click()


def test_campaign_is_launched_by_mouse_with_a_look_back(
    page: Page, shoot: Shoot, server: Server, complaints: list[str]
) -> None:
    log_in(page, "researcher")
    page.get_by_role("link", name="New campaign").click()
    choose_systems(page, shoot, complaints)
    choose_protocol(page, shoot)
    choose_units(page, shoot)
    choose_answers(page, shoot)

    at(page, "Checks")
    steps(page, "Units")
    expect(page.get_by_label("Items for each two systems")).to_have_value("2")
    assert number(page, "Answers") == "60"
    add_annotator(page)
    try_preview(page, shoot)

    at(page, "Open")
    expect(page.get_by_text("No problems found.")).to_be_visible(timeout=60_000)
    expect(page.get_by_text("annotators there are: 1.")).to_be_visible()
    look(page, shoot, "launch-open")
    page.get_by_role("button", name="Open for annotators").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    shoot("campaign-opened")
    assert server.rows(N_UNITS) == [(20,)]
    assert server.rows("SELECT count(*) FROM annotation_annotation") == [(0,)]


def tab_to(page: Page, name: str, *, most: int = 120) -> None:
    """Go on with the Tab key until the focus is on what is called so."""
    page.wait_for_load_state()
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(NAME_OF_FOCUS).startswith(name):
            return
    raise AssertionError(f"the Tab key never came to {name}")


def go_on(page: Page, step: str) -> None:
    """From an optional step, as it is."""
    at(page, step)
    tab_to(page, "Continue: ")
    page.keyboard.press("Enter")


NAME_OF_FOCUS = """() => {
  const it = document.activeElement;
  const label = it.labels?.length ? it.labels[0].textContent : it.textContent;
  return (it.getAttribute("aria-label") ?? label ?? "").trim().replace(/\\s+/g, " ");
}"""


def test_campaign_is_launched_by_keyboard_and_left_and_resumed(page: Page) -> None:
    log_in(page, "researcher")
    tab_to(page, "New campaign")
    page.keyboard.press("Enter")
    at(page, "Dataset")
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

    go_on(page, "Arena")
    at(page, "Units")
    page.goto("/")
    tab_to(page, "Only by keys")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Continue the launch: Units")).to_be_visible()
    tab_to(page, "Continue the launch: Units")
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
    for step in ("Checks", "Rules", "Getting ready", "People"):
        go_on(page, step)
    expect(page.get_by_text("Nothing is stored.")).to_be_visible(timeout=60_000)
    tab_to(page, "Continue the launch")
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
