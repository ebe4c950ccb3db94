"""Every kind of report of a filled campaign: readable wide and narrow, in words, on paper, and behind a link."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot, log_in, window
from tests.browser.reported import PAIRS, UNRATED
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

OF_PAIRS, RATED, EMPTY = f"/campaigns/{PAIRS}", "/campaigns/acr-study", "/campaigns/p835-study"
A_WHILE = 60_000
#: Between the margins of an upright sheet of A4, and of one on its side, at 96 pixels to the inch.
UPRIGHT, SIDEWAYS = 703, 1032
STORED = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b")
CLOSED = "details.numbers-of:not([open])"
FILES = {"svg": b"<?xml", "png": b"\x89PNG", "csv": b"who", "json": b"{"}
TOO_WIDE = """([upright, sideways]) => [...document.querySelectorAll("table")]
    .filter((table) => table.getBoundingClientRect().width > (table.matches(".wide") ? sideways : upright) + 1)
    .map((table) => table.closest("section")?.id)"""
LEVELS = "(all) => all.filter((it) => it.checkVisibility()).map((it) => Number(it.tagName[1]))"
UNREACHED = """(all) => all.filter((it) => it.scrollWidth > it.clientWidth && it.tabIndex < 0)
    .map((it) => it.getAttribute("aria-label"))"""


@pytest.fixture(scope="module")
def filled(server: Server) -> Server:
    server.shell("from tests.browser.reported import fill; fill()")
    return server


@pytest.fixture
def researcher(page: Page, filled: Server) -> Page:
    log_in(page, "researcher")
    return page


@pytest.fixture
def guest(browser: Browser, filled: Server, complaints: list[str]) -> Iterator[Page]:
    with window(browser, filled.url, complaints) as guest:
        yield guest


def open_report(page: Page, address: str) -> None:
    page.goto(address)
    expect(page.locator(".computing")).to_have_count(0, timeout=A_WHILE)


def unfold(page: Page) -> None:
    page.eval_on_selector_all(CLOSED, "(all) => all.forEach((it) => (it.open = true))")


def assert_readable(page: Page, shoot: Shoot, name: str) -> None:
    """In words, headings in order, nothing beyond the edge, and whatever scrolls is reached with the keyboard."""
    unfold(page)
    expect(page.locator("main table").first).to_be_visible()
    assert STORED.findall(page.inner_text("main")) == [], name
    levels = page.eval_on_selector_all("h1, h2, h3, h4", LEVELS)
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels)), (name, levels)
    shoot(name)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.eval_on_selector_all(".scroll", UNREACHED) == [], name
    page.set_viewport_size({"width": 1280, "height": 800})


@pytest.mark.parametrize(("campaign", "only"), [(OF_PAIRS, set()), (RATED, {"scales", "labels"})])
def test_every_kind_of_report_is_readable_wide_and_narrow(
    researcher: Page, shoot: Shoot, campaign: str, only: set[str]
) -> None:
    researcher.goto(f"{campaign}/results/")
    links = researcher.locator(".report-kinds li a:not(.quiet)")
    kinds = {str(link.get_attribute("href")).split("/")[-2] for link in links.all()}
    assert kinds >= {"overview", "judges", *only}

    for kind in sorted(only or kinds):
        open_report(researcher, f"{campaign}/results/{kind}/")
        assert_readable(researcher, shoot, f"report-{kind}")
    assert violations(researcher) == []


def test_figure_can_be_had_as_a_picture_and_as_data(researcher: Page) -> None:
    open_report(researcher, f"{OF_PAIRS}/results/labels/")
    figure = researcher.locator(".figure").first
    expect(figure.locator("img")).to_have_js_property("complete", value=True)
    assert figure.locator("img").evaluate("(image) => image.naturalWidth") > 0
    figure.locator("summary", has_text="Download").click()

    for form, start in FILES.items():
        address = figure.get_by_role("link", name=form.upper(), exact=True).get_attribute("href")
        assert researcher.request.get(str(address)).body().startswith(start), form
    table = figure.locator("table")
    unfold(researcher)
    assert [it.split("\n")[0] for it in table.locator("th[scope=col]").all_inner_texts()] == [
        "Who", "a better", "b better", "Both good", "Both bad", "No answer",
    ]  # fmt: skip


def test_comparison_has_n_with_every_figure_and_says_why_it_has_no_interval_yet(
    researcher: Page, shoot: Shoot
) -> None:
    researcher.goto(f"{OF_PAIRS}/comparison/")
    row = researcher.locator("table.board").get_by_role("row", name=re.compile("Ear of tin"))
    for column in (0, 1, 2):
        said = row.locator("td").nth(column).inner_text()
        assert re.search(r"n = \d+.*needs 100 units; \d\d so far", said, re.DOTALL), column
    assert re.search(r"….*n = \d+", row.locator("td").nth(5).inner_text(), re.DOTALL), "of the judge alone"
    of_aspects = researcher.locator("table.comparison").last.locator("td", has=researcher.locator("b"))
    assert all("n = " in it for it in of_aspects.all_inner_texts())
    assert_readable(researcher, shoot, "comparison")
    assert violations(researcher) == []
    for form, start in (FILES | {"csv": b"aspect"}).items():
        address = researcher.get_by_role("link", name=form.upper(), exact=True).get_attribute("href")
        assert researcher.request.get(str(address)).body().startswith(start), form

    researcher.get_by_label("Category").select_option("facts")
    researcher.get_by_role("button", name="Show").click()
    expect(researcher).to_have_url(re.compile("category=facts"))
    expect(row.locator("td").nth(3)).to_have_text("11")


def test_disagreements_are_listed_in_words_and_played(researcher: Page, shoot: Shoot) -> None:
    researcher.goto(f"{OF_PAIRS}/disagreements/")
    assert_readable(researcher, shoot, "disagreements")
    researcher.locator("table.queue th a").first.click()
    expect(researcher.locator("[data-clip]").first).to_be_visible()
    assert_readable(researcher, shoot, "disagreement")
    researcher.get_by_role("button", name=re.compile("Play response 1")).first.click()
    expect(researcher.get_by_role("button", name=re.compile("Pause response 1")).first).to_be_visible()


def test_shared_link_opens_for_a_guest_without_any_way_to_edit(researcher: Page, guest: Page, shoot: Shoot) -> None:
    open_report(researcher, f"{OF_PAIRS}/results/labels/")
    researcher.get_by_role("button", name="Create a link").click()
    address = researcher.locator(".shared-link a").first.get_attribute("href")

    guest.goto(str(address))

    expect(guest.get_by_role("heading", name="Labels", exact=True)).to_be_visible()
    assert_readable(guest, Shoot(guest, shoot.folder), "shared")
    assert guest.locator("main form, main button, main input, main select").count() == 0
    assert guest.locator("a[href*='/campaigns/'], a[href*='/runs/']").count() == 0
    assert violations(guest) == []


def test_paper_has_every_table_open_and_whole(researcher: Page) -> None:
    open_report(researcher, f"{OF_PAIRS}/results/labels/")
    assert researcher.locator(CLOSED).count() > 0
    researcher.emulate_media(media="print")
    expect(researcher.locator(CLOSED)).to_have_count(0)
    researcher.emulate_media(media="screen")
    expect(researcher.locator(CLOSED)).not_to_have_count(0)

    open_report(researcher, f"{OF_PAIRS}/results/print/")
    assert researcher.locator(".printed").count() > 8
    assert researcher.locator(CLOSED).count() == 0
    researcher.set_viewport_size({"width": UPRIGHT, "height": 1000})
    researcher.emulate_media(media="print")
    assert researcher.evaluate(TOO_WIDE, [UPRIGHT, SIDEWAYS]) == []
    for chrome in (".site-header", ".tabs", ".menu", ".numbers-of > summary"):
        expect(researcher.locator(chrome).first).to_be_hidden()
    ids = researcher.eval_on_selector_all("[id]", "(all) => all.map((it) => it.id)")
    assert len(ids) == len(set(ids))
    assert researcher.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") > 10


def test_what_is_missing_is_said_with_the_next_step(researcher: Page) -> None:
    open_report(researcher, f"{EMPTY}/results/labels/")
    assert researcher.locator(".picture").count() == 0
    expect(researcher.get_by_text("There are no answers to show yet.")).to_be_visible()
    researcher.goto(f"{EMPTY}/results/judges/")
    expect(researcher.get_by_text("No judge has run over this campaign yet")).to_be_visible()
    researcher.goto(f"{EMPTY}/comparison/")
    expect(researcher.get_by_role("link", name="Import verdicts")).to_be_visible()

    open_report(researcher, f"{RATED}/results/agreement/?category={UNRATED}")
    assert researcher.locator(".picture").count() == 0
    researcher.get_by_role("link", name="Clear the filters").click()
    expect(researcher.locator(".picture").first).to_be_visible(timeout=A_WHILE)
    researcher.goto(f"{RATED}/comparison/?category={UNRATED}")
    researcher.get_by_role("link", name="Clear the filters").click()
    expect(researcher.get_by_role("row", name=re.compile("Rating judge")).first).to_be_visible()
