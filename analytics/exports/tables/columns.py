"""The schema of exported Parquet tables."""

import json
from collections.abc import Iterable, Mapping

import pyarrow as pa

#: Rises when a column goes, or means something else than before; new columns alone do not raise it.
SCHEMA_VERSION = "1"
#: Types that pandas has with missing values, where it would else read whole numbers as floats.
_PANDAS = {pa.int64(): ("int64", "Int64"), pa.bool_(): ("bool", "boolean")}


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
