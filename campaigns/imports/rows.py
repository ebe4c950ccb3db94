"""Manifest files as rows: CSV with a header, JSON Lines, one JSON array of objects, or Parquet.

The columns of a CSV are parted by commas, semicolons or tabs, as its header has them.

Line ends become those of Unix, except in a table of answers, whose texts come out as they went in.

Rows are counted from 1, a header not among them; or, where lines are asked for, by the line of the file on which they
begin, as editors count them. JSON Lines are always counted so; a JSON array and Parquet have no lines of their own.
"""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from campaigns.imports.parquet import MOST_ROWS, stream_parquet
from campaigns.tidy.delimiters import delimiter_of
from campaigns.tidy.rows import is_table_of_answers

Row = dict[str, Any]

MAX_MANIFEST_BYTES = 100 * 1024**2
#: A table that is read row by row may be larger.
MAX_TABLE_BYTES, MAX_TABLE_ROWS = 2 * 1024**3, 20_000_000
MAX_DEPTH = 20
#: Where a file's kind and columns are looked for.
HEAD_BYTES = 100_000
NO_TEXT = "The manifest holds no text table; give CSV, JSON or JSON Lines."
NO_HEADER = "The first line is no CSV header: column names with commas, semicolons or tabs between them."
#: How a file of Parquet begins.
PARQUET = b"PAR1"


class UnreadableManifest(ValueError):
    """A manifest that is not a table. The message says where and why."""


def read_rows(path: Path, *, by_line: bool = False) -> list[tuple[int, Row]]:
    """(row number, row). Raises UnreadableManifest."""
    return rows_of(_read(path), by_line=by_line)


def place_in(path: Path) -> Literal["line", "row"]:
    """What the number of a row counts in this file, where lines are asked for."""
    head = first_bytes(path)
    begin = head.decode("utf-8-sig", errors="replace").lstrip()[:1]
    return "row" if head.startswith(PARQUET) or begin == "[" else "line"


def rows_of(data: bytes, *, by_line: bool = False) -> list[tuple[int, Row]]:
    """The rows of a file's content. Raises UnreadableManifest."""
    if data.startswith(PARQUET):
        return _parquet(data)
    text = _text(data)
    first = text.lstrip()[:1]
    if first == "[":
        rows = list(_few(enumerate(_array(_unix_lines(text)), start=1)))
    elif first == "{":
        # str.splitlines would also split at U+0085, U+2028 and U+2029, which may stand inside a JSON string.
        rows = list(_few(_lines(_unix_lines(text).split("\n"))))
    else:
        rows = list(_few(_csv(io.StringIO(text, newline=""), by_line=by_line)))
    if not rows:
        raise UnreadableManifest("The manifest holds no rows.")
    return rows


def stream_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The same, one after the other, so that the file may be larger than what is to be in memory.

    A JSON array is read whole all the same. Raises UnreadableManifest, when it comes to what cannot be read.
    """
    if (size := path.stat().st_size) > MAX_TABLE_BYTES:
        raise UnreadableManifest(f"The table has {size / 1024**3:.1f} GB; at most 2 GB are read.")
    head = first_bytes(path)
    if head.startswith(PARQUET):
        with path.open("rb") as file:
            yield from _keepable(stream_parquet(file, most_rows=MAX_TABLE_ROWS, most_bytes=2 * MAX_TABLE_BYTES))
        return
    begin = head.decode("utf-8-sig", errors="replace").lstrip()[:1]
    if begin in ("", "["):
        yield from read_rows(path)
        return
    read, newline = (_lines, None) if begin == "{" else (_csv, "")
    try:
        with path.open(encoding="utf-8-sig", newline=newline) as text:
            yield from read(_without_nul(text))
    except UnicodeDecodeError as error:
        raise UnreadableManifest("The table is not UTF-8 text. Save it as UTF-8.") from error


def first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def _without_nul(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise UnreadableManifest(NO_TEXT)
        yield line


def _few(rows: Iterator[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """The rows, as long as they are not more than fit into memory."""
    for n, row in enumerate(rows, start=1):
        if n > MOST_ROWS:
            raise UnreadableManifest(f"The manifest holds more than {MOST_ROWS:,} rows; split it.")
        yield row


def _parquet(data: bytes) -> list[tuple[int, Row]]:
    rows = list(_keepable(stream_parquet(io.BytesIO(data))))
    if not rows:
        raise UnreadableManifest("The manifest holds no rows.")
    return rows


def _keepable(rows: Iterator[Row]) -> Iterator[tuple[int, Row]]:
    try:
        for number, row in enumerate(rows, start=1):
            _refuse_unkeepable(row, MAX_DEPTH)
            yield number, row
    except ValueError as error:
        raise UnreadableManifest(f"The manifest is not Parquet that can be read: {error}.") from error


def _read(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_MANIFEST_BYTES:
        raise UnreadableManifest(f"The manifest has {size / 1024**2:.0f} MB; at most 100 MB are read.")
    return path.read_bytes()  # read_text would change line ends inside of cells


def _text(data: bytes) -> str:
    if not data:
        raise UnreadableManifest("The manifest is empty (0 bytes).")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableManifest(f"The manifest is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
    if "\0" in text or not text.strip():
        raise UnreadableManifest(NO_TEXT)
    return text


def _array(text: str) -> list[Row]:
    try:
        rows = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableManifest(f"The manifest is not valid JSON: {error}.") from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise UnreadableManifest(f"Entry {number} of the JSON array is not an object.")
    return list(rows)


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _parsed(line)
        except (ValueError, RecursionError) as error:
            raise UnreadableManifest(f"Line {number} is not a JSON object: {error}.") from error
        if not isinstance(row, dict):
            raise UnreadableManifest(f"Line {number} is JSON, but not an object.")
        yield number, row


def _parsed(text: str) -> Any:
    value = json.loads(text, object_pairs_hook=_object)
    _refuse_unkeepable(value, MAX_DEPTH)
    return value


def _object(pairs: list[tuple[str, Any]]) -> Row:
    """Raises ValueError where a name stands twice: JSON would keep the last, and say nothing."""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise ValueError(f"the name {name} stands more than once in one object")
    return found


def _refuse_unkeepable(value: object, depth: int) -> None:
    """Raise ValueError over what JSON can say, or Python reads as JSON, but no database keeps."""
    if depth < 0:
        raise ValueError(f"it is nested more than {MAX_DEPTH} deep")
    if isinstance(value, str) and "\0" in value:
        raise ValueError("it holds a NUL character")
    if isinstance(value, str) and not value.isascii():
        value.encode()  # fails over half a surrogate pair
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not a number")
    if isinstance(value, dict | list):
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value
        for part in parts:
            _refuse_unkeepable(part, depth - 1)


def _csv(text: Iterable[str], *, by_line: bool = False) -> Iterator[tuple[int, Row]]:
    text = iter(text)
    first = next(text, "")
    lines = csv.reader(chain([first], text), delimiter=delimiter_of(first), strict=True)
    try:
        header = _header(next(lines))
        kept = str if is_table_of_answers(header) else _unix_lines
        rows, begin = 0, lines.line_num + 1
        for cells in lines:
            line, begin = begin, lines.line_num + 1
            if not cells:
                continue
            rows += 1
            number = line if by_line else rows
            if len(cells) != len(header):
                place = "Line" if by_line else "Row"
                message = f"{place} {number} has {len(cells)} cells and the header has {len(header)} columns."
                raise UnreadableManifest(message)
            yield number, {name: kept(cell) for name, cell in zip(header, cells, strict=True) if name}
    except csv.Error as error:
        raise UnreadableManifest(f"Line {lines.line_num} is not valid CSV: {error}.") from error


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _header(cells: list[str]) -> list[str]:
    header = [name.strip() for name in cells]
    if len(header) < 2:
        raise UnreadableManifest(NO_HEADER)
    for name, n in Counter(header).items():
        if name and n > 1:
            raise UnreadableManifest(f"The header names the column {name} more than once.")
    return header
