"""Rows of tables and manifests, however they are written."""

from collections.abc import Iterator
from pathlib import Path

from corpus.imports.files.encodings import UTF_8, encoding_of
from corpus.imports.files.rows import MAX_MANIFEST_BYTES, Row, read_rows, rows_of, stream_rows


def table_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The rows of a foreign table by line. Raises UnreadableManifest, when it comes to what cannot be read."""
    return stream_rows(path, by_line=True, encoding=encoding_of(path))


def manifest_rows(path: Path) -> list[tuple[int, Row]]:
    """The rows of a manifest by line, however it is written. Raises UnreadableManifest."""
    encoding = encoding_of(path)
    if encoding == UTF_8 or path.stat().st_size > MAX_MANIFEST_BYTES:
        return read_rows(path, by_line=True)
    return rows_of(path.read_bytes().decode(encoding).encode(), by_line=True)
