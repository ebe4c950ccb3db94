"""Each shipped protocol in a real browser: heard in full, clicked, reloaded, submitted, stored, exported."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Page, expect

from annotation.blinding import shown_value
from campaigns.protocols import SHIPPED, Protocol, for_item, questions
from campaigns.protocols.questions import question_name
from tests.annotation.test_every_protocol import FACTS, clicks, labels_of
from tests.browser.conftest import log_in
from tests.browser.server import Server
from tests.protocols.asking import CRITERIA

pytestmark = pytest.mark.browser

RATE, SECONDS = 16_000, 0.5
TWO_TURNS = {"arena", "rubric"}
LAUNCH = """
import json
from accounts.models import User
from campaigns.launch import create_campaign, open_campaign
from campaigns.members import add_member
from campaigns.models import Dataset
from campaigns.preparing import prepare_audio_of
from campaigns.protocols import SHIPPED
from campaigns.units import pairs_of_systems, single_responses, whole_items
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
    for name, turns in (("One turn", 1), ("Two turns", 2)):
        manifest = write_dataset(folder / str(turns), turns)
        server.manage(
            "import_dataset",
            str(manifest),
            "--audio",
            str(manifest.parent),
            "--dataset",
            name,
            "--user",
            "researcher",
        )
    server.manage("shell", "-v", "0", "-c", f"TWO_TURNS = {TWO_TURNS!r}\n{LAUNCH}")
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
        if question.is_text:
            fieldset.locator("textarea").fill(clicked[question.name])
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


@pytest.mark.parametrize("name", SHIPPED)
def test_unit_is_heard_clicked_reloaded_stored_and_exported(page: Page, campaigns: Server, name: str) -> None:
    protocol = for_item(SHIPPED[name], FACTS)
    n_responses = 1 if protocol.unit == "single" else 2
    clicked = clicks(protocol, n_responses, seed=len(name))
    log_in(page, "annotator")
    page.goto(f"/label/try-{name}/")

    hear_everything(page)
    click(page, clicked, protocol, n_responses)
    expect(page.get_by_role("button", name="Submit")).to_be_enabled()
    page.reload()
    expect(page.get_by_role("button", name="Submit")).to_be_enabled()
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_text("That was the last one")).to_be_visible()
    page.reload()
    expect(page.get_by_text("That was the last one")).to_be_visible()
    assert exported(page, name, protocol) == labels_of(protocol, clicked)
