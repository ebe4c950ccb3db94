"""Foreign tables as spreadsheet programs write them: UTF-8, UTF-16 with its mark, or the code page of Windows."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from corpus.imports.files.rows import MAX_MANIFEST_BYTES, PARQUET, Row, first_bytes, read_rows, rows_of, stream_rows

UTF_8, UTF_16, WINDOWS = "utf-8-sig", "utf-16", "cp1252"
#: How they are called.
CALLED = {UTF_16: "UTF-16", WINDOWS: "Windows-1252"}
#: Letters of UTF-8 beyond ASCII. A file that has some is UTF-8 with a fault, and no Windows-1252.
_LETTERS = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CHUNK = 1024 * 1024


def encoding_of(path: Path) -> str:
    """How the file is written; UTF-8 where it is neither, so that reading it says what is wrong."""
    head = first_bytes(path)
    if head.startswith(PARQUET) or head.lstrip()[:1] in (b"{", b"["):
        return UTF_8
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return UTF_16 if _is(path, UTF_16) else UTF_8
    if _is(path, UTF_8) or _LETTERS.search(head) or not _is(path, WINDOWS):
        return UTF_8
    return WINDOWS


def table_rows(path: Path) -> Iterator[tuple[int, Row]]:
    """The rows of a foreign table by line. Raises UnreadableManifest, when it comes to what cannot be read."""
    return stream_rows(path, by_line=True, encoding=encoding_of(path))


def manifest_rows(path: Path) -> list[tuple[int, Row]]:
    """The rows of a manifest by line, however it is written. Raises UnreadableManifest."""
    encoding = encoding_of(path)
    if encoding == UTF_8 or path.stat().st_size > MAX_MANIFEST_BYTES:
        return read_rows(path, by_line=True)
    return rows_of(path.read_bytes().decode(encoding).encode(), by_line=True)


def _is(path: Path, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
