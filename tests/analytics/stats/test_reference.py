"""docs/reference/statistics.md against the package: what it names is there, and what is there is named."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import analytics.stats

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "statistics.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([a-z_]+[.][A-Za-z0-9_]+)(?:[(][)])?`", PAGE))
#: `compiled` needs numba, which is optional, and repeats `elo`.
MODULES = sorted(it.name for it in pkgutil.iter_modules(analytics.stats.__path__) if it.name != "compiled")


@pytest.mark.parametrize("name", sorted(NAMED - {"coincidences.py"}))
def test_what_the_page_names_is_there(name):
    module, thing = name.split(".")
    assert hasattr(importlib.import_module(f"analytics.stats.{module}"), thing)


@pytest.mark.parametrize("module", MODULES)
def test_every_statistic_stands_on_the_page(module):
    found = importlib.import_module(f"analytics.stats.{module}")
    functions = {
        f"{module}.{name}"
        for name, thing in vars(found).items()
        if inspect.isfunction(thing) and thing.__module__ == found.__name__ and not name.startswith("_")
    }
    assert functions - NAMED == set()
