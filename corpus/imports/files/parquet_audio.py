"""Sound inside of Parquet, as Hugging Face's libraries keep it: columns of structures with `bytes` and `path`."""

import io
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.imports.files.audio_files import MAX_FILE_BYTES, MissingAudio
from corpus.imports.files.parquet import DAMAGE
from corpus.imports.reasons import MISSING_FROM_PARQUET, NOT_UNPACKED
from infrastructure.whole_numbers import whole_number
from infrastructure.wording.reasons import TEXT

#: How files begin, where their path says nothing.
BEGIN = ((b"RIFF", "wav"), (b"fLaC", "flac"), (b"OggS", "ogg"), (b"ID3", "mp3"), (b"\xff\xfb", "mp3"))
ROWS_AT_ONCE = 32


def sound_columns(schema: pa.Schema) -> list[str]:
    return [it.name for it in schema if pa.types.is_struct(it.type) and _is_sound(it.type)]


def _is_sound(kind: pa.StructType) -> bool:
    fields = {kind.field(n).name: kind.field(n).type for n in range(kind.num_fields)}
    return fields.keys() == {"bytes", "path"} and (
        pa.types.is_binary(fields["bytes"]) or pa.types.is_large_binary(fields["bytes"])
    )


def batches(path: Path) -> Iterator[pa.RecordBatch]:
    """Some rows at a time, in this thread. Raises what `DAMAGE` names."""
    with pq.ParquetFile(path, pre_buffer=False) as opened:
        yield from opened.iter_batches(batch_size=ROWS_AT_ONCE, use_threads=False)


def name_inside(column: str, row: int, cell: dict[str, Any] | None) -> str:
    """The name of the sound in a row (from 0), under which ParquetAudio has it; its path where it is not inside."""
    if not cell:
        return ""
    data, path = cell.get("bytes"), str(cell.get("path") or "")
    if data is None:
        return path
    ending = PurePosixPath(path).suffix.lstrip(".") or next((it for begin, it in BEGIN if data.startswith(begin)), "")
    name = PurePosixPath(path.replace("\\", "/")).stem or "clip"
    return f"{column}/{row:06d}/{name}.{ending}" if ending else f"{column}/{row:06d}/{name}"


class ParquetAudio:
    """The files in the rows of a Parquet file. Neighbours are read together, as they are stored."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        with pq.ParquetFile(path) as opened:
            about = opened.metadata
            self._groups = [about.row_group(n).num_rows for n in range(about.num_row_groups)]
        self._held: tuple[int, str, pa.ChunkedArray] | None = None

    @contextmanager
    def open(self, path: str) -> Iterator[IO[bytes]]:
        parts = path.split("/")
        if len(parts) != 3 or (row := whole_number(parts[1])) is None:
            raise MissingAudio(MISSING_FROM_PARQUET(path=path))
        try:
            data = self._bytes(parts[0], row)
        except DAMAGE as error:
            raise MissingAudio(NOT_UNPACKED(path=path, why=TEXT(text=str(error)[:200]))) from error
        if data is None or len(data) > MAX_FILE_BYTES:
            raise MissingAudio(MISSING_FROM_PARQUET(path=path))
        yield io.BytesIO(data)

    def _bytes(self, column: str, row: int) -> bytes | None:
        group = 0
        while group < len(self._groups) and row >= self._groups[group]:
            row -= self._groups[group]
            group += 1
        if group == len(self._groups):
            return None
        with self._lock:  # two files are listened to at a time
            if self._held is None or self._held[:2] != (group, column):
                with pq.ParquetFile(self._path, pre_buffer=False) as opened:
                    table = opened.read_row_group(group, columns=[f"{column}.bytes"], use_threads=False)
                self._held = (group, column, table.column(column))
            cell = self._held[2][row].as_py()
        return cell["bytes"] if cell else None
