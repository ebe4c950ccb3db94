"""Ids and other whole numbers from outside are read by one function, which no length of digits breaks."""

import ast
from collections.abc import Iterator
from pathlib import Path

from infrastructure.whole_numbers import LARGEST_ID, whole_number
from tests.cases import each

APPS = (
    "accounts analytics annotation arena campaigns charts config corpus "
    "infrastructure judges measurements protocols stats"
)
ROOT = Path(__file__).parents[2]


@each(
    "text, number",
    [
        ("0", 0),
        ("007", 7),
        (str(LARGEST_ID), LARGEST_ID),
        (str(LARGEST_ID + 1), None),
        ("9" * 6000, None),
        ("", None),
        (" 1", None),
        ("-1", None),
        ("1.0", None),
        ("²", None),
        ("١", None),
    ],
)
def test_only_plain_digits_up_to_the_largest_id_are_a_number(text: str, number: int | None) -> None:
    assert whole_number(text) == number


def test_number_beyond_its_limits_is_none() -> None:
    assert [whole_number(it, least=1, most=3) for it in "01234"] == [None, 1, 2, 3, None]


def own_readers() -> Iterator[str]:
    """Functions that look at digits and make a number or an id of them on their own."""
    for app in APPS.split():
        for path in (ROOT / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef) and _asks_for_digits(node) and _takes_as_number(node):
                    yield f"{path.relative_to(ROOT)}: {node.name}"


def _asks_for_digits(node: ast.AST) -> bool:
    return any(isinstance(it, ast.Attribute) and it.attr in {"isdecimal", "isdigit"} for it in ast.walk(node))


def _takes_as_number(node: ast.AST) -> bool:
    calls = [it for it in ast.walk(node) if isinstance(it, ast.Call)]
    ints = [it for it in calls if isinstance(it.func, ast.Name) and it.func.id == "int"]
    return bool(ints) or any(keyword.arg == "pk" for it in calls for keyword in it.keywords)


def test_no_other_function_reads_numbers_from_digits() -> None:
    of_places = "protocols/kinds/frames.py: stored_value"  # pure, and compares what was sent with places first

    assert set(own_readers()) == {"infrastructure/whole_numbers.py: whole_number", of_places}
