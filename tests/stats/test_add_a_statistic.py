"""docs/how-to/add-a-statistic.md is true: its module is a statistic."""

import doctest
import re
from types import ModuleType

import pytest

from stats.agreement.labels import label_table
from tests.paths import PROJECT

HOW_TO = PROJECT / "docs" / "how-to" / "add-a-statistic.md"


@pytest.fixture
def module() -> ModuleType:
    found = re.search(r"```python\n(.+?)```", HOW_TO.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    module = ModuleType("unanimity")
    exec(found.group(1), vars(module))  # noqa: S102 - our own page
    return module


def test_the_pages_example_is_true(module: ModuleType) -> None:
    told = doctest.testmod(module)

    assert (told.attempted, told.failed) == (2, 0)


def test_undefined_is_a_result(module: ModuleType) -> None:
    told = module.unanimity(label_table([["a", None], [None, "b"]]))

    assert (told.estimate, told.reason) == (None, "no unit has labels from two raters")
