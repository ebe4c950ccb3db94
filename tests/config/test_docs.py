"""docs/ as a whole: no link is dead, and the index has every page: `python -m tests.config.test_docs` writes it."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.cases import each
from tests.paths import PROJECT

DOCS = PROJECT / "docs"
INDEX = DOCS / "index.md"
PAGES = sorted(path for path in [*PROJECT.glob("*.md"), *DOCS.rglob("*.md")] if path != INDEX)
LINK = re.compile(r"(?<!`)\[[^\]]*\]\(([^)\s]+)\)")
SECTIONS = {
    "tutorial": ("Start here", "Ten minutes, from nothing to an export."),
    "how-to": ("How to", "One task each."),
    "reference": ("Reference", "What there is; tests compare these pages with the code."),
    "explanation": ("Explanation", "How it works, and why."),
}
DECISIONS = DOCS / "decisions" / "README.md"
#: A file or a folder of ours, or something in a module, as pages name them.
OURS = r"(?:accounts|analytics|annotation|arena|campaigns|config|corpus|infrastructure|judges|measurements|protocols)"
FILE = re.compile(rf"`((?:{OURS}|tests|static|templates|docker|deploy|benchmarks)/[\w./-]*)")
#: Files that a reader makes who follows a page.
NOT_HERE = {
    "docker/.env",
    "judges/kinds/shortest.py",
    "tests/judges/kinds/test_shortest.py",
    "stats/unanimity.py",
}
MODULE = re.compile(rf"`({OURS}(?:\.\w+)+)`")
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
    for folder, (name, lead) in SECTIONS.items():
        rows = [f"- [{title(page)}]({folder}/{page.name})" for page in sorted((DOCS / folder).glob("*.md"))]
        parts.append("\n".join([f"## {name}", "", lead, "", *rows, ""]))
    parts.append("## Decisions\n\n[What was decided, why, and what it costs](decisions/README.md), by topic.\n")
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


def missing_names(page: Path) -> Iterator[str]:
    """Files and modules that a page names and that are not there."""
    text = page.read_text(encoding="utf-8")
    for file in FILE.findall(text):
        if not (PROJECT / file).exists() and file not in NOT_HERE:
            yield file
    for name in MODULE.findall(text):
        if not _is_there(name.split(".")):
            yield name


def _is_there(parts: list[str]) -> bool:
    """Whether the dotted name leads to a module or package, or to a name that stands in one."""
    for end in range(len(parts), 0, -1):
        path = PROJECT.joinpath(*parts[:end])
        source = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if source.exists():
            rest = parts[end : end + 1]
            return not rest or re.search(rf"\b{rest[0]}\b", source.read_text(encoding="utf-8")) is not None
    return False


def test_index_has_every_page() -> None:
    message = "run `python -m tests.config.test_docs` and commit docs/index.md"

    assert INDEX.read_text(encoding="utf-8") == index(), message
    assert {page.parent.name for page in PAGES if DOCS in page.parents} == {*SECTIONS, "decisions"}


def test_decisions_are_numbered_once_and_indexed() -> None:
    pages = sorted(page for page in DECISIONS.parent.glob("*.md") if page != DECISIONS)
    rows = re.findall(r"^- \[(.+)\]\((\S+)\)$", DECISIONS.read_text(encoding="utf-8"), re.MULTILINE)

    assert sorted(rows, key=lambda row: row[1]) == [(title(page), page.name) for page in pages]
    assert all(title(page).startswith(f"{int(page.name[:4])}. ") for page in pages)
    assert len({page.name[:4] for page in pages}) == len(pages)


@each("page", [str(page.relative_to(PROJECT)) for page in [*PAGES, INDEX]])
def test_no_link_is_dead(page: str) -> None:
    assert list(dead_links(PROJECT / page)) == []


@each("page", [str(page.relative_to(PROJECT)) for page in PAGES if page.name != "CHANGELOG.md"])
def test_files_and_modules_are_there(page: str) -> None:
    assert list(missing_names(PROJECT / page)) == []


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
