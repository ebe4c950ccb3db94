"""docs/reference/judges.md and features.md against the registries."""

import re

from judges.kinds import KINDS
from measurements.features.registry import extractors
from tests.paths import PROJECT


def page(name: str) -> str:
    return (PROJECT / "docs" / "reference" / name).read_text(encoding="utf-8")


def named(text: str, row: str) -> list[str]:
    """The names in what looks like `row`."""
    return [name for cell in re.findall(row, text, re.MULTILINE) for name in re.findall(r"`(\w+)`", cell)]


def first_table(name: str) -> list[str]:
    """The names in the first cells of the page's first table."""
    table = next(block for block in page(name).split("\n\n") if block.startswith("| "))
    return named(table, r"^\| (`.+?) \|")


def test_table_of_kinds_has_every_kind_once() -> None:
    assert sorted(first_table("judges.md")) == sorted(KINDS)


def test_every_kind_has_a_section_once() -> None:
    assert sorted(named(page("judges.md"), r"^### (`.+?):")) == sorted(KINDS)


def test_table_of_features_has_every_extractor_once() -> None:
    assert sorted(first_table("features.md")) == sorted(extractors())
