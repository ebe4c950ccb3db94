"""Writing JSON Lines."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

CONTENT_TYPE = "application/jsonl; charset=utf-8"


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """One object per line; return how many there were."""
    n = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        for row in rows:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            n += 1
    return n
