"""docs/ as a whole: no link is dead, and the index has every page: `python -m tests.config.test_docs` writes it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import PROJECT

DOCS = PROJECT / "docs"
INDEX = DOCS / "index.md"
PAGES = sorted(path for path in [*PROJECT.glob("*.md"), *DOCS.rglob("*.md")] if path != INDEX)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
ROOMS = {
    "tutorial": ("Begin here", "By hand, from nothing to an export."),
    "how-to": ("How to", "One task each."),
    "reference": ("Reference", "What there is, held against the code by tests."),
    "explanation": ("Explanation", "How it works, and why."),
    "decisions": ("Decisions", "What was decided, and what it costs."),
}
HEAD = """# Earshot: documentation

People and automatic judges evaluate speech systems on the same items, under the same protocol, blind. New here?
[First steps](tutorial/first-steps.md) take ten minutes.
"""


def title(page: Path) -> str:
    first = page.read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# "), f"{page} begins without a heading"
    return first[2:]


def index() -> str:
    parts = [HEAD]
    for room, (name, lead) in ROOMS.items():
        rows = [f"- [{title(page)}]({room}/{page.name})" for page in sorted((DOCS / room).glob("*.md"))]
        parts.append("\n".join([f"## {name}", "", lead, "", *rows, ""]))
    return "\n".join(parts)


def anchors(page: Path) -> set[str]:
    """The names under which a page's headings are linked to, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> Iterator[str]:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue  # elsewhere, which is not asked here
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            yield link


def test_index_has_every_page() -> None:
    told = "run `python -m tests.config.test_docs` and commit docs/index.md"

    assert INDEX.read_text(encoding="utf-8") == index(), told
    assert {page.parent.name for page in PAGES if DOCS in page.parents} == set(ROOMS)


@pytest.mark.parametrize("page", [str(page.relative_to(PROJECT)) for page in [*PAGES, INDEX]])
def test_no_link_is_dead(page: str) -> None:
    assert list(dead_links(PROJECT / page)) == []


def test_dead_links_are_seen(tmp_path: Path) -> None:
    (tmp_path / "there.md").write_text("# There\n\n## A “quoted” one\n")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](there.md) [b](there.md#a-quoted-one) [c](there.md#nowhere) [d](gone.md) [e](https://x.example/gone)\n"
        "[f](#nothing)\n\n```\n[g](in-code.md)\n```\n"
    )

    assert list(dead_links(page)) == ["there.md#nowhere", "gone.md", "#nothing"]


if __name__ == "__main__":
    INDEX.write_text(index(), encoding="utf-8")
