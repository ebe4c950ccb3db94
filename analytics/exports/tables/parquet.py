"""Parquet, row group by row group, so that a file may be larger than memory."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ROWS_PER_GROUP = 5_000
#: Sound is kept within this much per group, whatever the number of rows.
BYTES_PER_GROUP = 8 * 1024**2


class ParquetFile:
    """A file that rows are added to one by one."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._schema, self._rows, self._bytes = schema, list[Mapping[str, Any]](), 0
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")
        self.n, self.bytes = 0, 0

    def __enter__(self) -> "ParquetFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._writer.close()

    def add(self, row: Mapping[str, Any], *, sound_bytes: int = 0) -> None:
        self._rows.append(row)
        self.n += 1
        self.bytes += sound_bytes
        self._bytes += sound_bytes
        if len(self._rows) >= ROWS_PER_GROUP or self._bytes >= BYTES_PER_GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_pylist(self._rows, schema=self._schema))
            self._rows, self._bytes = [], 0


def write_parquet(path: Path, schema: pa.Schema, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write the rows; return how many there were."""
    with ParquetFile(path, schema) as file:
        for row in rows:
            file.add(row)
    return file.n
