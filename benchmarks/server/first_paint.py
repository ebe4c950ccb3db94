"""How soon the label page shows something on the embedded server, and what it weighs.

    python -m benchmarks.server.first_paint

Starts a server of its own with the demo, opens the label page nine times in Chromium with an empty cache, and prints
the median first contentful paint beside that of a plain form.
"""

import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import ARGUMENTS, NAMES, log_in_by_form
from tests.browser.server import Server

TIMES = 9
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
WEIGHT = """performance.getEntriesByType('resource')
    .filter((one) => /[.](js|css)/.test(one.name)).reduce((sum, one) => sum + one.encodedBodySize, 0)"""


def first_paints(page: Page, path: str) -> list[float]:
    network = page.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.setCacheDisabled", {"cacheDisabled": True})
    paints = []
    for _ in range(TIMES):
        page.goto(path, wait_until="networkidle")
        paints.append(float(page.evaluate(PAINT)))
    return paints


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder))
        server.manage("migrate", "--verbosity", "0")
        server.manage("collectstatic", "--no-input", "--verbosity", "0")
        server.manage("seed_demo")
        server.start()
        chromium = next(path for name in NAMES if (path := shutil.which(name)))
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        try:
            page = browser.new_page(base_url=server.url)
            log_in_by_form(page, "annotator")
            for path in ("/accounts/password/", "/label/demo-which-answer-is-better/"):
                paints = first_paints(page, path)
                print(
                    f"{path}: first contentful paint {statistics.median(paints):.0f} ms median of {TIMES}, "
                    f"{max(paints):.0f} ms longest; script and style {page.evaluate(WEIGHT) / 1000:.1f} kB compressed"
                )
        finally:
            browser.close()
            server.kill()


if __name__ == "__main__":
    main()
