"""docs/reference/statistics.md against the package: what it names is there, and what is there is named."""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import stats
from tests.cases import each

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "statistics.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"`([a-z_]+[.][A-Za-z0-9_]+)(?:[(][)])?`", PAGE))
#: By their own names, which the page uses.
MODULES = {
    it.name.rpartition(".")[2]: it.name for it in pkgutil.walk_packages(stats.__path__, "stats.") if not it.ispkg
}


@each("name", sorted(NAMED - {"coincidences.py"}))
def test_what_the_page_names_is_there(name):
    module, thing = name.split(".")
    assert hasattr(importlib.import_module(MODULES[module]), thing)


@each("module", sorted(MODULES))
def test_every_statistic_stands_on_the_page(module):
    found = importlib.import_module(MODULES[module])
    functions = {
        f"{module}.{name}"
        for name, thing in vars(found).items()
        if inspect.isfunction(thing) and thing.__module__ == found.__name__ and not name.startswith("_")
    }
    assert functions - NAMED == set()
