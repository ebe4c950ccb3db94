"""A researcher's main path with the eleven real clips: upload, launch, invite, label by mouse, export."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in, log_in_by_form, open_page_of_campaign
from tests.browser.server import Server
from tests.browser.test_judges import see_it_done, start
from tests.browser.test_labelling import last_answers, stored

pytestmark = pytest.mark.browser


def upload(page: Page, audio: Path, archive: Path) -> None:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as packed:
        for clip in sorted((audio / "clips").iterdir()):
            packed.write(clip, f"clips/{clip.name}")
    page.goto("/imports/new/")
    page.get_by_label("Dataset").fill("Tomato")
    page.get_by_label("Manifest").set_input_files(audio / "manifest.csv")
    page.get_by_label("Audio", exact=False).first.set_input_files(archive)
    page.get_by_role("button", name="Continue", exact=True).click()


def download(page: Page, link: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("link", name=link).click()
    return Path(started.value.path()).read_text(encoding="utf-8")


def import_clips(page: Page, shoot: Shoot, audio: Path, archive: Path) -> None:
    upload(page, audio, archive)
    expect(page.get_by_text("Everything can be imported")).to_be_visible(timeout=60_000)
    shoot("import-checked")
    page.get_by_role("button", name="Import", exact=True).click()
    page.get_by_role("link", name="Open Tomato").click(timeout=60_000)
    shoot("dataset")


def launch(page: Page, shoot: Shoot) -> None:
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Two ways to say it")
    shoot("campaign-new")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_label("Dimension first (HCoT)").check()
    page.get_by_label("Listening").select_option("Three seconds of every clip")
    shoot("launch-protocol")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("link", name="Continue: Units").click()
    shoot("launch-units")
    page.get_by_role("button", name="Draw the units and continue").click()
    shoot("launch-answers")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("navigation", name="Steps of the launch").get_by_role("link", name="Open").click()
    opens = page.get_by_role("button", name="Open for annotators")
    expect(opens).to_be_visible(timeout=60_000)  # at the loudness that was proposed, which every clip reaches
    shoot("launch-open")
    opens.click()
    shoot("campaign")


def invite(page: Page, shoot: Shoot, name: str) -> str:
    """Add an annotator; return the first password."""
    open_page_of_campaign(page, "People")
    page.get_by_label("Username").fill(name)
    page.get_by_label("They have no account yet").check()
    page.get_by_role("button", name="Add").click()
    said = page.get_by_text("Its password, shown once").inner_text()
    shoot("people")
    return said.rsplit(" ", 1)[1]


def label_by_mouse(page: Page) -> None:
    for name in ("Play the prompt", "Play response 1", "Play response 2"):
        page.get_by_role("button", name=name).click()
        hear_three_seconds(page)
    choices = {"content": "1 is better", "voice_quality": "2 is better", "paralinguistics": "Both bad"}
    for question, choice in (choices | {"overall": "Both good"}).items():
        page.locator(f'[data-question="{question}"]').get_by_text(choice).click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("1 of 11")).to_be_visible()


def label_by_keyboard(page: Page) -> None:
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    for key in "eqw":
        page.keyboard.press(key)
        hear_three_seconds(page)
    for key in "4321":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 of 11")).to_be_visible()


def hear_three_seconds(page: Page) -> None:
    expect(page.locator(".playing")).to_have_count(1)
    page.wait_for_timeout(3300)


def test_study_from_real_clips_to_exported_labels(
    page: Page, server: Server, shoot: Shoot, shared_data: Path, tmp_path: Path
) -> None:
    log_in(page, "researcher")
    import_clips(page, shoot, shared_data / "audio", tmp_path / "clips.zip")
    launch(page, shoot)
    password = invite(page, shoot, "lena")

    log_in_by_form(page, "lena", password)
    page.get_by_role("link", name="Start").click()
    label_by_mouse(page)
    by_mouse = last_answers(server)
    label_by_keyboard(page)
    by_keyboard = last_answers(server)

    assert labels(by_mouse) == as_stored(by_mouse, ["1", "2", "both_bad", "both_good"])
    assert labels(by_keyboard) == as_stored(by_keyboard, ["both_bad", "both_good", "2", "1"])

    log_in(page, "researcher")
    page.get_by_role("link", name="Two ways to say it").click()
    record = json.loads(download(page, "JSON Lines, TRACE format").splitlines()[0])
    rows = list(csv.DictReader(io.StringIO(download(page, "CSV, one row per answer"))))
    assert {aspect: stored(value, "ab") for aspect, value in record["label"].items()} == labels(by_mouse)
    assert record["annotator"] == "A1"
    assert re.fullmatch(r"clips/.+\.flac", record["audio1_path"])
    assert {row["aspect"]: row["value"] for row in rows[:4]} == labels(by_mouse)
    assert {row["aspect"]: row["value"] for row in rows[4:]} == labels(by_keyboard)

    judge_without_a_key(page, shoot)


def judge_without_a_key(page: Page, shoot: Shoot) -> None:
    """Two judges over the real clips, by the pages: seen until they are done, then beside a person's two answers."""
    for judge in ("The longer one", "DNSMOS"):
        open_page_of_campaign(page, "Judges")
        start(page, judge, "ab")
        see_it_done(page)
    open_page_of_campaign(page, "Comparison")
    for judge in ("The longer one", "DNSMOS"):
        row = page.locator("table.board tbody tr").filter(has=page.get_by_role("link", name=judge, exact=True)).first
        expect(row.locator("td").nth(3)).to_contain_text(re.compile(r"^2\b"))
    shoot("comparison-with-people")


def labels(answers: dict[str, tuple[str, str]]) -> dict[str, str]:
    return {aspect: value for aspect, (value, _) in answers.items()}


def as_stored(answers: dict[str, tuple[str, str]], shown: list[str]) -> dict[str, str]:
    """What was chosen on the screen, aspect by aspect, in the frame of the order that was drawn."""
    order = answers["overall"][1]
    aspects = ("content", "voice_quality", "paralinguistics", "overall")
    return {aspect: stored(value, order) for aspect, value in zip(aspects, shown, strict=True)}
