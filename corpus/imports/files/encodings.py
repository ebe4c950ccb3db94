"""How a file is written: UTF-8, or as spreadsheet programs write tables: UTF-16 with its mark, or Windows-1252."""

import codecs
import re
from pathlib import Path

#: Where a file's kind and columns are looked for.
HEAD_BYTES = 100_000
#: How a file of Parquet begins.
PARQUET = b"PAR1"
#: How a file begins that gzip packed.
GZIP = b"\x1f\x8b"
UTF_8, UTF_16, WINDOWS = "utf-8-sig", "utf-16", "cp1252"
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
#: How they are called.
CALLED = {UTF_16: "UTF-16", WINDOWS: "Windows-1252"}
#: Letters of UTF-8 beyond ASCII. A file that has some is UTF-8 with a fault, and no Windows-1252.
_LETTERS = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_CHUNK = 1024 * 1024


def first_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def encoding_of(path: Path) -> str:
    """How the file is written; UTF-8 where it is neither, so that reading it says what is wrong."""
    head = first_bytes(path)
    if head.startswith((PARQUET, GZIP)) or head.lstrip()[:1] in (b"{", b"["):
        return UTF_8
    if head.startswith(UTF_16_MARKS):
        return UTF_16 if _is(path, UTF_16) else UTF_8
    if _is(path, UTF_8) or _LETTERS.search(head) or not _is(path, WINDOWS):
        return UTF_8
    return WINDOWS


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
