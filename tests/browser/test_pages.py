"""What holds for every page: no accessibility violations, and a light load."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Response

from tests.browser.conftest import log_in
from tests.browser.test_labelling import begin

pytestmark = pytest.mark.browser

ANNOTATOR_PAGES = ["/", "/accounts/login/", "/accounts/password/"]
RESEARCHER_PAGES = ["/", "/datasets/", "/imports/new/", "/campaigns/new/", "/campaigns/demo-step-by-step/"]
RESEARCHER_PAGES += ["/campaigns/demo-step-by-step/planning/", "/campaigns/demo-step-by-step/preview/"]
RESEARCHER_PAGES += ["/protocols/", "/protocols/rubric/1/", "/protocols/new/", "/protocols/upload/"]
MOST_BYTES = 60_000


def violations(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {node['html'][:120]}" for v in found for node in v["nodes"]]


@pytest.mark.parametrize("path", ANNOTATOR_PAGES)
def test_annotator_page_has_no_accessibility_violation(page: Page, path: str) -> None:
    log_in(page, "annotator")
    page.goto(path)

    assert violations(page) == []


@pytest.mark.parametrize("path", RESEARCHER_PAGES)
def test_researcher_page_has_no_accessibility_violation(page: Page, path: str) -> None:
    log_in(page, "researcher")
    page.goto(path)

    assert violations(page) == []


@pytest.mark.parametrize("campaign", ["which answer is better", "step by step"])
@pytest.mark.parametrize("width", [1280, 390])
def test_label_page_has_no_accessibility_violation(page: Page, campaign: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    begin(page, campaign)
    page.keyboard.press("1")

    assert violations(page) == []


def test_label_page_transfers_little_script_and_style(page: Page) -> None:
    sizes: dict[str, int] = {}

    def weigh(response: Response) -> None:
        if response.request.resource_type in ("script", "stylesheet"):
            sizes[response.url] = response.request.sizes()["responseBodySize"]

    log_in(page, "annotator")
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.on("requestfinished", lambda request: weigh(request.response()))  # type: ignore[arg-type]
    page.goto("/label/demo-which-answer-is-better/", wait_until="networkidle")

    assert len(sizes) > 10
    assert sum(sizes.values()) < MOST_BYTES
