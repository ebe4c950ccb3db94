"""docs/reference/exports.md against the formats: names, files and columns."""

import inspect
import re

import pytest

from analytics.exports.formats import preferences
from analytics.exports.formats.registry import FORMATS
from analytics.exports.hub.columns import JUDGES, STANDINGS
from corpus.tidy.columns import Column
from corpus.tidy.rows import BATTLE_COLUMNS, JUDGE_COLUMNS
from tests.paths import PROJECT

PAGE = (PROJECT / "docs" / "reference" / "exports.md").read_text(encoding="utf-8")
CODE = re.compile(r"`(\w+)`")


def section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_formats_are_named_with_their_files() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| `…-([\w.-]+)` \|", PAGE, re.MULTILINE)

    assert rows == [(it.name, it.ending) for it in FORMATS.values()]


def test_columns_of_judges_are_described() -> None:
    text = section("Tables of answers: `csv`, `jsonl`, `parquet`")

    assert tuple(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) == JUDGE_COLUMNS


def test_columns_of_battles_are_named() -> None:
    values = {"model_b", "tie", "human", "status"}  # of `winner`, `rater` and `unread`

    assert set(CODE.findall(section("`battles`"))) - values == set(BATTLE_COLUMNS) - values


def test_columns_of_preferences_are_named() -> None:
    source = inspect.getsource(preferences)
    named = set(CODE.findall(section("`preferences`")))

    assert named == set(re.findall(r'"(\w+)":', source))


@pytest.mark.parametrize(
    ("table", "columns"),
    [("standings", STANDINGS), ("judges", JUDGES)],
    ids=["standings", "judges"],
)
def test_columns_of_the_hub_are_named(table: str, columns: tuple[Column, ...]) -> None:
    names = {it.name for it in columns}
    row = next(line for line in section("`hugging-face`").splitlines() if line.startswith(f"| `{table}` "))
    named = set(CODE.findall(row)) - {table} | {table} & names

    assert named == {name for name in names if not name.endswith(("_low", "_high"))}
