"""A researcher's main path with the eleven real clips: upload, launch, invite, label by mouse, export."""

import csv
import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in
from tests.browser.server import Server
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
    page.get_by_role("button", name="Check it").click()


def download(page: Page, link: str) -> str:
    with page.expect_download() as started:
        page.get_by_role("link", name=link).click()
    return Path(started.value.path()).read_text(encoding="utf-8")


def test_study_from_real_clips_to_exported_labels(
    page: Page, server: Server, shoot: Shoot, shared_data: Path, tmp_path: Path
) -> None:
    log_in(page, "researcher")
    upload(page, shared_data / "audio", tmp_path / "clips.zip")
    expect(page.get_by_text("Everything can be imported")).to_be_visible(timeout=60_000)
    shoot("import-checked")
    page.get_by_role("button", name="Import it").click()
    page.get_by_role("link", name="Open Tomato").click(timeout=60_000)
    shoot("dataset")

    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Two ways to say it")
    page.get_by_label("Listening").select_option("Three seconds of every clip")
    shoot("campaign-new")
    page.get_by_role("button", name="Make the draft").click()
    prepare = page.get_by_role("button", name="Prepare the audio")
    expect(prepare.or_(page.get_by_role("button", name="Open for annotators"))).to_be_visible(timeout=60_000)
    shoot("campaign-draft")
    if prepare.is_visible():  # some clips would clip at −23 LUFS: take the target that is offered
        prepare.click()
    page.get_by_role("button", name="Open for annotators").click(timeout=60_000)
    shoot("campaign")

    page.get_by_role("link", name="People").click()
    page.get_by_label("Username").fill("lena")
    page.get_by_role("button", name="Add").click()
    said = page.get_by_text("Its password, shown once").inner_text()
    password = said.rsplit(" ", 1)[1]
    shoot("people")

    log_in(page, "lena", password)
    page.get_by_role("link", name="Start").click()
    for name in ("Play the prompt", "Play response 1", "Play response 2"):
        page.get_by_role("button", name=name).click()
        expect(page.locator(".playing")).to_have_count(1)
        page.wait_for_timeout(3300)  # the rule asks for three seconds of each
    page.locator('[data-question="content"]').get_by_text("1 is better").click()
    page.locator('[data-question="voice_quality"]').get_by_text("2 is better").click()
    page.locator('[data-question="paralinguistics"]').get_by_text("Both bad").click()
    page.locator('[data-question="overall"]').get_by_text("Both good").click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("1 of 11")).to_be_visible()

    answers = last_answers(server)
    order = answers["overall"][1]
    values = {aspect: value for aspect, (value, _) in answers.items()}
    assert values == {
        "content": stored("1", order),
        "voice_quality": stored("2", order),
        "paralinguistics": "both_bad",
        "overall": "both_good",
    }

    log_in(page, "researcher")
    page.goto("/")
    page.get_by_role("link", name="Two ways to say it").click()
    record = json.loads(download(page, "JSON Lines, TRACE shape"))
    rows = list(csv.DictReader(io.StringIO(download(page, "CSV, one row per answer"))))
    assert {aspect: stored(value, "ab") for aspect, value in record["label"].items()} == values
    assert record["annotator"] == "A1"
    assert re.fullmatch(r"clips/.+\.flac", record["audio1_path"])
    assert {row["aspect"]: row["value"] for row in rows} == values
    assert {row["order"] for row in rows} == {order}
