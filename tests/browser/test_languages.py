"""German from the log-in to the stored answer; pages from right to left; pages at 200 %."""

import re
from collections.abc import Callable, Iterator

import pytest
from babel.messages.pofile import read_po
from playwright.sync_api import Browser, Page, expect

from config.operations.messages import LOCALES
from tests.browser.conftest import PASSWORD, Shoot, log_in
from tests.browser.server import Server
from tests.browser.test_labelling import begin
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

#: What people wrote themselves: titles of campaigns and datasets, prompts, names of files and systems.
DATA = ".campaign-title, .account a, .card h2, .prompt-text, th[scope=row], .facts dd a, td.secondary, h1:not([id])"
#: They would find the “step by step” of a title that somebody wrote, and the German word “was”.
FOUND_IN_DATA = {"by %(who)s", "%(n)s was"}
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


def log_in_german(page: Page, name: str) -> None:
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_role("button", name="Deutsch").click()
    page.get_by_label("Benutzername").fill(name)
    page.get_by_label("Passwort").fill(PASSWORD)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_role("button", name="Abmelden").wait_for()


@pytest.fixture(scope="module")
def english() -> re.Pattern[str]:
    """Any text of the catalogue in English; those that are German words as well are left out."""
    with (LOCALES / "de" / "LC_MESSAGES" / "django.po").open("rb") as file:
        entries = [message for message in read_po(file, locale="de") if message.id]
    said = {text for entry in entries for text in ([entry.string] if isinstance(entry.string, str) else entry.string)}
    texts = {text for entry in entries for text in ([entry.id] if isinstance(entry.id, str) else entry.id)} - said
    texts -= FOUND_IN_DATA
    patterns = [re.sub(r"%\\\((\w+)\\\)s", r"\\S+", re.escape(text)) for text in texts if "<" not in text]
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
    log_in_german(page, "annotator")
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


@pytest.mark.parametrize(
    "path", ["/", "/datasets/", "/imports/new/", "/campaigns/new/", "/campaigns/demo-step-by-step/"]
)
def test_german_page_of_a_researcher_has_no_english_and_no_violation(
    page: Page, english: re.Pattern[str], path: str
) -> None:
    log_in_german(page, "researcher")
    page.goto(path)

    assert english_words(page, english) == []
    assert violations(page) == []
    assert cut_off(page) == []


@pytest.mark.parametrize("campaign", ["which-answer-is-better", "step-by-step"])
@pytest.mark.parametrize("width", [1280, 390])
def test_german_label_page_fits_and_has_no_violation(page: Page, campaign: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 844})
    log_in_german(page, "annotator")
    page.goto(f"/label/demo-{campaign}/")
    expect(page.get_by_role("button", name="Antwort 2 abspielen")).to_be_enabled()
    page.keyboard.press("1")

    assert violations(page) == []
    assert cut_off(page) == []
    assert sideways(page) <= 0


OTHER_SCALES = ("ccr", "acr", "p835", "mos_room", "podcast", "rubric")
OPEN_OTHERS = f"""
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.people.members import add_member
from campaigns.models import Campaign
from campaigns.clips.audio_delivery import prepare_audio_of
from protocols import SHIPPED
from campaigns.rubrics.reviewing import needs_none
from campaigns.datasets.units import pairs_of_systems, single_responses, whole_items

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


@pytest.fixture(scope="module")
def other_scales(server: Server) -> None:
    server.manage("shell", "-v", "0", "-c", OPEN_OTHERS)


@pytest.mark.parametrize("name", OTHER_SCALES)
def test_german_scale_fits_at_every_width(page: Page, other_scales: None, shoot: Shoot, name: str) -> None:
    log_in_german(page, "annotator")
    page.goto(f"/label/{name}/", wait_until="networkidle")
    for width in (1280, 640, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert cut_off(page) == [], width
        assert sideways(page) <= 0, width
    shoot(f"german-{name}")


def test_language_switch_works_by_keyboard_and_keeps_the_draft(page: Page) -> None:
    begin(page, "which answer is better")
    page.keyboard.press("2")
    page.get_by_role("button", name="Deutsch").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("button", name="Antwort 2 abspielen")).to_be_enabled()
    assert page.url.endswith("/label/demo-which-answer-is-better/")
    expect(page.locator('[data-question="content"] input:checked')).to_have_value("2")
    expect(page.get_by_role("button", name="Deutsch")).to_have_attribute("aria-current", "true")


@pytest.mark.parametrize("step", ["systems", "protocol", "units", "answers", "open"])
def test_german_step_fits_and_has_no_english(page: Page, english: re.Pattern[str], shoot: Shoot, step: str) -> None:
    log_in(page, "researcher")
    page.goto("/campaigns/new/")
    page.get_by_label("Title").fill(f"Probe {len(step)}")
    page.get_by_role("button", name="Save and go on").click()
    log_in_german(page, "researcher")
    page.goto(f"/campaigns/probe-{len(step)}/launch/{step}/", wait_until="networkidle")

    assert english_words(page, english) == []
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        assert cut_off(page) == [], width
        assert sideways(page) <= 0, width
    shoot(f"german-launch-{step}")


# -- from right to left ---------------------------------------------------------------------------------------

RIGHT_TO_LEFT = "document.addEventListener('DOMContentLoaded', () => { document.documentElement.dir = 'rtl'; });"


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize(
    ("who", "path"),
    [
        ("annotator", "/"),
        ("annotator", "/label/demo-which-answer-is-better/"),
        ("annotator", "/label/demo-step-by-step/"),
        ("researcher", "/"),
        ("researcher", "/campaigns/demo-step-by-step/"),
        ("researcher", "/datasets/"),
        ("researcher", "/campaigns/new/"),
    ],
)
def test_page_from_right_to_left_fits_and_cuts_nothing_off(
    page: Page, shoot: Shoot, width: int, who: str, path: str
) -> None:
    log_in(page, who)
    page.add_init_script(RIGHT_TO_LEFT)
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(path, wait_until="networkidle")

    assert sideways(page) <= 0
    assert cut_off(page) == []
    shoot(f"right-to-left-{who}{path.replace('/', '-')}")


def test_edges_and_progress_run_from_the_right(page: Page) -> None:
    log_in(page, "annotator")
    page.add_init_script(RIGHT_TO_LEFT)
    page.goto("/label/demo-which-answer-is-better/")
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()

    for place in "12":
        widths = "e => [getComputedStyle(e).borderLeftWidth, getComputedStyle(e).borderRightWidth]"
        assert page.locator(f".response-{place}").evaluate(widths) == ["1px", "5px"]
    shadow = page.locator(".aspect.current").evaluate("e => getComputedStyle(e).boxShadow")
    assert shadow.endswith("-4px 0px 0px 0px inset")
    assert page.locator(".own-progress progress").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert edge(page, ".own-progress progress") > edge(page, ".own-progress span")
    assert edge(page, ".listen") > edge(page, ".judge")


@pytest.mark.parametrize(
    ("who", "path", "selector"),
    [
        ("annotator", "/label/demo-which-answer-is-better/", ".campaign-title bdi"),
        ("researcher", "/campaigns/demo-step-by-step/", ".facts dd bdi >> nth=-1"),
        ("researcher", "/", "th bdi >> nth=0"),
    ],
)
def test_names_and_numbers_keep_their_own_direction(page: Page, who: str, path: str, selector: str) -> None:
    log_in(page, who)
    page.add_init_script(RIGHT_TO_LEFT)
    page.goto(path)

    first, last = page.locator(selector).evaluate(
        """(element) => [0, element.textContent.length - 1].map((place) => {
          const range = document.createRange();
          range.setStart(element.firstChild, place);
          range.setEnd(element.firstChild, place + 1);
          return range.getBoundingClientRect().left;
        })"""
    )

    assert first < last


def edge(page: Page, selector: str) -> float:
    """How far from the left an element begins."""
    box = page.locator(selector).first.bounding_box()
    assert box
    return box["x"]


# -- at 200 % -------------------------------------------------------------------------------------------------


@pytest.fixture
def enlarged(browser: Browser, server: Server) -> Iterator[Page]:
    """A window of 1280 × 800 at 200 %: half as many pixels of CSS each way."""
    context = browser.new_context(viewport={"width": 640, "height": 400}, device_scale_factor=2, base_url=server.url)
    page = context.new_page()
    page.set_default_timeout(15_000)
    yield page
    context.close()


@pytest.mark.parametrize("log_in_as", [log_in, log_in_german], ids=["en", "de"])
def test_label_page_is_usable_at_200_percent(
    enlarged: Page, server: Server, log_in_as: Callable[[Page, str], None]
) -> None:
    log_in_as(enlarged, "annotator")
    enlarged.goto("/label/demo-which-answer-is-better/")
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
