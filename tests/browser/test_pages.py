"""What holds for every page: no accessibility violations, and a light load."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Response

from tests.browser.conftest import log_in
from tests.browser.server import Server
from tests.browser.test_labelling import begin

pytestmark = pytest.mark.browser

ANNOTATOR_PAGES = ["/", "/accounts/login/", "/accounts/password/", "/accounts/account/", "/accounts/second-factor/"]
RESEARCHER_PAGES = ["/", "/datasets/", "/imports/new/", "/campaigns/new/", "/campaigns/demo-step-by-step/"]
RESEARCHER_PAGES += ["/campaigns/demo-step-by-step/planning/", "/campaigns/demo-step-by-step/preview/"]
RESEARCHER_PAGES += ["/protocols/", "/protocols/rubric/1/", "/protocols/new/", "/protocols/upload/"]
RESEARCHER_PAGES += ["/campaigns/demo-step-by-step/webhooks/"]
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


MARKUP = "\"'><img src=x onerror=document.title='ran'><script>document.title='ran'</script>"
WRITE_MARKUP = f"""
from campaigns.models import Campaign, Dataset, Item, System, Turn
for row in Campaign.objects.all():
    Campaign.objects.filter(pk=row.pk).update(title=row.title[:20] + {MARKUP!r})
for model, name in ((Dataset, "name"), (System, "name"), (Item, "category"), (Turn, "text")):
    for row in model.objects.all():
        model.objects.filter(pk=row.pk).update(**{{name: f"{{row.pk}}" + {MARKUP!r}}})
"""
WITH_MARKUP = ["/", "/datasets/", "/campaigns/demo-step-by-step/", "/campaigns/demo-step-by-step/review/"]
WITH_MARKUP += ["/campaigns/demo-step-by-step/preview/", "/campaigns/demo-step-by-step/results/"]


def test_markup_that_people_write_runs_nowhere(page: Page, server: Server) -> None:
    """The last test of this module: nothing is called as before. That the policy has to stop nothing shows, too."""
    server.manage("shell", "-v", "0", "-c", WRITE_MARKUP)
    log_in(page, "researcher")
    seen = 0

    for path in WITH_MARKUP:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        seen += "onerror" in page.inner_text("body")
        assert page.title() != "ran"
        assert page.locator("img[src=x], [onerror]").count() == 0

    assert seen >= 4
