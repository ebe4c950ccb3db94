"""A lab without a programmer, from an empty installation to an empty one: people, a foreign table, two campaigns,
baselines, a review of 200 units, and all of it deleted again. Presses of the mouse and minutes are counted.

    pytest tests/browser/test_whole_installation.py -m slow -s --screenshots FOLDER

Answers are sent by the API, as an annotator's own page of a lab would send them: 400 answers by hand take hours.
"""

import csv
import io
import json
import os
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Shoot, open_page_of_campaign
from tests.browser.test_first_day import Installation, become_administrator, fresh, line_of_readme
from tests.browser.test_launch import at
from tests.browser.test_pages import violations

pytestmark = [pytest.mark.browser, pytest.mark.slow]
__all__ = ["fresh", "line_of_readme"]
ITEMS, SYSTEMS = 200, ("Zqxvalpha", "Zqxvbeta")
TOKENS = """
from accounts.models import User
from accounts.tokens.tokens import make_token
for name in ("zqxvann", "zqxvben"):
    print(make_token(User.objects.get(username=name), name="t", scopes=["annotate"], days=1)[1])
"""


@dataclass
class Count:
    """Presses of the mouse and seconds of each part of the way."""

    page: Page
    presses: int = 0
    parts: list[tuple[str, int, float]] = field(default_factory=list)

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        before, began = self.presses, time.monotonic()
        yield
        self.parts.append((part, self.presses - before, time.monotonic() - began))

    @property
    def table(self) -> str:
        lines = [f"{part:<44} {presses:>4} presses {seconds:>7.1f} s" for part, presses, seconds in self.parts]
        return "\n".join(["", *lines])


@pytest.fixture
def server(fresh: Installation) -> Installation:
    """In place of the demo's server."""
    return fresh


@pytest.fixture
def count(page: Page) -> Count:
    counted = Count(page)

    def press() -> None:
        counted.presses += 1

    page.expose_function("pressed", press)
    page.add_init_script("addEventListener('pointerdown', () => window.pressed(), true)")
    return counted


def look(page: Page, shoot: Shoot, name: str) -> None:
    assert violations(page) == [], name
    shoot(f"lab-{name}")


@pytest.fixture
def foreign(tmp_path: Path) -> tuple[Path, Path]:
    """A table as a German spreadsheet program saves it: wide, semicolons, columns of its own. And its sounds."""
    table, archive = tmp_path / "Hörversuch.csv", tmp_path / "Aufnahmen.zip"
    with table.open("w", newline="", encoding="utf-8-sig") as file, zipfile.ZipFile(archive, "w") as zipped:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(["Satz", "Text", *(f"Datei {name}" for name in SYSTEMS), "Bemerkung"])
        for n in range(ITEMS):
            paths = [f"{name}/{n:03}.wav" for name in SYSTEMS]
            rows.writerow([f"S{n:03}", f"Sage Satz {n}.", *paths, "ohne"])
            for pitch, path in zip((220, 330), paths, strict=True):
                zipped.writestr(path, tone(pitch + n))
    return table, archive


def tone(pitch: float) -> bytes:
    sound, times = io.BytesIO(), np.arange(8_000) / 16_000
    soundfile.write(sound, 0.2 * np.sin(2 * np.pi * pitch * times), 16_000, format="WAV")
    return sound.getvalue()


def test_lab_from_nothing_to_nothing(
    page: Page, browser: Browser, fresh: Installation, foreign: tuple[Path, Path], shoot: Shoot, count: Count
) -> None:
    with count.of("the first administrator"):
        become_administrator(page, fresh, shoot)
    with count.of("three people with rights"):
        invite(page, shoot)
    with count.of("a foreign table by mapping"):
        import_by_mapping(page, foreign, shoot)
    with count.of("a campaign of pairs"):
        launch(page, shoot, title="Which is better?", protocol="Overall only")
    with count.of("a campaign of opinion scores"):
        launch(page, shoot, title="How good is it?", protocol="Quality (ACR)")
    answer(fresh, "which-is-better")
    with count.of("baselines, to the Comparison"):
        baselines(page, shoot)
    with count.of("a review of 200 units"):
        review(page, shoot)
    with count.of("all of it deleted"):
        delete_all(page, shoot)
    sys.stdout.write(count.table + "\n")

    assert [path for path in (fresh.folder / "var" / "media").rglob("*") if path.is_file()] == []
    for (name,) in fresh.rows("SELECT name FROM sqlite_master WHERE type = 'table'"):
        for row in fresh.rows(f'SELECT * FROM "{name}"'):  # noqa: S608 - a name of the database's own
            assert "zqxv" not in json.dumps(row, default=str).casefold(), name


def invite(page: Page, shoot: Shoot) -> None:
    page.locator(".next-steps").get_by_role("link", name="People").click()
    page.get_by_role("link", name="Invite people").click()
    page.get_by_label("People", exact=True).fill("zqxvann\nzqxvben")
    look(page, shoot, "invite")
    page.get_by_role("button", name="Create the accounts").click()
    look(page, shoot, "invited")
    page.goto("/accounts/people/")
    page.get_by_label("Username", exact=True).fill("zqxvrosa")
    page.get_by_label("researcher", exact=False).last.check()
    page.get_by_role("button", name="Create the account").click()
    look(page, shoot, "people")
    expect(page.locator("summary", has_text="Remove the right of a researcher")).to_be_visible()


def import_by_mapping(page: Page, foreign: tuple[Path, Path], shoot: Shoot) -> None:
    page.get_by_role("link", name="Home").click()
    page.locator(".next-steps").get_by_role("link", name="Data").click()
    page.get_by_label("Dataset", exact=True).fill("Hearing test")
    page.locator("#id_manifest").set_input_files(foreign[0])
    page.locator("#id_archive").set_input_files(foreign[1])
    page.get_by_role("button", name="Continue", exact=True).click()
    expect(page.get_by_role("heading", name="Map the columns of Hörversuch.csv")).to_be_visible()
    look(page, shoot, "mapping-guessed")
    for column, becomes in {"Satz": "item", "Text": "prompt_text", "Bemerkung": ""}.items():
        becomes_select(page, column).select_option(becomes)
    for name in SYSTEMS:
        becomes_select(page, f"Datei {name}").select_option("response_audio")
        line(page, f"Datei {name}").locator(".named input").fill(name)
    look(page, shoot, "mapping-chosen")
    page.get_by_role("button", name="Check", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click(timeout=120_000)
    page.get_by_role("link", name="Open Hearing test").click(timeout=240_000)
    look(page, shoot, "dataset")


def line(page: Page, column: str) -> Locator:
    return page.locator("li.line", has=page.get_by_role("heading", name=column, exact=True))


def becomes_select(page: Page, column: str) -> Locator:
    return line(page, column).get_by_label("Becomes")


def launch(page: Page, shoot: Shoot, *, title: str, protocol: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Title").fill(title)
    page.get_by_role("button", name="Save and continue").click()
    at(page, "Protocol")
    page.get_by_label(protocol).first.check()
    page.get_by_label("Listening").select_option("Not checked")
    page.get_by_role("button", name="Save and continue").click()
    while page.locator('.launch-steps [aria-current="step"] .name').inner_text() != "Open":
        step = page.locator('.launch-steps [aria-current="step"] .name').inner_text()
        if step == "People":
            for name in ("zqxvann", "zqxvben"):
                page.get_by_label("Username").fill(name)
                page.get_by_role("button", name="Add", exact=True).click()
                expect(page.get_by_role("row", name=name)).to_be_visible()
        if step == "Answers":
            page.get_by_label("Answers per unit").fill("2")
        go_on(page, step)
    expect(page.get_by_text("No problems found.")).to_be_visible(timeout=240_000)
    look(page, shoot, f"open-{protocol.split(maxsplit=1)[0].lower()}")
    page.get_by_role("button", name="Open for annotators").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def go_on(page: Page, step: str) -> None:
    """By the one way that the step shows."""
    ways = page.get_by_role("button", name="continue").or_(page.get_by_role("link", name="Continue"))
    ways.last.click()
    if step == "People":
        page.get_by_role("link", name="Continue the launch").click(timeout=60_000)
    expect(page.locator('.launch-steps [aria-current="step"] .name')).not_to_have_text(step, timeout=60_000)


def answer(fresh: Installation, slug: str) -> None:
    """Both annotators on every unit, who differ on every third."""
    python = str(fresh.folder / ".venv" / "bin" / "python")
    shell = [python, "manage.py", "shell", "-v", "0", "-c", TOKENS]
    env = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    told = subprocess.run(shell, cwd=fresh.folder, env=env, check=True, stdout=subprocess.PIPE, text=True).stdout
    tokens = told.split()

    def asked(token: str, path: str, body: object = None) -> dict[str, object]:
        request = urllib.request.Request(
            f"{fresh.url}/api/v1/label/{slug}/{path}", data=json.dumps(body or {}).encode(), method="POST",
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
        )  # fmt: skip
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.load(reply)

    for who, token in enumerate(tokens):
        n = 0
        while unit := asked(token, "next/")["unit"]:
            assert isinstance(unit, dict)
            options = [question["options"] for question in unit["questions"]]
            chosen = [some[(who * (n % 3 == 0)) % len(some)]["value"] for some in options]
            names = [question["name"] for question in unit["questions"]]
            said = {"answers": dict(zip(names, chosen, strict=True)), "reports": []}
            asked(token, f"assignments/{unit['assignment']}/answers/", said)
            n += 1
            time.sleep(0.1)  # the rate of an API is limited
        assert n == ITEMS


def baselines(page: Page, shoot: Shoot) -> None:
    page.goto("/")
    page.get_by_role("link", name="Which is better?").first.click()
    look(page, shoot, "campaign-home")
    page.get_by_role("button", name="Run the baselines").click()
    look(page, shoot, "baselines-running")
    expect(page.get_by_role("button", name="Stop the baselines")).to_have_count(
        0, timeout=1_800_000
    )  # of 400 clips, beside other work
    look(page, shoot, "baselines-done")
    page.get_by_role("link", name="Open the comparison").click()
    expect(page.get_by_role("heading", name="Judges against people")).to_be_visible()
    look(page, shoot, "comparison")


def review(page: Page, shoot: Shoot) -> None:
    """All at once after a look at the first by its keys; then a mark is undone and made again."""
    open_page_of_campaign(page, "Review")
    all_units(page)
    look(page, shoot, "review")
    page.locator("table.queue tbody th a").first.click()
    look(page, shoot, "review-unit")
    page.keyboard.press("v")
    expect(page.get_by_text("1 unit is marked as reviewed.")).to_be_visible()
    page.get_by_role("link", name="Queue").click()
    mark_the_rest(page)
    page.get_by_role("button", name="Undo my last mark").click()
    expect(page.get_by_text(f"{ITEMS - 1} units are open again.")).to_be_visible()
    mark_the_rest(page)
    expect(page.get_by_text("Everything here was reviewed.")).to_be_visible()
    look(page, shoot, "reviewed")


def all_units(page: Page) -> None:
    page.get_by_role("navigation", name="Which units").get_by_role("link", name="All units").click()


def mark_the_rest(page: Page) -> None:
    all_units(page)
    page.get_by_text(f"All {ITEMS - 1} units that match").first.click()
    page.get_by_role("button", name=f"Mark {ITEMS - 1} units as reviewed").click()
    expect(page.get_by_text(f"{ITEMS - 1} units are marked as reviewed.")).to_be_visible()


def delete_all(page: Page, shoot: Shoot) -> None:
    for title in ("Which is better?", "How good is it?"):
        page.goto("/")
        page.get_by_role("link", name=title).first.click()
        page.get_by_role("button", name="Pause").click()
        expect(page.get_by_role("button", name="Pause")).to_have_count(0)
        delete(page, shoot, title)
    page.goto("/datasets/")
    page.get_by_role("link", name="Hearing test").first.click()
    delete(page, shoot, "Hearing test")
    for name in ("zqxvann", "zqxvben", "zqxvrosa"):
        delete_person(page, shoot, name)
    page.goto("/accounts/audit-log/")
    for name in ("Which is better?", "How good is it?", "Hearing test"):
        expect(
            page.get_by_role("row")
            .filter(has_text=name)
            .filter(has_text="Deleted for good; the deletion is finished.")
            .first
        ).to_be_visible()
    look(page, shoot, "audit-log")


def delete(page: Page, shoot: Shoot, name: str) -> None:
    page.get_by_role("link", name="Rename, archive or delete").first.click()
    look(page, shoot, "manage")
    page.get_by_role("button", name="Archive", exact=True).click()
    page.get_by_role("link", name="Delete for good…").click()
    look(page, shoot, "delete")
    page.get_by_label("Type the name to confirm").fill(name)
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_text("succeeded").or_(page.get_by_text("Done")).first).to_be_visible(timeout=120_000)


def delete_person(page: Page, shoot: Shoot, name: str) -> None:
    page.goto("/accounts/people/")
    page.get_by_role("link", name=name, exact=True).click()
    page.get_by_text("Disable the account").first.click()
    page.get_by_role("button", name="Yes, disable it").click()
    page.get_by_role("link", name="Delete the account…").click()
    look(page, shoot, "delete-person")
    page.get_by_label("Username").fill(name)
    page.get_by_role("button", name="Delete for good").click()
    expect(page.get_by_role("link", name=name, exact=True)).to_have_count(0)
