"""Each shipped protocol in a real browser: heard in full, clicked, reloaded, submitted, stored, exported; and how its
page looks on a phone, in each language and in forced colours."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile
from matplotlib.image import imread
from playwright.sync_api import Browser, BrowserContext, Locator, Page, ViewportSize, expect

from protocols import SHIPPED, Protocol, for_item, questions
from protocols.kinds.frames import shown_value
from protocols.questions import question_name
from tests.annotation.test_every_protocol import FACTS, clicks, labels_of
from tests.browser.conftest import log_in
from tests.browser.server import Server
from tests.protocols.asking import CRITERIA

pytestmark = pytest.mark.browser

RATE, SECONDS = 16_000, 0.5
TWO_TURNS = {"arena", "rubric"}
LAUNCH = """
from pathlib import Path
from django.core.management import call_command
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign, open_campaign
from campaigns.people.members import add_member
from corpus.models import Dataset
from campaigns.audio.delivery import prepare_audio_of
from protocols import SHIPPED
from corpus.datasets.units import pairs_of_systems, single_responses, whole_items
for name, manifest in MANIFESTS.items():
    call_command("import_dataset", manifest, audio=Path(manifest).parent, dataset=name, user="researcher")
user, annotator = (User.objects.get(username=name) for name in ("researcher", "annotator"))
chosen = {"pair": pairs_of_systems, "single": single_responses, "item": whole_items}
for name, protocol in SHIPPED.items():
    dataset = Dataset.objects.get(name="Two turns" if name in TWO_TURNS else "One turn")
    units = chosen[protocol.unit](dataset)[:1]
    campaign = create_campaign(dataset, title=f"Try {name}", protocol=protocol, units=units, user=user)
    add_member(campaign, user=annotator, role="annotator")
    prepare_audio_of(str(campaign.pk), lambda done, total, note: None)
    open_campaign(campaign)
"""


def write_dataset(folder: Path, turns: int) -> Path:
    """One item of so many turns, answered by two systems with tones of half a second."""
    folder.mkdir()
    time = np.arange(int(RATE * SECONDS)) / RATE
    rows = []
    for turn in range(1, turns + 1):
        for system, pitch in (("Xylophagous", 300), ("Quokkawise", 500)):
            names = {"prompt_audio": f"prompt-{turn}.wav", "response_audio": f"{system}-{turn}.wav"}
            for nth, name in enumerate(names.values()):
                tone = 0.2 * np.sin(2 * np.pi * pitch * (1 + nth * turn) * time)
                soundfile.write(folder / name, tone, RATE)
            row = {"item": "one", "turn": str(turn), "system": system, "prompt_text": f"Question {turn}"} | names
            rows.append(row | FACTS | {"criteria": " | ".join(CRITERIA)})
    soundfile.write(folder / "prompt-1.wav", 0.2 * np.sin(2 * np.pi * 200 * time), RATE)
    manifest = folder / "manifest.json"
    manifest.write_text(json.dumps(rows))
    return manifest


@pytest.fixture(scope="module")
def campaigns(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Server:
    folder = tmp_path_factory.mktemp("protocols")
    manifests = {
        name: str(write_dataset(folder / str(turns), turns)) for name, turns in (("One turn", 1), ("Two turns", 2))
    }
    server.shell(f"TWO_TURNS, MANIFESTS = {TWO_TURNS!r}, {manifests!r}\n{LAUNCH}")
    return server


def hear_everything(page: Page) -> None:
    players = page.locator("[data-clip]")
    for nth in range(players.count()):
        play = players.nth(nth).locator("[data-play]")
        expect(play).to_be_enabled()
        play.click()
        expect(players.nth(nth).locator("[data-heard]")).to_be_visible()


def click(page: Page, clicked: dict[str, str], protocol: Protocol, n_responses: int) -> None:
    for question in questions(protocol, n_responses):
        if question.name not in clicked:
            continue
        fieldset = page.locator(f'[data-question="{question.name}"]')
        if question.kind.is_written:
            fieldset.locator("textarea").fill(clicked[question.name])
        elif not question.kind.has_choices:
            fieldset.locator("[type=range]").fill(clicked[question.name])
        else:
            fieldset.locator(f'label:has(input[value="{clicked[question.name]}"])').click()


def exported(page: Page, name: str, protocol: Protocol) -> dict[str, str]:
    """The one annotation of the campaign, downloaded by its researcher and turned back to the screen's frame."""
    log_in(page, "researcher")
    table = page.request.get(f"/campaigns/try-{name}/export/answers.csv").text()
    answers = {}
    for row in csv.DictReader(io.StringIO(table)):
        place = row["order"].index(row["slot"]) + 1 if row["slot"] else None
        frame = protocol.aspect(row["aspect"]).scale.frame
        answers[question_name(row["aspect"], place)] = shown_value(row["value"], row["order"], frame)
        assert set(json.loads(row["coverage"]).values()) == {1.0}
    return answers


@pytest.fixture(scope="module")
def phones(browser: Browser, server: Server) -> Iterator[Callable[[Page, int], Page]]:
    """A phone of this width on which the same person is logged in: its layout does not grow with what sticks out."""
    contexts: list[BrowserContext] = []

    def phone(page: Page, width: int) -> Page:
        size = ViewportSize(width=width, height=844)
        context = browser.new_context(viewport=size, is_mobile=True, has_touch=True, base_url=server.url)
        contexts.append(context)
        context.add_cookies(page.context.cookies())  # type: ignore[arg-type]
        return context.new_page()

    yield phone
    for context in contexts:
        context.close()


def chosen_stands_out_without_colours(page: Page) -> None:
    """In forced colours each chosen answer looks otherwise than it does when it is not chosen."""
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    page.set_viewport_size({"width": 1280, "height": 5000})
    page.emulate_media(forced_colors="active")
    boxes = page.evaluate(BOXES_OF_CHOSEN)
    with_answers = pixels(page.locator(".judge"))
    page.evaluate("for (const it of document.querySelectorAll('.choice input')) it.checked = false")
    without = pixels(page.locator(".judge"))
    page.emulate_media(forced_colors="none")
    assert boxes
    for x, y, width, height in boxes:
        before, after = (shot[y : y + height, x : x + width] for shot in (without, with_answers))
        assert before.size > 0
        changed = np.abs(before - after).max(axis=-1) > 0.25
        assert changed.mean() > 0.2


def pixels(element: Locator) -> npt.NDArray[np.float32]:
    """Rows of points of three colours, from 0 to 1."""
    return np.asarray(imread(io.BytesIO(element.screenshot()))[..., :3])


def no_word_is_broken(page: Page, language: str) -> None:
    page.context.add_cookies([{"name": "django_language", "value": language, "url": page.url}])
    page.set_viewport_size({"width": 390, "height": 844})
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert page.evaluate(BROKEN_WORDS) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.evaluate(BROKEN_WORDS) == []


#: Whole pixels from the corner of the questions' column.
BOXES_OF_CHOSEN = """() => {
  const origin = document.querySelector(".judge").getBoundingClientRect();
  return [...document.querySelectorAll(".choice:has(:checked)")].map((choice) => {
    const { left, top, width, height } = choice.getBoundingClientRect();
    return [left - origin.left, top - origin.top, width, height].map(Math.round);
  });
}"""
#: A word that stands on two lines, or beyond its button.
BROKEN_WORDS = """() => {
  const broken = [];
  for (const choice of document.querySelectorAll(".choice")) {
    const box = choice.getBoundingClientRect();
    const texts = document.createTreeWalker(choice, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, word.index);
        range.setEnd(texts.currentNode, word.index + word[0].length);
        const rows = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top)));
        const { left, right } = range.getBoundingClientRect();
        if (rows.size && (rows.size > 1 || left < box.left - 1 || right > box.right + 1)) broken.push(word[0]);
      }
    }
  }
  return broken;
}"""
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("name", sorted(TWO_TURNS))
def test_several_turns_fit_a_phone_and_leave_the_questions_in_sight(
    page: Page, phones: Callable[[Page, int], Page], campaigns: Server, name: str
) -> None:
    log_in(page, "annotator")
    for width in (360, 390, 768):
        phone = phones(page, width)
        phone.goto(f"/label/try-{name}/")
        expect(phone.locator("[data-clip] canvas").first).to_be_visible()
        assert phone.evaluate(SIDEWAYS) == 0

    page.set_viewport_size({"width": 1280, "height": 600})
    page.goto(f"/label/try-{name}/")
    page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    expect(page.locator("[data-clip]").last).to_be_in_viewport(ratio=1)
    expect(page.locator("[data-question]").first).to_be_in_viewport(ratio=1)


def test_keys_of_the_comparison_rating_mean_what_its_buttons_show(page: Page, campaigns: Server) -> None:
    log_in(page, "annotator", at="/label/try-ccr/")
    expect(page.locator(".choice .point")).to_have_text(["+3", "+2", "+1", "0", "−1", "−2", "−3"])

    chosen = page.locator(".choice:has(:checked)")
    for key, point in (("1", "+1"), ("0", "0"), ("3", "+3"), ("i", "−1"), ("p", "−3")):
        page.keyboard.press(key)
        expect(chosen.locator("kbd")).to_have_text(key.upper())
        expect(chosen.locator(".point")).to_have_text(point)
    page.keyboard.press("?")
    expect(page.locator("#shortcuts div", has_text="2 is slightly better").locator("kbd").last).to_have_text("1")


def test_second_best_cannot_be_the_best(page: Page, campaigns: Server) -> None:
    log_in(page, "annotator", at="/label/try-podcast/")
    for _question in range(14):
        page.keyboard.press("1")
    second = page.locator('[data-question="second_best_system"]')
    second_of = second.locator("input")
    page.keyboard.press("1")
    expect(second_of.first).to_be_disabled()
    expect(second.get_by_role("status")).to_have_text("Response 1 is taken above. Choose another one here.")
    page.keyboard.press("1")
    expect(second_of.first).not_to_be_checked()
    page.keyboard.press("2")
    expect(second_of.nth(1)).to_be_checked()
    page.locator('[data-question="best_system"] label').nth(1).click()
    expect(second.locator(":checked")).to_have_count(0)
    expect(second_of.nth(1)).to_be_disabled()


def test_a_slider_is_no_answer_before_it_is_set(
    page: Page, phones: Callable[[Page, int], Page], campaigns: Server
) -> None:
    log_in(page, "annotator")
    page.goto("/label/try-multi_stimulus/")
    first, second = (page.locator("[data-slider] [type=range]").nth(nth) for nth in (0, 1))
    shown, left = page.locator("[data-slider] [data-value]"), page.locator("[data-remaining]")
    expect(left).to_have_text("2 questions left")
    expect(first).to_have_attribute("aria-valuetext", "not answered yet")

    first.focus()
    page.keyboard.press("ArrowRight")
    expect(shown).to_have_text(["51", "–"])
    expect(left).to_have_text("1 question left")
    second.click()
    expect(shown).to_have_text(["51", "50"])
    expect(left).to_have_text("")
    page.reload()
    expect(shown).to_have_text(["51", "50"])
    expect(first).to_have_attribute("aria-valuetext", "51")

    phone = phones(page, 390)
    phone.goto("/label/try-multi_stimulus/")
    assert phone.evaluate(SIDEWAYS) == 0
    phone.locator("[data-slider] [type=range]").first.tap()
    expect(phone.locator("[data-slider] [data-value]").first).to_have_text("50")


def test_rubric_says_how_many_questions_may_come(page: Page, campaigns: Server) -> None:
    log_in(page, "annotator", at="/label/try-rubric/")
    left = page.locator("[data-remaining]")
    expect(left).to_have_text("up to 8 questions left")

    page.keyboard.press("1")
    expect(left).to_have_text("7 questions left")
    page.locator('[data-question="intelligible"]').get_by_text("No").click()
    expect(left).to_have_text("")


@pytest.mark.parametrize("name", SHIPPED)
def test_unit_is_heard_clicked_reloaded_stored_and_exported(page: Page, campaigns: Server, name: str) -> None:
    protocol = for_item(SHIPPED[name], FACTS)
    n_responses = 1 if protocol.unit == "single" else 2
    clicked = clicks(protocol, n_responses, seed=len(name))
    log_in(page, "annotator", at=f"/label/try-{name}/")

    hear_everything(page)
    click(page, clicked, protocol, n_responses)
    expect(page.get_by_role("button", name="Submit")).to_be_enabled()
    if page.locator(".choice").count():
        chosen_stands_out_without_colours(page)
    for language in ("de", "en"):
        no_word_is_broken(page, language)
    expect(page.get_by_role("button", name="Submit")).to_be_enabled()
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("That was the last one")).to_be_visible()
    page.reload()
    expect(page.get_by_text("That was the last one")).to_be_visible()
    assert exported(page, name, protocol) == labels_of(protocol, clicked)
