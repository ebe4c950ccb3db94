"""The figures of `truth/`, each of which knows its place there, so that what was compared can be told."""

import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

#: The parts of a file that have figures; the rest says where they come from.
SIDES = ("published", "reproduced")
HOLDS = "holds"


class ToldInt(int):
    path = ""


class ToldFloat(float):
    path = ""


class ToldStr(str):
    path = ""


class ToldList(list[Any]):
    path = ""


_TOLD: dict[type, type] = {bool: ToldInt, int: ToldInt, float: ToldFloat, str: ToldStr, list: ToldList}


def truth(shared_data: Path, name: str) -> dict[str, Any]:
    """A file of `truth/`."""
    told: dict[str, Any] = marked(json.loads((shared_data / "truth" / f"{name}.json").read_text("utf-8")), name)
    return told


def marked(value: Any, path: str) -> Any:
    """The same, where every figure knows its path. A list is one figure; of nothing there is none."""
    if isinstance(value, dict):
        return {key: marked(it, f"{path}/{key}") for key, it in value.items()}
    if value is None:
        return None
    told = _TOLD[type(value)](value)
    told.path = path
    return told


def paths(value: Any) -> Iterator[str]:
    """Of all figures in it, however deep."""
    if path := getattr(value, "path", ""):
        yield path
    elif isinstance(value, Mapping):
        for it in value.values():
            yield from paths(it)
    elif isinstance(value, list | tuple):
        for it in value:
            yield from paths(it)


def all_paths(folder: Path) -> list[str]:
    """Of every figure in every file."""
    names = sorted(path.stem for path in folder.glob("*.json") if path.stem != "index")
    told = {name: marked(json.loads((folder / f"{name}.json").read_text("utf-8")), name) for name in names}
    return [path for it in told.values() for side in SIDES for path in paths(it.get(side))]


def matching(wanted: list[str], among: list[str]) -> set[str]:
    return {path for path in among if any(fnmatchcase(path, pattern) for pattern in wanted)}


def promised(marks: Any, values: Mapping[str, Any]) -> list[str]:
    """What the marks `holds` of a test say, with its parameters filled in."""
    return [pattern.format(**values) for mark in marks if mark.name == HOLDS for pattern in mark.args]


def parameters(marks: Any) -> list[dict[str, Any]]:
    """Every set of values that a test is run with."""
    found: list[dict[str, Any]] = [{}]
    for mark in marks:
        if mark.name == pytest.mark.parametrize.name:
            names = [name.strip() for name in mark.args[0].split(",")]
            rows = [dict(zip(names, it if len(names) > 1 else [it], strict=True)) for it in mark.args[1]]
            found = [one | row for one in found for row in rows]
    return found
