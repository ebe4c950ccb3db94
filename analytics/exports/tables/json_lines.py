"""Writing JSON Lines so that a reader that looks at the first lines alone sees the type of every column."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

CONTENT_TYPE = "application/jsonl; charset=utf-8"
#: So many lines polars looks at, the fewest of those that infer types from the first ones.
LOOKED_AT = 100


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """One object per line; return how many there were.

    Where a column is null in all of the first lines, the first line that has a value comes to the front: polars takes
    a column for null otherwise, and fails at its first value.
    """
    n, typed, late = 0, set[str](), list[int]()
    with path.open("w", encoding="utf-8", newline="") as file:
        for row in rows:
            if new := {name for name, value in row.items() if value is not None} - typed:
                typed |= new
                if n >= LOOKED_AT:
                    late.append(n)
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            n += 1
    if late:
        _bring_forward(path, set(late))
    return n


def _bring_forward(path: Path, numbers: set[int]) -> None:
    """Have the lines of these numbers stand first. There is at most one for each column."""
    whole = path.with_name(f"{path.name}.whole")
    path.rename(whole)
    with path.open("w", encoding="utf-8", newline="") as file:
        for in_front in (True, False):
            with whole.open(encoding="utf-8", newline="\n") as lines:
                file.writelines(line for at, line in enumerate(lines) if (at in numbers) is in_front)
    whole.unlink()
