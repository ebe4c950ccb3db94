"""docs/reference/reports.md against the kinds of reports: their names, their figures, their options."""

import ast
import re

from analytics.reports.kinds import KINDS
from tests.paths import PROJECT

PAGE = (PROJECT / "docs" / "reference" / "reports.md").read_text(encoding="utf-8")
#: Columns of tables about figures and options; a name may have a part that depends on the campaign.
ROW = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \|", re.MULTILINE)


def strings_of_reports() -> set[str]:
    """Every string, and the beginning of every f-string, in the package of reports."""
    found = set()
    for path in (PROJECT / "analytics" / "reports").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_every_kind_has_its_section() -> None:
    assert sorted(re.findall(r"^## .+ \(`(\w+)`\)$", PAGE, re.MULTILINE)) == sorted(KINDS)


def test_figures_and_options_are_there() -> None:
    strings = strings_of_reports()
    named = {name for row in ROW.findall(PAGE) for name in re.findall(r"`([^`]+)`", row)}
    begins = {re.sub(r"(<\w+>|…)$", "", name) for name in named}

    assert sorted(name for name in begins if name not in strings) == []
