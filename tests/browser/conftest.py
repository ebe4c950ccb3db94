import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from tests.browser.server import Server, prepared_once
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
#: So long a page may take to show something: the machine that runs the tests has other work.
TIMEOUT_MS = 15_000
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
for run in Run.objects.exclude(judge__kind__in=("random", "longest")):
    cancel_run(run)
"""
SESSIONS = "from tests.browser.sessions import keep_sessions; keep_sessions()"
#: The first is the same browser without windows: pages cost it a third of the processor time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        lacking("neither Chromium nor Chrome is installed, so nothing was tried in a browser")
    expect.set_options(timeout=TIMEOUT_MS)
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
    def prepared(with_arena: bool) -> Server:
        def prepare(server: Server) -> None:
            server.manage(*(["seed_demo_arena"] if with_arena else ["seed_demo", "--no-arena"]))
            server.shell(LISTENING_IS_NOT_CHECKED + SESSIONS + ("" if with_arena else NOBODY_LISTENS))

        like = prepared(with_arena=False) if with_arena else installed
        return prepared_once(tmp_path_factory, "demo_with_arena" if with_arena else "demo", prepare, like)

    return prepared


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, demo: Callable[[bool], Server]
) -> Iterator[Server]:
    """With the demo; its arena takes time, so only modules that say WITH_ARENA have it."""
    server = Server(tmp_path_factory.mktemp("server"), like=demo(getattr(request.module, "WITH_ARENA", False)))
    server.start()
    yield server
    server.kill()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console said; every test ends with none."""
    return []


@pytest.fixture
def page(browser: Browser, server: Server, complaints: list[str]) -> Iterator[Page]:
    with window(browser, server.url, complaints) as page:
        yield page
    assert complaints == []


@contextmanager
def window(browser: Browser, url: str, complaints: list[str] | None = None, **options: Any) -> Iterator[Page]:
    """A page in which nobody ever logged in; what its console says joins the complaints."""
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, "base_url": url} | options)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    if complaints is not None:
        page.on("console", lambda said: complaints.append(said.text) if is_complaint(said) else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()


def is_complaint(said: ConsoleMessage) -> bool:
    """Whoever leaves a page before its live connection stands ends the connection; that is nobody's fault."""
    left_early = "WebSocket is closed before the connection is established" in said.text
    return said.type in ("error", "warning") and not left_early


@pytest.fixture
def shoot(page: Page, pytestconfig: pytest.Config) -> "Shoot":
    folder = pytestconfig.getoption("--screenshots")
    return Shoot(page, Path(folder) if folder else None)


class Shoot:
    """Takes a page's picture wide and narrow where one is asked for, and refuses a page to be scrolled sideways."""

    def __init__(self, page: Page, folder: Path | None) -> None:
        self.page = page
        self.folder = folder

    def __call__(self, name: str) -> None:
        self.page.wait_for_load_state()  # a click on a link returns before the new page has an element
        for width, height in ((390, 844), (1280, 800)):
            self.page.set_viewport_size({"width": width, "height": height})
            if self.folder:
                self.page.screenshot(path=self.folder / f"{name}-{width}.png")
            wider = self.page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wider <= 0, f"{name} is {wider} px wider than a screen of {width} px"


def session_of(name: str) -> str:
    """The key of the session that each person of the demo has."""
    return f"session-of-{name}"


def log_in(page: Page, name: str, *, at: str = "/", language: str = "en") -> None:
    """As somebody of the demo, without a form, and on to this address."""
    page.goto("about:blank")  # what a page sends when it is left goes with the cookies that it knows
    page.context.clear_cookies()
    set_cookie(page, "sessionid", session_of(name))
    if language != "en":
        set_cookie(page, "django_language", language)
    page.goto(at)
    assert page.locator(".account").count(), f"{name} is not logged in at {at}"


def open_page_of_campaign(page: Page, name: str) -> None:
    """By the navigation of the campaign. Its groups are menus, but for the one in which one is."""
    link = page.get_by_role("navigation", name="Pages of the campaign").locator("a").filter(has_text=name)
    if not link.is_visible():
        page.locator("details.tab-menu", has=page.locator("a").filter(has_text=name)).locator("summary").click()
    link.click()


def set_cookie(page: Page, name: str, value: str) -> None:
    page.context.add_cookies([{"name": name, "value": value, "domain": "127.0.0.1", "path": "/"}])


def log_in_by_form(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("about:blank")
    page.context.clear_cookies()
    page.goto("/accounts/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Log out").wait_for()
