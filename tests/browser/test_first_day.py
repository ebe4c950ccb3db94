"""The first day with data of one's own: README's line on a fresh clone in an empty folder, and on to a first answer.

Nothing is there but what is committed. The libraries are those of this environment, by a link, as if they had just
been installed; the clips are published ones, which `../shared/data` has.
"""

import csv
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import Shoot, is_complaint
from tests.browser.server import free_port
from tests.browser.test_launch import at
from tests.browser.test_pages import violations
from tests.needs import lacking
from tests.paths import PROJECT

pytestmark = pytest.mark.browser
PASSWORD = "a-cello-in-the-rain"
TEN_MINUTES = 600
CLIPS = ("moshi__i0", "gemini2-flash-exp_asr_tts__i0")


@dataclass
class Installation:
    """A clone that README's line has started."""

    folder: Path
    process: subprocess.Popen[str]
    url: str
    one_time_address: str

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        database = sqlite3.connect(self.folder / "var" / "earshot.sqlite3")
        try:
            return database.execute(sql).fetchall()
        finally:
            database.close()


def line_of_readme(command: str) -> str:
    """The command as README's first block has it."""
    block = (PROJECT / "README.md").read_text(encoding="utf-8").split("```")[1]
    [line] = [line for line in block.splitlines() if line.startswith(command)]
    return line.split("#")[0].strip()


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory, browser: Browser) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("empty") / "earshot"
    subprocess.run(["git", "clone", "--quiet", str(PROJECT), str(folder)], check=True)
    link_libraries(folder)
    port = free_port()
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    process = subprocess.Popen(
        [*line_of_readme("make start").split(), f"PORT={port}"],
        cwd=folder, env=keep, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    try:
        yield Installation(folder, process, f"http://127.0.0.1:{port}", printed_address(process))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def link_libraries(folder: Path) -> None:
    """The environment of this test run as `.venv`, and older requirements, so that `make` finds them installed."""
    environment = Path(sys.prefix)
    if not (environment / "installed").is_file():
        lacking("the libraries were not installed by make, so that it would install them again")
    (folder / ".venv").symlink_to(environment)
    long_ago = (environment / "installed").stat().st_mtime - 1
    for name in (*folder.glob("requirements*.txt"), *folder.glob("locks/*.txt")):
        os.utime(name, (long_ago, long_ago))


def printed_address(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    for line in process.stdout:
        if found := re.search(r"http://\S+/accounts/setup/\?code=\S+", line):
            return found[0]
    raise AssertionError(f"the server ended with {process.wait()} and printed no address")


@pytest.fixture
def server(fresh: Installation) -> Installation:
    """In place of the demo's server."""
    return fresh


@pytest.fixture
def upload(tmp_path: Path, shared_data: Path) -> tuple[Path, Path]:
    """A manifest and a ZIP: what one person asked, and what two systems said."""
    manifest, archive = tmp_path / "manifest.csv", tmp_path / "audio.zip"
    with manifest.open("w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["item", "system", "prompt_audio", "response_audio"])
        table.writerows(["tomato", clip.split("__")[0], "instruction__i0.flac", f"{clip}.flac"] for clip in CLIPS)
    with zipfile.ZipFile(archive, "w") as zipped:
        for clip in ("instruction__i0", *CLIPS):
            zipped.write(shared_data / "audio" / "clips" / f"{clip}.flac", f"{clip}.flac")
    return manifest, archive


def test_from_an_empty_folder_to_a_first_answer_in_ten_minutes(
    page: Page, browser: Browser, fresh: Installation, upload: tuple[Path, Path], shoot: Shoot
) -> None:
    began = time.monotonic()
    become_administrator(page, fresh, shoot)
    link = make_annotator(page, shoot)
    import_data(page, upload, shoot)
    launch(page, shoot)
    answer_as_annotator(browser, fresh, link)

    assert fresh.rows("SELECT count(*) FROM annotation_answer")[0][0]
    assert time.monotonic() - began < TEN_MINUTES
    page.goto("/")
    expect(page.get_by_text("What comes next")).to_be_visible()
    expect(page.locator(".next-steps .done")).to_have_count(3)
    shoot("first-day-home-after")


def become_administrator(page: Page, fresh: Installation, shoot: Shoot) -> None:
    page.goto("/datasets/")
    expect(page.get_by_role("heading", name="This installation has no administrator yet")).to_be_visible()
    shoot("first-day-nobody")
    page.goto(fresh.one_time_address)
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password confirmation").fill(PASSWORD)
    assert violations(page) == []
    shoot("first-day-setup")
    page.get_by_role("button", name="Create the account").click()
    expect(page.get_by_role("heading", name="What comes next")).to_be_visible()
    shoot("first-day-home")


def make_annotator(page: Page, shoot: Shoot) -> str:
    """The link with which the annotator chooses a password, as the administrator hands it over."""
    page.locator(".next-steps").get_by_role("link", name="People").click()
    page.get_by_label("Username", exact=True).fill("grace")
    page.get_by_role("button", name="Create the account").click()
    link = page.locator(".messages input").input_value()
    assert violations(page) == []
    shoot("first-day-accounts")
    assert re.fullmatch(r"http://\S+/accounts/new-password/\S+", link)
    return link


def import_data(page: Page, upload: tuple[Path, Path], shoot: Shoot) -> None:
    page.get_by_role("link", name="Home").click()
    page.locator(".next-steps").get_by_role("link", name="Data").click()
    page.get_by_label("Dataset", exact=True).fill("Tomatoes")
    page.locator("#id_manifest").set_input_files(upload[0])
    page.locator("#id_archive").set_input_files(upload[1])
    shoot("first-day-import")
    page.get_by_role("button", name="Continue", exact=True).click()
    page.get_by_role("button", name="Import", exact=True).click(timeout=60_000)
    page.get_by_role("link", name="Open Tomatoes").click(timeout=60_000)
    shoot("first-day-dataset")


def launch(page: Page, shoot: Shoot) -> None:
    """Nothing is changed that the steps propose, but for the name, the protocol, and who takes part."""
    page.get_by_role("link", name="Home").click()
    page.locator(".next-steps").get_by_role("link", name="A campaign").click()
    page.get_by_label("Title").fill("Which answer is better?")
    page.get_by_role("button", name="Save and continue").click()
    at(page, "Protocol")
    page.get_by_label("Overall only").check()
    shoot("first-day-protocol")
    page.get_by_role("button", name="Save and continue").click()
    at(page, "Arena")
    page.get_by_role("link", name="Continue: Units").click()
    at(page, "Units")
    page.get_by_role("button", name="Draw the units and continue").click()
    at(page, "Answers")
    page.get_by_role("button", name="Save and continue").click()
    for step in ("Checks", "Rules", "Getting ready"):
        at(page, step)
        page.get_by_role("link", name="Continue: ").click()
    at(page, "People")
    page.get_by_label("Username").fill("grace")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_role("link", name="Continue: Preview").click()
    expect(page.get_by_role("button", name="Play response 2")).to_be_enabled(timeout=60_000)
    page.get_by_role("link", name="Continue the launch").click()
    at(page, "Open")
    expect(page.get_by_text("No problems found.")).to_be_visible(timeout=60_000)
    shoot("first-day-open")
    page.get_by_role("button", name="Open for annotators").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def answer_as_annotator(browser: Browser, fresh: Installation, link: str) -> None:
    """In a browser of their own: choose a password, log in, listen to all of it, answer."""
    context = browser.new_context(base_url=fresh.url)
    page = context.new_page()
    page.set_default_timeout(30_000)
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text) if is_complaint(one) else None)
    page.goto(link)
    page.get_by_label("New password", exact=True).fill(PASSWORD)
    page.get_by_label("New password confirmation").fill(PASSWORD)
    page.get_by_role("button", name="Change", exact=True).click()
    page.get_by_label("Username").fill("grace")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("link", name="Start").click()
    for name in ("Play the prompt", "Play response 1", "Play response 2"):
        page.get_by_role("button", name=name).click()
        expect(page.locator(".playing")).to_have_count(1)
        expect(page.locator(".playing")).to_have_count(0, timeout=60_000)
    page.get_by_text("1 is better", exact=True).click()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_text(re.compile("Nothing is left|Thank you|All done", re.IGNORECASE)).first).to_be_visible()
    assert said == []
    context.close()


def test_clone_makes_keys_and_data_folder_for_its_owner_alone(fresh: Installation) -> None:
    made = [fresh.folder / ".env", fresh.folder / "var"]

    assert [path.stat().st_mode & 0o077 for path in made] == [0, 0]
