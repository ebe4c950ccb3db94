"""JSON Lines of evaluation programs: Python writes NaN and Infinity there, which are no numbers and no JSON.

Some lines are no JSON at all, but dictionaries as Python prints them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.imports.files.rows import MAX_TABLE_BYTES, Row, UnreadableManifest
from corpus.imports.reasons import LINE_NO_JSON, LINE_NO_OBJECT, NO_ROWS, TABLE_TOO_LARGE
from corpus.imports.tools.formats.metric_scores.python_dicts import python_dict
from infrastructure.wording.reasons import reason_of

LONGEST_NAME = 200


def loose_lines(path: Path) -> Iterator[tuple[int, Row]]:
    """The objects by line; what is no number is None. Raises UnreadableManifest, when it comes to what is no JSON."""
    if (size := path.stat().st_size) > MAX_TABLE_BYTES:
        raise UnreadableManifest(TABLE_TOO_LARGE(gigabytes=f"{size / 1024**3:.1f}"))
    n = 0
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            n += 1
            yield number, _object(number, line)
    if not n:
        raise UnreadableManifest(NO_ROWS())


def _object(number: int, line: str) -> Row:
    if line.lstrip().startswith("{'") and (said := python_dict(line)) is not None:
        return said
    try:
        found = json.loads(line.replace("\\u0000", ""), parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise UnreadableManifest(LINE_NO_JSON(number=number, why=reason_of(error))) from error
    if not isinstance(found, dict):
        raise UnreadableManifest(LINE_NO_OBJECT(number=number))
    return found


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
