"""Parquet as rows of plain data. A few kilobytes can stand for terabytes, so what comes out is measured first."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from datetime import date, time
from decimal import Decimal
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from corpus.imports import reasons
from infrastructure.wording.reasons import TEXT, Reasoned

MOST_ROWS = 1_000_000
MAX_COLUMNS = 1000
#: More cells than so many a row are too many, taken together.
CELLS_A_ROW = 20
MAX_UNPACKED_BYTES = 500 * 1024**2
ROWS_AT_ONCE = 2_000
#: What pyarrow and its values raise over damaged files, and over moments and time zones that do not exist.
DAMAGE = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError)


class UnusableColumns(Reasoned, Exception):
    """There are too many columns, or two of one name."""


class NotPlain(TypeError):
    """A value of this type is no plain data."""


class UnreadableParquet(Reasoned, ValueError):
    """It cannot be read, or is too much; the message goes on from “… is not Parquet that can be read: ”."""


def stream_parquet(
    file: IO[bytes],
    *,
    most_rows: int = MOST_ROWS,
    most_bytes: int = MAX_UNPACKED_BYTES,
    without: Collection[str] = (),
) -> Iterator[dict[str, Any]]:
    """Its rows, one after the other, but for the columns `without` which they are read; classes by their names.

    What `unread_columns` names is left out, too.
    Raises UnusableColumns, and UnreadableParquet when it comes to what cannot be read.
    """
    try:
        with pq.ParquetFile(file) as opened:
            classes = class_names(opened.schema_arrow)
            without = {*without, *unread_columns(opened.schema_arrow)}
        for batch in _batches(file, most_rows, most_bytes, without):
            others = [name for name, kind in zip(batch.schema.names, batch.schema.types, strict=True)
                      if not _is_plain(kind)]  # fmt: skip
            for row in batch.to_pylist():
                row.update(plain_row({name: row[name] for name in others}))
                yield with_class_names(row, classes)
    except UnreadableParquet:
        raise
    except DAMAGE as error:
        raise UnreadableParquet(TEXT(text=str(error)[:500])) from error


def class_names(schema: pa.Schema) -> dict[str, list[str]]:
    """The names of the classes by column, where Hugging Face's `datasets` wrote numbers for them (ClassLabel)."""
    try:
        features = json.loads((schema.metadata or {})[b"huggingface"])["info"]["features"]
        return {
            column: [str(name) for name in feature["names"]]
            for column, feature in features.items()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and feature.get("names")
        }
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):  # written by another program
        return {}


def unread_columns(schema: pa.Schema) -> dict[str, str]:
    """The columns that hold what is no plain data, such as durations and bytes, with the name of its type.

    >>> unread_columns(pa.schema({"item": pa.string(), "took": pa.duration("s"), "raw": pa.list_(pa.binary())}))
    {'took': 'duration[s]', 'raw': 'list<item: binary>'}
    """
    return {it.name: str(it.type) for it in schema if _holds_no_plain_data(it.type)}


def _holds_no_plain_data(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return _holds_no_plain_data(kind.value_type)
    if types.is_nested(kind):
        return any(_holds_no_plain_data(kind.field(n).type) for n in range(kind.num_fields))
    return bool(types.is_duration(kind) or types.is_interval(kind) or types.is_binary(kind)
                or types.is_large_binary(kind) or types.is_binary_view(kind)
                or (types.is_fixed_size_binary(kind) and not types.is_decimal(kind)))  # fmt: skip


def with_class_names(row: dict[str, Any], classes: dict[str, list[str]]) -> dict[str, Any]:
    """The row with the names of its classes; -1, which is no class, is nothing. Other numbers stay as they are.

    >>> with_class_names({"preference": 1, "n": 1}, {"preference": ["A", "B"]})
    {'preference': 'B', 'n': 1}
    """
    for column, names in classes.items():
        number = row.get(column)
        if isinstance(number, int) and not isinstance(number, bool) and -1 <= number < len(names):
            row[column] = names[number] if number >= 0 else None
    return row


def _batches(file: IO[bytes], most_rows: int, most_bytes: int, without: Collection[str]) -> Iterator[pa.RecordBatch]:
    with pq.ParquetFile(file) as opened:
        names = [name for name in opened.schema_arrow.names if name not in without]
        _check_columns(names)
        texts = _measured(opened.metadata, most_rows, most_bytes, without)
    unpacked = 0
    file.seek(0)
    # Texts stay as they are packed, each once, until their sizes are added up.
    # All of it in this thread: what fails in one of pyarrow's own, over a damaged file, may end the process.
    with pq.ParquetFile(file, read_dictionary=texts, pre_buffer=False) as opened:
        # By groups of rows: within lists pyarrow reads no batch with the dictionaries of two of them.
        for group in range(opened.num_row_groups):
            for batch in opened.iter_batches(ROWS_AT_ONCE, row_groups=[group], columns=names, use_threads=False):
                unpacked += sum(map(_unpacked_bytes, batch.columns))
                if unpacked > most_bytes:
                    raise UnreadableParquet(reasons.PARQUET_TOO_LARGE(megabytes=most_bytes // 1024**2))
                yield batch


def _check_columns(names: list[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise UnusableColumns(reasons.TOO_MANY_COLUMNS(n=len(names), most=MAX_COLUMNS))
    if twice := next((name for name, n in Counter(names).items() if n > 1), None):
        raise UnusableColumns(reasons.COLUMN_TWICE(column=twice))


def _measured(about: pq.FileMetaData, most_rows: int, most_bytes: int, without: Collection[str]) -> list[str]:
    """The columns that hold texts, if the file does not say itself that it is too much."""
    every = (about.row_group(n).column(m) for n in range(about.num_row_groups) for m in range(about.num_columns))
    columns = [column for column in every if column.path_in_schema.partition(".")[0] not in without]
    most_cells = most_rows * CELLS_A_ROW
    if about.num_rows > most_rows or sum(column.num_values for column in columns) > most_cells:
        raise UnreadableParquet(reasons.PARQUET_TOO_LONG(rows=f"{most_rows:,}", cells=f"{most_cells:,}"))
    if sum(column.total_uncompressed_size for column in columns) > most_bytes:
        raise UnreadableParquet(reasons.PARQUET_TOO_LARGE(megabytes=most_bytes // 1024**2))
    return sorted({column.path_in_schema for column in columns if column.physical_type == "BYTE_ARRAY"})


def _unpacked_bytes(column: pa.Array) -> int:
    kind = column.type
    if pa.types.is_dictionary(kind):
        sizes = pc.binary_length(column.dictionary).cast(pa.int64())
        return pc.sum(sizes.take(column.indices)).as_py() or 0
    if pa.types.is_map(kind):
        return _unpacked_bytes(column.keys) + _unpacked_bytes(column.items)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return _unpacked_bytes(column.flatten())
    if pa.types.is_struct(kind):
        return sum(map(_unpacked_bytes, column.flatten()))
    return int(column.nbytes)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether its values are plain data as pyarrow makes them."""
    types = pa.types
    if types.is_dictionary(kind):
        return _is_plain(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return _is_plain(kind.value_type)
    if types.is_struct(kind):
        return all(_is_plain(part.type) for part in kind)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_integer(kind)
                or types.is_boolean(kind))  # fmt: skip


def plain_row(row: dict[str, Any]) -> dict[str, Any]:
    """The cells as plain data. Raises UnreadableParquet over what is none."""
    plain = {}
    for name, value in row.items():
        try:
            plain[name] = _plain(value)
        except NotPlain as fault:
            raise UnreadableParquet(reasons.HOLDS_KIND(column=name, kind=str(fault))) from fault
    return plain


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return None if value != value else value  # noqa: PLR0124 - NaN is what is not itself
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    raise NotPlain(type(value).__name__)
