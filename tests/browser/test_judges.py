"""A researcher has two judges judge the demo, watches, opens a verdict, probes one, and compares them with people."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in, open_page_of_campaign
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

CAMPAIGN = "/campaigns/demo-which-answer-is-better/"
SAMPLES, UNITS = 5, 30
A_WHILE = 60_000


def open_judges(page: Page) -> None:
    page.goto(CAMPAIGN)
    open_page_of_campaign(page, "Judges")
    expect(page.get_by_role("heading", name="Judges", exact=True)).to_be_visible()


def start_by_keyboard(page: Page, judge: str) -> None:
    """Both orders, several times each, without a mouse."""
    page.get_by_role("link", name=judge, exact=True).last.focus()
    page.keyboard.press("Enter")
    page.get_by_label("How often each unit in each order").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_label("Orders")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Control+a")
    page.keyboard.type(str(SAMPLES))
    for _field in ("Budget", "Examples", "button"):
        page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Estimate what it takes")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").get_by_text(str(2 * SAMPLES * UNITS))).to_be_visible()
    page.get_by_role("button", name="Start the run").focus()
    page.keyboard.press("Enter")


def start(page: Page, judge: str, orders: str) -> None:
    page.get_by_role("link", name=judge, exact=True).last.click()
    page.get_by_label("Orders").select_option(orders)
    page.get_by_role("button", name="Estimate what it takes").click()
    page.get_by_role("button", name="Start the run").click()


def see_it_done(page: Page) -> list[int]:
    """Wait without a reload; how many verdicts were seen on the way."""
    page.wait_for_url(re.compile(r"/runs/\d+/$"))
    expect(page.locator("progress")).to_be_visible()
    page.evaluate("""() => {
        window.neverReloaded = true;
        window.seen = [];
        const look = () => window.seen.push(document.querySelector("progress").value);
        look();
        new MutationObserver(look).observe(document.querySelector("[data-live-topic]"), { childList: true });
    }""")
    expect(page.locator("main .state.done")).to_be_visible(timeout=A_WHILE)
    assert page.evaluate("window.neverReloaded") is True
    return [int(value) for value in page.evaluate("window.seen")]


@pytest.mark.smoke
def test_judges_from_the_start_form_to_the_comparison(page: Page, shoot: Shoot) -> None:
    log_in(page, "researcher", at="/judges/")
    shoot("judges")
    assert violations(page) == []

    open_judges(page)
    shoot("runs")
    assert violations(page) == []

    start_by_keyboard(page, "Random")
    seen = see_it_done(page)
    assert seen[-1] == 2 * SAMPLES * UNITS
    assert any(0 < n < seen[-1] for n in seen), "no progress was seen"
    shoot("run")
    assert violations(page) == []

    open_first_verdict(page)
    shoot("verdict")
    assert violations(page) == []
    expect(page.locator("main table tbody tr")).to_have_count(4)
    captions = [caption.split("\n")[0] for caption in page.locator("figcaption").all_inner_texts()]
    assert captions == ["The prompt", "Heard as 1, stored as a", "Heard as 2, stored as b"]
    assert page.locator("audio").first.evaluate(PLAYS) is True

    open_judges(page)
    start(page, "The longer one", "ab")
    see_it_done(page)
    probe_the_other_order(page)
    shoot("probes")
    assert violations(page) == []

    compare(page)
    shoot("comparison")
    assert violations(page) == []


PLAYS = """audio => new Promise(done => {
    audio.addEventListener("canplaythrough", () => done(audio.duration > 1));
    audio.addEventListener("error", () => done(false));
    audio.load();
    audio.preload = "auto";
})"""


def open_first_verdict(page: Page) -> None:
    page.get_by_role("link", name="read", exact=True).click()
    assert violations(page) == []
    page.locator("main tbody th a").first.click()
    expect(page.get_by_role("heading", name="Answers")).to_be_visible()


def probe_the_other_order(page: Page) -> None:
    page.get_by_role("link", name="Probe this judge").click()
    page.get_by_label("What is changed").select_option("The other order")
    page.get_by_role("button", name="Start the probe").click()
    see_it_done(page)
    page.get_by_role("link", name="The unperturbed run").click()
    page.get_by_role("link", name="All probes of this judge, with intervals").click()
    shares = page.locator("main tbody tr td:first-of-type")
    expect(shares).to_have_text(["1.000"] * 4)  # the longer one is the longer one, whichever is heard first


def compare(page: Page) -> None:
    open_page_of_campaign(page, "Comparison")
    reference = page.get_by_label("Compared with")
    expect(reference.locator("option:checked")).to_contain_text("Simulated people")
    reference.select_option("What was planted")
    page.get_by_role("button", name="Show").click()
    page.wait_for_url("**reference=**")
    expect(reference.locator("option:checked")).to_contain_text("What was planted")
    for judge in ("Random", "The longer one"):
        row = page.locator("table.board tbody tr").filter(has=page.get_by_role("link", name=judge, exact=True)).first
        expect(row).to_be_visible()
        cells = row.locator("td").all_inner_texts()
        assert re.match(r"-?0\.\d\d ", cells[0].replace("−", "-")), cells
        assert re.match(r"\d+\.\d %", cells[1].replace("\u00a0", " ")), cells
        assert cells[3].startswith(str(UNITS)), cells
