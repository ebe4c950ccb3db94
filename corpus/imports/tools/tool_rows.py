"""The rows of a tool's file."""

from collections.abc import Collection, Iterator
from pathlib import Path

from corpus.imports.files.encodings import encoding_of
from corpus.imports.files.rows import Row, stream_rows


def tool_rows(path: Path, *, without: Collection[str] = ()) -> Iterator[tuple[int, Row]]:
    """The rows by line, however the file is written. Raises UnreadableManifest, as `stream_rows` does."""
    return stream_rows(path, by_line=True, encoding=encoding_of(path), without=without)
