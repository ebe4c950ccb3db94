"""The beginning of a file, by which its tool is recognised: the columns of its first row, and their values."""

import json
import re
import zipfile
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.imports.files.audio_files import ZIP_DAMAGE
from corpus.imports.files.encodings import PARQUET, UTF_8, UTF_16, UTF_16_MARKS
from corpus.imports.files.parquet_audio import sound_columns
from corpus.imports.files.rows import Row
from infrastructure.files.csv_files import delimiter_of, split_header

#: So much of a file is read for its first row; a conversation with pictures is longer than a table's row.
MOST_BYTES = 4 * 1024**2
ZIP = b"PK\x03\x04"


@dataclass(frozen=True)
class Head:
    """`kind` is csv, json, lines, parquet, zip or empty for what is none of these.

    `row` is the first object of JSON; a CSV and Parquet tell their columns alone. `names` are the files of a ZIP.
    `text` is the beginning of what is neither JSON with an object nor Parquet. `sounds` are the columns of Parquet
    that hold sound.
    """

    kind: str
    columns: frozenset[str] = frozenset()
    row: Row = field(default_factory=dict)
    names: tuple[str, ...] = ()
    text: str = ""
    sounds: tuple[str, ...] = ()

    def has(self, *names: str) -> bool:
        return self.columns.issuperset(names)

    def has_any(self, names: Collection[str]) -> bool:
        return bool(self.columns & set(names))


def head_of(file: IO[bytes]) -> Head:
    """The head of the file, which is left at its beginning."""
    try:
        return _head(file)
    finally:
        file.seek(0)


def _head(file: IO[bytes]) -> Head:
    begin = file.read(len(PARQUET))
    if begin == PARQUET:
        return _head_of_parquet(file)
    if begin == ZIP:
        return Head("zip", names=tuple(_names(file)))
    file.seek(0)
    said = file.read(MOST_BYTES)
    text = said.decode(UTF_16 if said.startswith(UTF_16_MARKS) else UTF_8, errors="replace").lstrip()
    if text[:1] in ("[", "{"):
        row = _first_object(text.removeprefix("[").lstrip())
        is_array = text.startswith("[")
        return Head("json" if is_array else "lines", frozenset(row), row, text="" if row else text)
    first_line = re.split(r"\r|\n", text, maxsplit=1)[0]
    columns = frozenset(name.strip() for name in split_header(first_line, delimiter_of(first_line)))
    return Head("csv", columns, text=text)


def _head_of_parquet(file: IO[bytes]) -> Head:
    file.seek(0)
    try:
        schema = pq.read_schema(file)
    except (pa.ArrowException, OSError, ValueError, KeyError):
        return Head("parquet")
    return Head("parquet", frozenset(schema.names), sounds=tuple(sound_columns(schema)))


def _names(file: IO[bytes]) -> list[str]:
    try:
        with zipfile.ZipFile(file) as archive:
            return archive.namelist()
    except ZIP_DAMAGE:
        return []


def _first_object(text: str) -> dict[str, Any]:
    try:
        found, _end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):  # not JSON, or numbers of thousands of digits
        return {}
    return found if isinstance(found, dict) else {}
