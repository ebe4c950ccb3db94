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
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq

from corpus.imports import reasons
from corpus.imports.files.encodings import GZIP, PARQUET, UTF_8, first_bytes
from corpus.imports.files.parquet import (
    DAMAGE,
    MAX_COLUMNS,
    MOST_ROWS,
    UnusableColumns,
    stream_parquet,
    unread_columns,
)
from corpus.tidy.rows import is_table_of_answers
from infrastructure.files.csv_files import delimiter_of
from infrastructure.wording.reasons import Reasoned, reason_of

Row = dict[str, Any]

MAX_MANIFEST_BYTES = 100 * 1024**2
#: A table that is read row by row may be larger.
MAX_TABLE_BYTES, MAX_TABLE_ROWS = 2 * 1024**3, 20_000_000
MAX_DEPTH = 20
#: The last columns of Mechanical Turk's results, whose cells it leaves off: requesters fill them in.
TO_FILL_IN = ["Approve", "Reject"]


class Unkept(Reasoned, ValueError):
    """What JSON can say, and no database keeps."""


class UnreadableManifest(Reasoned, ValueError):
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
    _refuse_packed(data)
    text = _text(data)
    first = text.lstrip()[:1]
    if first == "[":
        rows = list(_few(_objects(enumerate(_array(_unix_lines(text)), start=1))))
    elif first == "{":
        # str.splitlines would also split at U+0085, U+2028 and U+2029, which may stand inside a JSON string.
        rows = list(_few(_objects(_lines(_unix_lines(text).split("\n")))))
    else:
        rows = list(_few(_csv(io.StringIO(text, newline=""), by_line=by_line)))
    if not rows:
        raise UnreadableManifest(reasons.NO_ROWS())
    return rows


def stream_rows(
    path: Path, *, by_line: bool = False, encoding: str = UTF_8, without: Collection[str] = ()
) -> Iterator[tuple[int, Row]]:
    """The same, one after the other, so that the file may be larger than what is to be in memory.

    A JSON array is read whole all the same. Of Parquet the columns `without` which it is read cost nothing; elsewhere
    they come all the same. Raises UnreadableManifest, when it comes to what cannot be read.
    """
    if (size := path.stat().st_size) > MAX_TABLE_BYTES:
        raise UnreadableManifest(reasons.TABLE_TOO_LARGE(gigabytes=f"{size / 1024**3:.1f}"))
    head = first_bytes(path)
    if head.startswith(PARQUET):
        with path.open("rb") as file:
            yield from _keepable(
                stream_parquet(file, most_rows=MAX_TABLE_ROWS, most_bytes=2 * MAX_TABLE_BYTES, without=without)
            )
        return
    _refuse_packed(head)
    begin = head.decode(encoding, errors="replace").lstrip()[:1]
    if begin in ("", "["):
        yield from read_rows(path)
        return
    try:
        with path.open(encoding=encoding, newline=None if begin == "{" else "") as text:
            lines = _without_nul(text)
            yield from _objects(_lines(lines)) if begin == "{" else _csv(lines, by_line=by_line)
    except UnicodeDecodeError as error:
        raise UnreadableManifest(reasons.TABLE_NOT_UTF8()) from error


def unread_in(path: Path) -> dict[str, str]:
    """The columns of a Parquet file that are not read, with the names of their types."""
    if not first_bytes(path).startswith(PARQUET):
        return {}
    try:
        return unread_columns(pq.read_schema(path))
    except DAMAGE:  # which its reading says
        return {}


def _without_nul(lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        if "\0" in line:
            raise UnreadableManifest(reasons.NO_TABLE())
        yield line


def _few(rows: Iterator[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """The rows, as long as they are not more than fit into memory."""
    for n, row in enumerate(rows, start=1):
        if n > MOST_ROWS:
            raise UnreadableManifest(reasons.TOO_MANY_ROWS(most=f"{MOST_ROWS:,}"))
        yield row


def _parquet(data: bytes) -> list[tuple[int, Row]]:
    rows = list(_keepable(stream_parquet(io.BytesIO(data))))
    if not rows:
        raise UnreadableManifest(reasons.NO_ROWS())
    return rows


def _keepable(rows: Iterator[Row]) -> Iterator[tuple[int, Row]]:
    try:
        for number, row in enumerate(rows, start=1):
            _refuse_unkeepable(row, MAX_DEPTH)
            yield number, row
    except UnusableColumns as refusal:
        raise UnreadableManifest(reason_of(refusal)) from refusal
    except ValueError as error:
        raise UnreadableManifest(reasons.NO_PARQUET(why=reason_of(error))) from error


def _read(path: Path) -> bytes:
    size = path.stat().st_size
    if size > MAX_MANIFEST_BYTES:
        raise UnreadableManifest(reasons.MANIFEST_TOO_LARGE(megabytes=f"{size / 1024**2:.0f}"))
    return path.read_bytes()  # read_text would change line ends inside of cells


def _refuse_packed(data: bytes) -> None:
    if data.startswith(GZIP):
        raise UnreadableManifest(reasons.FILE_PACKED())


def _text(data: bytes) -> str:
    if not data:
        raise UnreadableManifest(reasons.MANIFEST_EMPTY())
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UnreadableManifest(reasons.MANIFEST_NOT_UTF8(byte=error.start)) from error
    if "\0" in text or not text.strip():
        raise UnreadableManifest(reasons.NO_TABLE())
    return text


def _array(text: str) -> list[Row]:
    try:
        rows = _parsed(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableManifest(reasons.NO_JSON(why=reason_of(error))) from error
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, dict):
            raise UnreadableManifest(reasons.ENTRY_NO_OBJECT(number=number))
    return list(rows)


def _lines(lines: Iterable[str]) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = _parsed(line)
        except (ValueError, RecursionError) as error:
            raise UnreadableManifest(reasons.LINE_NO_JSON(number=number, why=reason_of(error))) from error
        if not isinstance(row, dict):
            raise UnreadableManifest(reasons.LINE_NO_OBJECT(number=number))
        yield number, row


def _objects(rows: Iterator[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """The rows. Raises UnreadableManifest over too many columns, and where the only one holds columns."""
    columns: set[str] = set()
    first = next(rows, None)
    second = next(rows, None)
    if first and not second and _holds_columns(first[1]):
        raise UnreadableManifest(reasons.COLUMNS_FOR_ROWS())
    for numbered in chain((it for it in (first, second) if it), rows):
        columns.update(numbered[1])
        if len(columns) > MAX_COLUMNS:
            raise UnreadableManifest(reasons.TOO_MANY_COLUMNS(n=len(columns), most=MAX_COLUMNS))
        yield numbered


def _holds_columns(row: Row) -> bool:
    """Whether it is a whole table as pandas writes it by itself: by column, or as columns, index and data."""
    if row.keys() == {"columns", "index", "data"}:
        return True
    cells = list(row.values())
    if len(cells) < 2:
        return False
    if all(isinstance(cell, dict) for cell in cells):
        return all(cell and cell.keys() == cells[0].keys() for cell in cells)
    return all(isinstance(cell, list) for cell in cells) and len({len(cell) for cell in cells}) == 1


def _parsed(text: str) -> Any:
    value = json.loads(text, object_pairs_hook=_object)
    _refuse_unkeepable(value, MAX_DEPTH)
    return value


def _object(pairs: list[tuple[str, Any]]) -> Row:
    """Raises ValueError where a name stands twice: JSON would keep the last, and say nothing."""
    found = dict(pairs)
    if len(found) < len(pairs):
        name = next(name for name, n in Counter(name for name, _ in pairs).items() if n > 1)
        raise Unkept(reasons.NAME_TWICE(name=name))
    return found


def _refuse_unkeepable(value: object, depth: int) -> None:
    """Raise ValueError over what JSON can say, or Python reads as JSON, but no database keeps."""
    if depth < 0:
        raise Unkept(reasons.NESTED_TOO_DEEP(most=MAX_DEPTH))
    if isinstance(value, str):
        if "\0" in value:
            raise Unkept(reasons.HOLDS_NUL())
        if not value.isascii():
            value.encode()  # fails over half a surrogate pair
    elif isinstance(value, dict):
        for name, part in value.items():
            _refuse_unkeepable(name, depth - 1)
            if part is not None:
                _refuse_unkeepable(part, depth - 1)
    elif isinstance(value, list):
        for part in value:
            _refuse_unkeepable(part, depth - 1)
    elif isinstance(value, float) and not math.isfinite(value):
        raise Unkept(reasons.NOT_A_NUMBER(value=value))


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
            if header[len(cells) :] == TO_FILL_IN:
                cells += ["", ""]
            if len(cells) != len(header):
                why = reasons.CELLS_OF_LINE if by_line else reasons.CELLS_OF_ROW
                raise UnreadableManifest(why(number=number, n=len(cells), columns=len(header)))
            yield number, {name: kept(cell) for name, cell in zip(header, cells, strict=True) if name}
    except csv.Error as error:
        raise UnreadableManifest(reasons.LINE_NO_CSV(number=lines.line_num, why=reason_of(error))) from error


def _unix_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _header(cells: list[str]) -> list[str]:
    header = [name.strip() for name in cells]
    if len(header) > MAX_COLUMNS:
        raise UnreadableManifest(reasons.TOO_MANY_COLUMNS(n=len(header), most=MAX_COLUMNS))
    if sum(map(bool, header)) < 2:
        raise UnreadableManifest(reasons.NO_HEADER())
    for name, n in Counter(header).items():
        if name and n > 1:
            raise UnreadableManifest(reasons.COLUMN_TWICE(column=name))
    return header
