"""A table whose columns are mapped: a file as it is, or what a tool's file holds, laid out in rows."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from corpus.imports.files.encodings import CALLED, encoding_of
from corpus.imports.files.progress import rows_at_most
from corpus.imports.files.rows import MAX_MANIFEST_BYTES, Row, UnreadableManifest, place_in, unread_in
from corpus.imports.mapping.encodings import table_rows
from corpus.imports.reasons import MANIFEST_TOO_LARGE

Rows = Iterator[tuple[int, Row]]
#: So many rows are looked at for the names of columns, which not every row of JSON has.
ROWS_OF_COLUMNS = 1_000


@dataclass(frozen=True)
class ForeignTable:
    """`rows` gives the rows anew each time, and raises UnreadableManifest when it comes to what cannot be read.

    `size` is that of its file in bytes; `encoding` is how the file is written, where that is not UTF-8. `unread` has
    the columns that are not in the rows, with the names of their types.
    """

    rows: Callable[[], Rows]
    place: Literal["line", "row"]
    size: int
    encoding: str = ""
    unread: Mapping[str, str] = field(default_factory=dict)
    #: how many rows there can be; 0 where that is not known
    at_most: Callable[[], int] = lambda: 0

    @property
    def columns(self) -> list[str]:
        """The names of the columns: of a CSV those of its header, of JSON those of its first rows."""
        names: dict[str, None] = {}
        for n, (_, row) in enumerate(self.rows()):
            names |= dict.fromkeys(row)
            if n >= ROWS_OF_COLUMNS:
                break
        return list(names)

    def require_plannable(self) -> None:
        """What is planned whole may not be larger than a manifest. Raises UnreadableManifest."""
        if self.size > MAX_MANIFEST_BYTES:
            raise UnreadableManifest(MANIFEST_TOO_LARGE(megabytes=f"{self.size / 1024**2:.0f}"))


def table_of(file: Path) -> ForeignTable:
    """The file itself as a table."""
    encoding = CALLED.get(encoding_of(file), "")
    return ForeignTable(
        lambda: table_rows(file),
        place_in(file),
        file.stat().st_size,
        encoding,
        unread_in(file),
        at_most=lambda: rows_at_most(file),
    )
