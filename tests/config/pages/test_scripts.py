import re
import shutil
import subprocess
from pathlib import Path

from tests.needs import lacking
from tests.paths import PROJECT


def test_scripts_without_a_page_hold_their_own_tests() -> None:
    node = shutil.which("node")
    if node is None:
        lacking("Node.js is not installed, so the scripts' own tests were not run")

    files = sorted(str(path) for path in (PROJECT / "tests" / "js").glob("*.test.mjs"))
    ran = subprocess.run([node, "--test", *files], cwd=PROJECT, capture_output=True, text=True, check=False)

    assert files
    assert ran.returncode == 0, ran.stdout


TEMPLATES = PROJECT / "templates"


def with_parts(template: Path) -> str:
    """The template, and everything that it includes by name."""
    text = template.read_text(encoding="utf-8")
    return text + "".join(with_parts(TEMPLATES / name) for name in re.findall(r'{% include "([^"]+)"', text))


def test_every_page_with_something_live_on_it_listens() -> None:
    pages = [page for page in TEMPLATES.rglob("*.html") if "{% extends" in page.read_text(encoding="utf-8")]
    live = [page for page in pages if "data-live-topic" in with_parts(page)]

    assert len(live) >= 5
    assert [page.name for page in live if "js/live/page.js" not in page.read_text(encoding="utf-8")] == []
