import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from tests.browser.server import Server
from tests.needs import lacking

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PASSWORD = "listen-closely"
LISTENING_IS_NOT_CHECKED = """
from campaigns.models import Campaign
for campaign in Campaign.objects.exclude(title__contains="by step"):
    campaign.protocol_document["listening"]["rule"] = "none"
    campaign.save()
"""
#: The demo's judges that listen would take the processor from what is tried, for minutes, in every module.
NOBODY_LISTENS = """
from judges.models import Run
from judges.runs.lifecycle import cancel_run
from tests.needs import lacking
for run in Run.objects.exclude(judge__kind__in=("random", "longest")):
    cancel_run(run)
"""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        lacking("neither Chromium nor Chrome is installed, so nothing was tried in a browser")
    with sync_playwright() as playwright:
        # Playwright runs an event loop in this thread, which Django's guard would take for an async view.
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory, browser: Browser, installed: Server) -> Callable[[bool], Server]:
    """A server that holds the demo, prepared once for all modules; it is copied and never started."""

    @cache
    def prepare(with_arena: bool) -> Server:
        name = "earshot_browser_arena" if with_arena else "earshot_browser_demo"
        server = Server(tmp_path_factory.mktemp(name), name=name, like=installed)
        server.manage("seed_demo", *([] if with_arena else ["--no-arena"]))
        server.manage("shell", "-v", "0", "-c", LISTENING_IS_NOT_CHECKED + NOBODY_LISTENS)
        return server

    return prepare


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, demo: Callable[[bool], Server]
) -> Iterator[Server]:
    """With the demo; its arena takes time, so only modules that say WITH_ARENA have it."""
    prepared = demo(getattr(request.module, "WITH_ARENA", False))
    server = Server(tmp_path_factory.mktemp("server"), like=prepared)
    server.start()
    yield server
    server.kill()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console said; every test ends with none."""
    return []


@pytest.fixture
def page(browser: Browser, server: Server, complaints: list[str]) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=server.url)
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def is_complaint(said: ConsoleMessage) -> bool:
    """Whoever leaves a page before its live connection stands ends the connection; that is nobody's fault."""
    left_early = "WebSocket is closed before the connection is established" in said.text
    return said.type in ("error", "warning") and not left_early


@pytest.fixture
def shoot(page: Page, pytestconfig: pytest.Config, tmp_path: Path) -> "Shoot":
    return Shoot(page, Path(pytestconfig.getoption("--screenshots") or tmp_path))


class Shoot:
    """Takes a page's picture wide and narrow, and refuses a page that has to be scrolled sideways."""

    def __init__(self, page: Page, folder: Path) -> None:
        self.page = page
        self.folder = folder

    def __call__(self, name: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        for width, height in ((390, 844), (1280, 800)):
            self.page.set_viewport_size({"width": width, "height": height})
            self.page.screenshot(path=self.folder / f"{name}-{width}.png")
            wider = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wider <= 0, f"{name} is {wider} px wider than a screen of {width} px"


def log_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("about:blank")  # what a page sends when it is left goes with the cookies that it knows
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Log out").wait_for()
