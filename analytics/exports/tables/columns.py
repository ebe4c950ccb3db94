"""The schema of exported tables: its version, and columns with their types and descriptions in Parquet."""

import json
from collections.abc import Iterable, Mapping

import pyarrow as pa

from corpus.tidy.columns import Column

#: Of all exports together. Rises when a column of any of them comes, goes, or changes its type or its meaning;
#: docs/reference/exports.md says what changed with each.
SCHEMA_VERSION = "1"
_TYPES = {
    "text": pa.string(), "json": pa.string(), "truth": pa.bool_(), "whole": pa.int64(), "number": pa.float64(),
    "time": pa.timestamp("us", tz="UTC"),
}  # fmt: skip
#: Types that pandas has with missing values, where it would else read whole numbers as floats.
_PANDAS = {pa.int64(): ("int64", "Int64"), pa.bool_(): ("bool", "boolean")}


def fields_of(columns: Iterable[Column]) -> tuple[pa.Field, ...]:
    """Cells of JSON stay text, since their names differ from row to row."""
    return tuple(described(it.name, _TYPES[it.kind], it.about) for it in columns)


def described(name: str, kind: pa.DataType, about: str) -> pa.Field:
    return pa.field(name, kind, metadata={"description": about})


def description(field: pa.Field) -> str:
    return str((field.metadata or {}).get(b"description", b"").decode())


def schema_of(fields: Iterable[pa.Field], metadata: Mapping[str, str] | None = None) -> pa.Schema:
    """With the version of the shape, and with what makes pandas keep whole numbers whole where some are missing."""
    fields = list(fields)
    return pa.schema(
        fields,
        metadata={"earshot_schema_version": SCHEMA_VERSION, "pandas": _pandas_metadata(fields), **(metadata or {})},
    )


def _pandas_metadata(fields: list[pa.Field]) -> str:
    columns = [
        {"name": it.name, "field_name": it.name, "pandas_type": named, "numpy_type": nullable, "metadata": None}
        for it in fields
        if it.type in _PANDAS
        for named, nullable in [_PANDAS[it.type]]
    ]
    return json.dumps({"index_columns": [], "column_indexes": [], "columns": columns})
