"""From a ZIP to answers that can be trusted: launched, two people come by link, and one of them fails gold."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot, log_in, open_page_of_campaign, window
from tests.browser.server import Server

pytestmark = pytest.mark.browser

ITEMS, SYSTEMS = 8, ("quartz", "basalt", "gneiss")
GOLD = 6
PAUSED = "A short break"


@pytest.fixture
def dataset(tmp_path: Path) -> tuple[Path, Path]:
    """A table and a ZIP: hums of half a second, each of its own pitch."""
    rows = [("item", "turn", "prompt_text", "system", "response_audio")]
    archive = tmp_path / "hums.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for n, (item, system) in enumerate(product(range(ITEMS), SYSTEMS)):
            hum = io.BytesIO()
            seconds = np.arange(8_000) / 16_000
            soundfile.write(hum, 0.2 * np.sin(2 * np.pi * (150 + 10 * n) * seconds), 16_000, "PCM_16", format="WAV")
            packed.writestr(f"{n}.wav", hum.getvalue())
            rows.append((f"hum{item}", "1", f"Hum number {item}.", system, f"{n}.wav"))
    table = tmp_path / "manifest.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    return table, archive


@pytest.fixture
def people(browser: Browser, server: Server) -> Iterator[list[Page]]:
    """Two browsers in which nobody ever logged in."""
    with window(browser, server.url) as one, window(browser, server.url) as other:
        yield [one, other]


def bring_in(page: Page, table: Path, archive: Path) -> None:
    page.goto("/imports/new/")
    page.get_by_label("Dataset").fill("Hums")
    page.get_by_label("Manifest").set_input_files(table)
    page.get_by_label("Audio", exact=False).first.set_input_files(archive)
    page.get_by_role("button", name="Continue", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click(timeout=60_000)
    page.get_by_role("link", name="Open Hums").click(timeout=60_000)


def launch(page: Page, tmp_path: Path) -> str:
    """From the dataset to an open campaign; return the link that invites two people."""
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill("Which hum?")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_label("Overall only").check()
    page.get_by_label("Listening").select_option("Not checked")
    page.get_by_role("button", name="Save and continue").click()
    page.get_by_role("link", name="Continue: Units").click()
    page.get_by_role("button", name="Draw the units and continue").click()
    page.get_by_label("Answers per unit").fill("2")
    page.get_by_role("button", name="Save and continue").click()
    set_gold(page, tmp_path)
    steps(page, "People")
    link = invite(page)
    steps(page, "Open")
    page.get_by_role("button", name="Open for annotators").click(timeout=60_000)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    return link


def steps(page: Page, name: str) -> None:
    page.get_by_role("navigation", name="Steps of the launch").get_by_role("link", name=name).click()


def set_gold(page: Page, tmp_path: Path) -> None:
    """Fill in a few of the units that the page offers: both are good, whoever is heard first."""
    with page.expect_download() as started:
        page.get_by_role("link", name="A table of this campaign's units").click()
    offered = Path(started.value.path()).read_text(encoding="utf-8")
    lines = list(csv.DictReader(io.StringIO(offered)))
    for line in lines[:GOLD]:
        line["value"] = "both_good"
    filled = tmp_path / "gold.csv"
    with filled.open("w", newline="") as file:
        writer = csv.DictWriter(file, lines[0].keys())
        writer.writeheader()
        writer.writerows(lines)
    page.get_by_label("Gold units").set_input_files(filled)
    page.get_by_label("Units between two checks").fill("2")
    page.get_by_role("button", name="Set the checks").click()
    expect(page.get_by_text("The checks are set.")).to_be_visible()


def invite(page: Page) -> str:
    page.get_by_label("Link", exact=True).select_option("For several people")
    page.get_by_role("button", name="Create", exact=True).click()
    return page.get_by_label(re.compile(r"^Link \d+$")).first.input_value()


def take_part(person: Page, link: str) -> None:
    person.goto(link)
    person.get_by_role("button", name="Take part").click()
    expect(person.get_by_role("button", name="Play response 2")).to_be_enabled()


def answer(person: Page, choice: str, times: int) -> int:
    """Answer until that many are given or no more units come; return how many were."""
    for given in range(times):
        unit = person.locator("[data-unit]")
        expect(unit.or_(person.get_by_text(PAUSED))).to_be_visible()
        if not unit.is_visible():
            return given
        now = unit.get_attribute("hx-post")
        person.get_by_text(choice, exact=True).click()
        person.get_by_role("button", name="Submit").click()
        expect(person.locator(f'[data-unit][hx-post="{now}"]')).to_have_count(0)
    return times


def wait_for_the_pause(person: Page, server: Server) -> None:
    """A look at the answers comes every three seconds, and rests longer where the last one took long."""
    paused = (
        "SELECT 1 FROM annotation_annotatordecision d JOIN campaigns_campaign c ON c.id = d.campaign_id"
        " WHERE c.title = 'Which hum?' AND d.about = 'work' AND NOT d.yes"
    )
    for _ in range(60):
        if server.rows(paused):
            return
        person.wait_for_timeout(1_000)
    pytest.fail("nobody was paused")


def test_campaign_from_a_zip_to_an_annotator_who_is_paused_by_gold(
    page: Page, people: list[Page], dataset: tuple[Path, Path], server: Server, shoot: Shoot, tmp_path: Path
) -> None:
    careful, careless = people
    log_in(page, "researcher")
    bring_in(page, *dataset)
    link = launch(page, tmp_path)

    for person in people:
        take_part(person, link)
    answer(careful, "Both good", 8)
    given = answer(careless, "Both bad", 14)
    wait_for_the_pause(careless, server)
    given += answer(careless, "Both bad", 2)

    expect(careless.get_by_text(PAUSED)).to_be_visible()
    assert given < 2 * ITEMS
    answer(careful, "Both good", 1)
    kept = server.rows(
        "SELECT COUNT(*) FROM annotation_annotation a JOIN annotation_assignment s ON s.id = a.assignment_id"
        " WHERE s.campaign_id = (SELECT id FROM campaigns_campaign WHERE title = 'Which hum?')"
    )
    assert kept == [(9 + given,)]

    open_page_of_campaign(page, "Quality")
    expect(page.locator("#multiples tbody tr")).to_have_count(2)
    expect(page.locator("#multiples td.flagged").first).to_be_visible()
    shoot("quality-of-two")
    page.locator("#multiples tbody tr").filter(has=page.locator("td.flagged")).get_by_role("link").first.click()
    expect(page.get_by_text("Gold failed").first).to_be_visible()
    expect(
        page.get_by_role("button", name="Continue", exact=False).or_(page.get_by_text("paused")).first
    ).to_be_visible()
    shoot("annotator-paused")
