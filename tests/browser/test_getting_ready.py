"""From setting up entry gates, through passing them, to the first unit."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Shoot, log_in, open_page_of_campaign
from tests.browser.server import Server
from tests.browser.test_pages import violations

pytestmark = pytest.mark.browser

TITLE = "Ready for three pairs"
DRAFT = f"""
from accounts.models import User
from campaigns.launch.lifecycle import create_campaign
from campaigns.people.members import add_member
from corpus.models import Dataset
from protocols import SHIPPED, Listening
from corpus.datasets.units import pairs_of_systems
from dataclasses import replace

protocol = replace(SHIPPED["blind_overall"], listening=Listening("none"))
dataset = Dataset.objects.get()
units = pairs_of_systems(dataset)
owner = User.objects.get(username="researcher")
three = units[2:5]
campaign = create_campaign(dataset, title="{TITLE}", protocol=protocol, units=three, user=owner, target_lufs=None)
add_member(campaign, user=User.objects.get(username="annotator"), role="annotator")
"""
GUIDELINES = "# What to listen for\nListen to the whole answer before you choose.\n\n- words\n- tone\n- pace"
TRIES = "SELECT drawn, said FROM campaigns_gatetry WHERE kind = 'headphones' AND outcome = ''"


@pytest.fixture(scope="module")
def keys(server: Server) -> list[str]:
    server.shell(DRAFT)
    rows = server.rows("SELECT key FROM corpus_unit WHERE kind = 'pair' ORDER BY id LIMIT 2")
    return [str(key) for (key,) in rows]


def table(path: Path, key: str) -> Path:
    told = "One of them speaks of something else."
    path.write_text(f'unit,aspect,value,feedback\n"{key}",overall,a,{told}\n', encoding="utf-8")
    return path


def ask_for_everything(page: Page, shoot: Shoot, folder: Path, keys: list[str]) -> None:
    page.get_by_role("link", name=TITLE).click()
    open_page_of_campaign(page, "Getting ready")
    expect(page.get_by_text("Nothing is asked")).to_be_visible()
    for kind in ("Guidelines", "Volume", "Headphones", "Surroundings", "Training", "Qualification"):
        page.get_by_label(f"Ask for it: {kind}").check()
    for kind, key in zip(("training", "qualification"), keys, strict=True):
        page.locator(f"#id_{kind}-units").set_input_files(table(folder / f"{kind}.csv", key))
    assert violations(page) == []
    shoot("gates-set")
    page.get_by_role("button", name="Set what is asked").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    page.get_by_label("Text").fill(GUIDELINES)
    page.get_by_role("button", name="Have this read from now on").click()
    expect(page.get_by_text("Version 1")).to_be_visible()


def open_it(page: Page) -> None:
    page.get_by_role("navigation", name="Steps of the launch").get_by_role("link", name="Open").click()
    page.get_by_role("button", name="Prepare the audio").click()
    page.get_by_role("button", name="Open for annotators").click(timeout=60_000)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def hear_all(page: Page) -> None:
    """Play every sound to its end."""
    for button in page.get_by_role("button", name="Play sound").all():
        expect(button).to_be_enabled()
        button.click()
        expect(page.locator(".playing")).to_have_count(1)
        expect(page.locator(".playing")).to_have_count(0, timeout=8_000)


def choose_quietest(page: Page, server: Server) -> None:
    [(drawn, said)] = server.rows(TRIES)
    drawn, said = (json.loads(value) if isinstance(value, str) else value for value in (drawn, said))
    place = drawn["orders"][len(said)].index("soft") + 1
    page.get_by_label(f"Sound {place}", exact=True).check()
    page.get_by_role("button", name="Continue").click()


def answer_unit(page: Page) -> None:
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    page.get_by_text("1 is better", exact=True).click()
    page.get_by_role("button", name="Submit").click()


def test_from_the_researchers_page_through_every_gate_to_the_first_unit(
    page: Page, server: Server, shoot: Shoot, keys: list[str], tmp_path: Path
) -> None:
    log_in(page, "researcher")
    ask_for_everything(page, shoot, tmp_path, keys)
    open_it(page)

    log_in(page, "annotator")
    page.locator(".card", has_text=TITLE).locator("a.button").click()
    read_and_set_the_volume(page, shoot)
    hear_tones(page, server, shoot)
    cannot_check_the_surroundings(page, shoot)
    train(page, shoot)
    qualify(page, server, shoot)
    expect(page.get_by_text("0 of 3")).to_be_visible()
    page.get_by_role("button", name="Guidelines").click()
    expect(page.get_by_role("link", name="Read the guidelines of this study again")).to_be_visible()

    log_in(page, "researcher")
    page.get_by_role("link", name=TITLE).click()
    open_page_of_campaign(page, "Getting ready")
    expect(page.get_by_role("row", name="Surroundings")).to_contain_text("nobody yet")
    shoot("gates")
    assert violations(page) == []
    in_german(page, shoot, "gates")


def in_german(page: Page, shoot: Shoot, name: str) -> None:
    """The same page in German, and back; in mid-check it goes on where it was."""
    page.get_by_role("button", name="Deutsch").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    shoot(f"{name}-de")
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def read_and_set_the_volume(page: Page, shoot: Shoot) -> None:
    expect(page.get_by_text("Step 1 of 6")).to_be_visible()
    assert violations(page) == []
    shoot("gate-guidelines")
    page.get_by_role("button", name="I have read this").click()
    expect(page.get_by_role("button", name="Play the noise")).to_be_enabled()
    shoot("gate-volume")
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Play the noise").click()
    page.get_by_role("button", name="Continue", exact=True).click()


def hear_tones(page: Page, server: Server, shoot: Shoot) -> None:
    """All six trials right, with a reload in the second."""
    shoot("gate-headphones")
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_label("Sound 1", exact=True)).to_be_disabled()
    assert violations(page) == []
    for trial in range(6):
        expect(page.get_by_text(f"{trial + 1} of 6", exact=True)).to_be_visible()
        if trial == 1:
            in_german(page, shoot, "gate-headphones-trial")
        hear_all(page)
        choose_quietest(page, server)
    expect(page.get_by_text("6 of 6 right.")).to_be_visible()
    shoot("gate-passed")
    page.get_by_role("link", name="Continue").click()


def cannot_check_the_surroundings(page: Page, shoot: Shoot) -> None:
    page.get_by_role("button", name="Begin").click()
    hear_all(page)
    assert violations(page) == []
    shoot("gate-environment")
    page.get_by_text("Something does not work").click()
    page.get_by_label("What happens?").fill("A drill next door")
    page.get_by_role("button", name="I cannot do this check").click()
    expect(page.get_by_text("could not run")).to_be_visible()
    shoot("gate-could-not-run")
    page.get_by_role("link", name="Continue").click()


def train(page: Page, shoot: Shoot) -> None:
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_text("does not count in the study")).to_be_visible()
    shoot("gate-training")
    answer_unit(page)
    expect(page.get_by_text("One of them speaks of something else.")).to_be_visible()
    again = page.get_by_role("button", name="Play Response 2")
    expect(again).to_be_enabled()
    again.click()
    expect(page.locator(".playing")).to_have_count(1)
    assert violations(page) == []
    shoot("gate-told")
    page.set_viewport_size({"width": 390, "height": 844})
    beyond = page.locator(".scroll", has=page.get_by_role("columnheader", name="Expected"))
    assert beyond.evaluate("it => it.scrollWidth - it.clientWidth") == 0
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("That was the training.")).to_be_visible()
    page.get_by_role("link", name="Continue").click()


def qualify(page: Page, server: Server, shoot: Shoot) -> None:
    """Pass the one unit of the qualification: choose as the table expects it, in the order that was drawn."""
    page.get_by_role("button", name="Begin").click()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled()
    [(order,)] = server.rows(
        'SELECT assignment."order" FROM annotation_assignment assignment JOIN campaigns_campaignunit unit '
        "ON unit.id = assignment.campaign_unit_id WHERE unit.purpose = 'qualifying'"
    )
    page.get_by_text(f"{order.index('a') + 1} is better", exact=True).click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text("1 of 1 as expected.")).to_be_visible()
    shoot("gate-qualified")
    page.get_by_role("link", name="Continue").click()
