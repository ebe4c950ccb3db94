"""German from the log-in to the stored answer; pages from right to left; pages at 200 %."""

import re
from collections.abc import Iterator

import pytest
from babel.messages.pofile import read_po
from playwright.sync_api import Browser, Page, expect

from config.operations.messages import LOCALES
from tests.browser.conftest import PASSWORD, Shoot, log_in, window
from tests.browser.server import Server
from tests.browser.test_labelling import begin
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

#: What people wrote themselves: titles of campaigns and datasets, prompts, names of files and systems.
DATA = ".campaign-title, .account a, .card h2, .prompt-text, th[scope=row], .facts dd a, td.secondary, h1:not([id])"
#: It would find the “step by step” of a title that a researcher wrote.
FOUND_IN_DATA = {"by %(who)s"}
LANGUAGE = "SELECT language FROM annotation_annotation ORDER BY id DESC LIMIT 1"
#: Elements whose text sticks out of a box that holds them, or out of the window.
CUT_OFF = """() => {
  const ignored = ".visually-hidden, .skip-link, option, progress, .campaign-title";
  const out = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    const element = text.parentElement;
    if (!text.data.trim() || element.closest(ignored)) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    for (const line of range.getClientRects()) {
      for (let box = element; box; box = box.parentElement) {
        const style = getComputedStyle(box);
        if (["auto", "scroll"].includes(style.overflowX)) break;
        if (["inline", "contents"].includes(style.display)) continue;
        const { left, right } = box.getBoundingClientRect();
        if (line.left >= left - 1 && line.right <= right + 1) continue;
        out.push(`${text.data.trim()} in ${box.className || box.tagName}`);
      }
    }
  }
  return [...new Set(out)];
}"""


def cut_off(page: Page) -> list[str]:
    found: list[str] = page.evaluate(CUT_OFF)
    return found


def sideways(page: Page) -> int:
    """How many pixels a page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - window.innerWidth"))


def faults_of_words(page: Page, english: re.Pattern[str]) -> list[str]:
    """What is English on a German page, or hurts who reads it otherwise."""
    return [*english_words(page, english), *violations(page), *faults_of_layout(page)]


def faults_of_layout(page: Page, *widths: int) -> list[str]:
    """What is cut off or has to be scrolled sideways to, at each of these widths or at the page's own."""
    found = []
    for width in widths or [0]:
        if width:
            page.set_viewport_size({"width": width, "height": 844})
        found += [f"{width}: {it}" for it in cut_off(page)]
        if (more := sideways(page)) > 0:
            found.append(f"{width}: {more} px wider than the window")
    return found


@pytest.fixture(scope="module")
def english() -> re.Pattern[str]:
    """Any text that is translated, in English; those that are German words as well are left out."""
    with (LOCALES / "de" / "LC_MESSAGES" / "django.po").open("rb") as file:
        entries = [
            message for message in read_po(file, locale="de") if message.id and message.string and all(message.string)
        ]
    said = {text for entry in entries for text in ([entry.string] if isinstance(entry.string, str) else entry.string)}
    texts = {text for entry in entries for text in ([entry.id] if isinstance(entry.id, str) else entry.id)} - said
    texts -= FOUND_IN_DATA
    texts = [re.escape(text).replace(r"%\(n\)s", r"[\d.,]+") for text in texts if "<" not in text]
    patterns = [re.sub(r"%\\\((\w+)\\\)s", r"\\S+", text) for text in texts]
    return re.compile(r"(?<!\w)(?:" + "|".join(sorted(patterns, key=len, reverse=True)) + r")(?!\w)")


def english_words(page: Page, english: re.Pattern[str]) -> list[str]:
    """What is to be read on the page, or is read out, and stands in the catalogue in English."""
    text = page.evaluate(
        """(data) => {
          const seen = (element) => element.checkVisibility() && !element.closest(data);
          const texts = [];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          while (walker.nextNode()) if (seen(walker.currentNode.parentElement)) texts.push(walker.currentNode.data);
          for (const element of document.querySelectorAll("[aria-label], [title]")) {
            if (seen(element)) texts.push(element.ariaLabel ?? "", element.title);
          }
          return [document.title, ...texts].join("\\n");
        }""",
        DATA,
    )
    assert len(text) > 100
    return english.findall(text)


def test_german_reaches_from_the_login_to_the_stored_answer(
    page: Page, server: Server, shoot: Shoot, english: re.Pattern[str]
) -> None:
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_label("Benutzername").fill("annotator")
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_role("button", name="Abmelden").wait_for()
    assert english_words(page, english) == []
    shoot("german-home")
    page.locator(".card", has_text="which answer is better").locator("a.button").click()
    expect(page.get_by_role("button", name="Antwort 2 abspielen")).to_be_enabled()
    expect(page.locator("html")).to_have_attribute("lang", "de")

    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Tasten")).to_be_visible()
    assert english_words(page, english) == []
    shoot("german-keys")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    expect(page.get_by_role("heading", name="Beispiele mit Lösung")).to_be_visible()
    assert english_words(page, english) == []
    shoot("german-guidelines")
    page.keyboard.press("Escape")

    before = int(server.rows("SELECT count(*) FROM annotation_annotation")[0][0])
    for key in "13":
        page.keyboard.press(key)
    expect(page.get_by_text("Noch 2 Fragen")).to_be_visible()
    assert english_words(page, english) == []
    shoot("german-label")
    for key in "42":
        page.keyboard.press(key)
    mark_a_defect(page)
    expect(page.locator("[data-mark-where]")).to_have_text(re.compile(r"^Antwort 1, \d,\d–\d,\d s$"))
    assert english_words(page, english) == []
    page.get_by_role("button", name="Entfernen").click()
    page.get_by_role("button", name="Senden und weiter").focus()
    page.keyboard.press("Enter")
    expect(page.locator("input:checked")).to_have_count(0)

    assert int(server.rows("SELECT count(*) FROM annotation_annotation")[0][0]) == before + 1
    assert server.rows(LANGUAGE) == [("de",)]


def mark_a_defect(page: Page) -> None:
    page.get_by_role("button", name="Antwort 1 abspielen").click()
    expect(page.locator(".playing")).to_have_count(1)
    page.keyboard.press("m")
    page.keyboard.press("m")


def test_words_left_in_english_would_be_seen(page: Page, english: re.Pattern[str]) -> None:
    log_in(page, "annotator")

    assert {"Home", "Log out", "Yours to label"} <= set(english_words(page, english))


def test_german_pages_of_a_researcher_have_no_english_and_no_violation(page: Page, english: re.Pattern[str]) -> None:
    found = {}
    for path in ("/", "/datasets/", "/imports/new/", "/campaigns/new/", "/campaigns/demo-step-by-step/"):
        log_in(page, "researcher", at=path, language="de")
        found[path] = faults_of_words(page, english)

    assert {path: faults for path, faults in found.items() if faults} == {}


def test_german_label_pages_fit_and_have_no_violation(page: Page) -> None:
    found = {}
    for campaign in ("which-answer-is-better", "step-by-step"):
        log_in(page, "annotator", at=f"/label/demo-{campaign}/", language="de")
        expect(page.get_by_role("button", name="Antwort 2 abspielen")).to_be_enabled()
        page.keyboard.press("1")
        for width in (1280, 390):
            found[campaign, width] = [*faults_of_layout(page, width), *violations(page)]

    assert {page: faults for page, faults in found.items() if faults} == {}


OTHER_SCALES = ("ccr", "acr", "p835", "mos_room", "podcast", "rubric")
OPEN_OTHERS = f"""
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.people.members import add_member
from campaigns.models import Campaign
from campaigns.audio.delivery import prepare_audio_of
from protocols import SHIPPED
from campaigns.rubrics.reviewing import needs_none
from corpus.datasets.units import pairs_of_systems, single_responses, whole_items

demo = Campaign.objects.get(slug="demo-step-by-step")
units = {{"pair": pairs_of_systems, "single": single_responses, "item": whole_items}}
for name in {OTHER_SCALES}:
    protocol = SHIPPED[name]
    chosen = units[protocol.unit](demo.dataset)[:1]
    campaign = create_campaign(
        demo.dataset, title=name, protocol=protocol, units=chosen, user=demo.created_by, target_lufs=demo.target_lufs
    )
    prepare_audio_of(str(campaign.pk), lambda *_: None)
    if protocol.item_criteria:
        needs_none(campaign, chosen[0].item, by=demo.created_by)
    open_campaign(campaign)
    add_member(campaign, user=User.objects.get(username="annotator"), role="annotator")
"""


def test_german_scales_fit_at_every_width(page: Page, server: Server, shoot: Shoot) -> None:
    server.shell(OPEN_OTHERS)
    found = {}
    for name in OTHER_SCALES:
        log_in(page, "annotator", at=f"/label/{name}/", language="de")
        page.wait_for_load_state("networkidle")
        found[name] = faults_of_layout(page, 1280, 640, 390)
        shoot(f"german-{name}")

    assert {name: faults for name, faults in found.items() if faults} == {}


def test_language_switch_works_by_keyboard_and_keeps_the_draft(page: Page) -> None:
    begin(page, "demo-which-answer-is-better")
    page.keyboard.press("2")
    page.get_by_role("button", name="Deutsch").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Antwort 2 abspielen")).to_be_enabled()
    assert page.url.endswith("/label/demo-which-answer-is-better/")
    expect(page.locator('[data-question="content"] input:checked')).to_have_value("2")
    expect(page.get_by_role("button", name="Deutsch")).to_have_attribute("aria-current", "true")


def test_german_steps_fit_and_have_no_english(page: Page, english: re.Pattern[str], shoot: Shoot) -> None:
    log_in(page, "researcher", at="/campaigns/new/")
    page.get_by_label("Title").fill("Probe")
    page.get_by_role("button", name="Save and continue").click()
    found = {}
    for step in ("systems", "protocol", "units", "answers", "open"):
        log_in(page, "researcher", at=f"/campaigns/probe/launch/{step}/", language="de")
        page.wait_for_load_state("networkidle")
        found[step] = [*english_words(page, english), *faults_of_layout(page, 1280, 390)]
        shoot(f"german-launch-{step}")

    assert {step: faults for step, faults in found.items() if faults} == {}


# -- from right to left ---------------------------------------------------------------------------------------

RIGHT_TO_LEFT = "document.addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl'; });"


PAGES = {
    "annotator": ["/", "/label/demo-which-answer-is-better/", "/label/demo-step-by-step/"],
    "researcher": ["/", "/campaigns/demo-step-by-step/", "/datasets/", "/campaigns/new/"],
}


def test_pages_from_right_to_left_fit_and_cut_nothing_off(page: Page, shoot: Shoot) -> None:
    page.add_init_script(RIGHT_TO_LEFT)
    found = {}
    for who, paths in PAGES.items():
        for path in paths:
            log_in(page, who, at=path)
            page.wait_for_load_state("networkidle")
            found[who, path] = faults_of_layout(page, 1280, 390)
            shoot(f"right-to-left-{who}{path.replace('/', '-')}")

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_edges_and_progress_run_from_the_right(page: Page) -> None:
    page.add_init_script(RIGHT_TO_LEFT)
    log_in(page, "annotator", at="/label/demo-which-answer-is-better/")
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()

    for place in "12":
        widths = "e => [getComputedStyle(e).borderLeftWidth, getComputedStyle(e).borderRightWidth]"
        assert page.locator(f".response-{place}").evaluate(widths) == ["1px", "5px"]
    shadow = page.locator(".aspect.current").evaluate("e => getComputedStyle(e).boxShadow")
    assert shadow.endswith("-4px 0px 0px 0px inset")
    assert page.locator(".own-progress progress").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert edge(page, ".own-progress progress") > edge(page, ".own-progress span")
    assert edge(page, ".listen") > edge(page, ".judge")


LINE = """(element) => [0, element.textContent.length - 1].map((place) => {
  const range = document.createRange();
  range.setStart(element.firstChild, place);
  range.setEnd(element.firstChild, place + 1);
  return range.getBoundingClientRect().left;
})"""


def test_names_and_numbers_keep_their_own_direction(page: Page) -> None:
    page.add_init_script(RIGHT_TO_LEFT)
    for who, path, selector in (
        ("annotator", "/label/demo-which-answer-is-better/", ".campaign-title bdi"),
        ("researcher", "/campaigns/demo-step-by-step/", ".facts dd bdi >> nth=-1"),
        ("researcher", "/", "th bdi >> nth=0"),
    ):
        log_in(page, who, at=path)
        first, last = page.locator(selector).evaluate(LINE)
        assert first < last, (path, selector)


def edge(page: Page, selector: str) -> float:
    """How far from the left an element begins."""
    box = page.locator(selector).first.bounding_box()
    assert box
    return box["x"]


# -- at 200 % -------------------------------------------------------------------------------------------------


@pytest.fixture
def enlarged(browser: Browser, server: Server) -> Iterator[Page]:
    """A window of 1280 × 800 at 200 %: half as many pixels of CSS each way."""
    with window(browser, server.url, viewport={"width": 640, "height": 400}, device_scale_factor=2) as page:
        yield page


@pytest.mark.parametrize("language", ["en", "de"])
def test_label_page_is_usable_at_200_percent(enlarged: Page, server: Server, language: str) -> None:
    log_in(enlarged, "annotator", at="/label/demo-which-answer-is-better/", language=language)
    expect(enlarged.locator('[data-place="2"] [data-play]')).to_be_enabled()
    before = int(server.rows("SELECT count(*) FROM annotation_annotation")[0][0])

    assert sideways(enlarged) <= 0
    assert cut_off(enlarged) == []
    enlarged.locator('[data-place="2"] [data-play]').click()
    expect(enlarged.locator('.playing[data-place="2"]')).to_have_count(1)
    for question in ("content", "voice_quality", "paralinguistics", "overall"):
        enlarged.locator(f'[data-question="{question}"] .choice-both_good').click()
    enlarged.locator("[data-submit]").click()

    expect(enlarged.locator("input:checked")).to_have_count(0)
    assert int(server.rows("SELECT count(*) FROM annotation_annotation")[0][0]) == before + 1
