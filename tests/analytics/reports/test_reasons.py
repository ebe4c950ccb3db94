"""Whatever statistics and reports give as a reason can be said in another language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils.translation import override

from analytics.reports.output.reasons import REASONS, reason_phrase
from analytics.reports.output.wording import reason
from analytics.stats.results import Estimate
from infrastructure.phrases import Phrase

ANALYTICS = Path(__file__).parents[3] / "analytics"
SOURCES = [
    *ANALYTICS.glob("stats/**/*.py"),
    *ANALYTICS.glob("reports/**/*.py"),
    ANALYTICS / "judged" / "comparison.py",
]
#: Of ratings and their context, which arena.board.wording says on boards.
OF_BOARDS = {"contextual.py", "davidson.py", "table.py", "acceptability.py"}
HOLE = "…"


def texts(node: ast.expr) -> Iterator[str | ast.Name]:
    """Every text that an expression may be, with holes where something is filled in, and the names it stands for."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=parts):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else HOLE for part in parts)
        case ast.IfExp(body=one, orelse=other):
            yield from (*texts(one), *texts(other))
        case ast.Name():
            yield node


def reasons_in(source: str) -> set[str]:
    """What is given as `reason=` or counted as left out, also by way of a variable."""
    tree = ast.parse(source)
    found: list[str | ast.Name] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "reason":
            found += texts(node.value)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "left_out":
            found += [text for it in node.args if isinstance(it, ast.Tuple) for text in texts(it.elts[1])]
    names = {it.id for it in found if isinstance(it, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(it, ast.Name) and it.id in names for it in node.targets):
            found += texts(node.value)
    return {it for it in found if isinstance(it, str) and it}


def is_known(reason: str) -> bool:
    pattern = re.compile(re.escape(reason).replace(HOLE, ".+"))
    return any(pattern.fullmatch(str(known)) for known in REASONS)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_every_reason_is_known(path: Path) -> None:
    if path.name not in OF_BOARDS:
        assert {it for it in reasons_in(path.read_text(encoding="utf-8")) if not is_known(it)} == set()


def test_reasons_are_found_wherever_they_stand() -> None:
    source = 'WHY = "by name"\nf(reason=WHY)\ng(reason=f"{n} of them")\nleft_out((1, "counted"))\nh(method="no")'
    assert reasons_in(source) == {"by name", f"{HOLE} of them", "counted"}


def test_numbers_are_said_in_the_language_of_the_page() -> None:
    found = Estimate(None, n=2, method="ρ", reason="fewer than 3 pairs of scores")
    with override("de"):
        assert reason(found) == "weniger als 3 Paare von Werten"
        assert reason(Estimate(None, 0, "κ", reason="no reference label")) == "kein Label als Maßstab"


def test_reason_with_numbers_keeps_them_and_an_unknown_one_stays() -> None:
    found = reason_phrase("the judge's verdicts narrow the interval by too little: it saves 4.2% of the labels")
    assert isinstance(found, Phrase)
    assert found.parts == {"saved": "4.2%"}
    assert reason_phrase("somebody lost it") == "somebody lost it"
