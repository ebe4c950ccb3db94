"""Manifest files as rows: CSV with a header, JSON Lines, or one JSON array of objects."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]

MAX_MANIFEST_BYTES = 100 * 1024**2


class UnreadableManifest(ValueError):
    """A manifest that is not a table. The message says where and why."""


def read_rows(path: Path) -> list[tuple[int, Row]]:
    """(row number, row), counted from 1 without the CSV header. Raises UnreadableManifest."""
    text = _text(path)
    first = text.lstrip()[:1]
    if first == "[":
        return list(enumerate(_array(text), start=1))
    if first == "{":
        return list(_lines(text))
    return list(_csv(text))


def _text(path: Path) -> str:
    size = path.stat().st_size
    if size == 0:
        raise UnreadableManifest("The manifest is empty (0 bytes).")
    if size > MAX_MANIFEST_BYTES:
        raise UnreadableManifest(f"The manifest has {size / 1024**2:.0f} MB; at most 100 MB are read.")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableManifest(f"The manifest is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    if "\0" in text or not text.strip():
        raise UnreadableManifest("The manifest holds no text table; give CSV, JSON or JSON Lines.")
    return text


def _array(text: str) -> list[Row]:
    try:
        rows = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UnreadableManifest(f"The manifest is not valid JSON: {error}.") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise UnreadableManifest(f"Entry {number} of the JSON array is not an object.")
    return list(rows)


def _lines(text: str) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise UnreadableManifest(f"Line {number} is not a JSON object: {error}.") from error
        if not isinstance(row, dict):
            raise UnreadableManifest(f"Line {number} is JSON, but not an object.")
        yield number, row


def _csv(text: str) -> Iterator[tuple[int, Row]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, restkey="")
    try:
        if not reader.fieldnames or len(reader.fieldnames) < 2:
            raise UnreadableManifest("The first line is not a CSV header with commas between column names.")
        for number, row in enumerate(reader, start=1):
            if "" in row:
                raise UnreadableManifest(f"Row {number} has more cells than the header has columns.")
            yield number, {name.strip(): value for name, value in row.items()}
    except csv.Error as error:
        raise UnreadableManifest(f"Line {reader.line_num} is not valid CSV: {error}.") from error
