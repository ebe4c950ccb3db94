"""The files in which answers come back, as rows of a table of answers: CSV, JSON Lines, Parquet, shapes of others.

Whatever the file, a row is text by column, as the CSV has it.
"""

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.imports.answers.shapes import Shape, shape_of
from corpus.imports.files.encodings import HEAD_BYTES, PARQUET, first_bytes
from corpus.imports.files.progress import rows_at_most
from corpus.imports.files.rows import Row, stream_rows
from corpus.tidy.rows import is_table_of_answers
from infrastructure.files.csv_files import delimiter_of, harmless, split_header
from infrastructure.wording.reasons import Reason


@dataclass(frozen=True)
class AnswersTable:
    """Rows of a table of answers as they are read; `at_most` is how many there can be, for who waits.

    `lost` says what the file has no place for; `whole` is False where it ends in the middle of a line.
    """

    rows: Iterator[tuple[int, Row]]
    at_most: int
    lost: Reason | None
    whole: bool


def begins_like_answers(file: IO[bytes]) -> bool:
    """Whether the file holds answers, in whatever shape, by its columns; it is left at its beginning."""
    columns = set(_columns(file))
    file.seek(0)
    return shape_of(columns) is not None or is_table_of_answers(columns)


def open_answers_table(path: Path) -> AnswersTable:
    """The rows are read when they are asked for, and raise UnreadableManifest then."""
    with path.open("rb") as file:
        columns = set(_columns(file))
    parquet = first_bytes(path).startswith(PARQUET)
    shape = shape_of(columns)
    return AnswersTable(
        _rows(path, shape, is_csv=not parquet and not _is_json(path)),
        at_most=rows_at_most(path),
        lost=shape.lost if shape else None,
        whole=parquet or ends_in_a_line(path),
    )


def ends_in_a_line(path: Path) -> bool:
    """Whether the last line has its end. A file that was cut off hardly ever has it."""
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() in (b"\n", b"\r")


def _rows(path: Path, shape: Shape | None, *, is_csv: bool) -> Iterator[tuple[int, Row]]:
    for number, row in stream_rows(path):
        if shape:
            yield number, {name: _cell(value) for name, value in shape.read(row).items()}
        else:
            yield number, row if is_csv else {name: _cell(value) for name, value in row.items()}


def _is_json(path: Path) -> bool:
    return first_bytes(path).decode("utf-8-sig", errors="replace").lstrip()[:1] in ("{", "[")


def _columns(file: IO[bytes]) -> Iterable[str]:
    if file.read(len(PARQUET)) == PARQUET:
        try:
            return list(pq.read_schema(file).names)
        except (pa.ArrowException, OSError, ValueError, KeyError):
            return []
    file.seek(0)
    head = file.read(HEAD_BYTES).decode("utf-8-sig", errors="replace")
    first_line = re.split(r"\r|\n", head.lstrip(), maxsplit=1)[0]
    if first_line.startswith("{"):
        try:
            return list(json.loads(first_line))
        except (ValueError, RecursionError):
            return []
    return [name.strip() for name in split_header(first_line, delimiter_of(first_line))]


def _cell(value: Any) -> str:
    """The value as the CSV has it, so that reading takes off again what is put before it here."""
    if value is None:
        return ""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return str(value)
