"""What holds for every page: no accessibility violations, and a light load."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Response

from tests.browser.conftest import log_in
from tests.browser.server import Server
from tests.browser.test_labelling import begin

pytestmark = pytest.mark.browser

PAGES = {
    "annotator": [
        "/", "/accounts/login/", "/accounts/password/", "/accounts/account/", "/accounts/second-factor/",
    ],
    "researcher": [
        "/", "/datasets/", "/imports/new/", "/campaigns/new/", "/campaigns/demo-step-by-step/",
        "/campaigns/demo-step-by-step/planning/", "/campaigns/demo-step-by-step/preview/",
        "/campaigns/demo-step-by-step/webhooks/", "/protocols/", "/protocols/rubric/1/", "/protocols/new/",
        "/protocols/upload/",
    ],
}  # fmt: skip
DATASET, PAIRS = "/datasets/demo-six-synthetic-voices/", "/campaigns/demo-which-answer-is-better/"
#: Tables that are wider than a phone.
WIDE = {
    "researcher": [
        DATASET, f"{DATASET}items/", f"{DATASET}metrics/", f"{DATASET}features/", f"{PAIRS}getting-ready/",
        f"{PAIRS}labels/", f"{PAIRS}review/", f"{PAIRS}runs/", f"{PAIRS}members/", f"{PAIRS}retention/",
    ],
    "admin": [
        "/accounts/people/", "/accounts/audit-log/", "/administration/", "/administration/jobs/",
        "/administration/health/", "/administration/storage/", "/administration/models/",
        "/administration/retention/",
    ],
}  # fmt: skip
MOST_BYTES = 60_000


def violations(page: Page) -> list[str]:
    page.wait_for_load_state()
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {node['html'][:120]}" for v in found for node in v["nodes"]]


def test_pages_have_no_accessibility_violation(page: Page) -> None:
    found = {}
    for name, paths in PAGES.items():
        for path in paths:
            log_in(page, name, at=path)
            found[name, path] = violations(page)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_wide_tables_have_no_accessibility_violation_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    found = {}
    for name, paths in WIDE.items():
        log_in(page, name)
        for path in paths:
            shown = page.goto(path, wait_until="networkidle")
            assert shown
            assert shown.ok, path
            found[path] = violations(page)

    assert {page: faults for page, faults in found.items() if faults} == {}


def test_label_pages_have_no_accessibility_violation(page: Page) -> None:
    found = {}
    for campaign in ("demo-which-answer-is-better", "demo-step-by-step"):
        begin(page, campaign)
        page.keyboard.press("1")
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            found[campaign, width] = violations(page)

    assert {page: faults for page, faults in found.items() if faults} == {}


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
from campaigns.models import Campaign
from corpus.models import Dataset, Item, System, Turn
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
    server.shell(WRITE_MARKUP)
    log_in(page, "researcher")
    seen = 0

    for path in WITH_MARKUP:
        page.goto(path)
        page.wait_for_load_state("networkidle")
        seen += "onerror" in page.inner_text("body")
        assert page.title() != "ran"
        assert page.locator("img[src=x], [onerror]").count() == 0

    assert seen >= 4
