"""How far the reading of a table is."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from corpus.imports.files.encodings import PARQUET, first_bytes
from corpus.imports.files.rows import Row, place_in
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import Reason

#: The number of rows between two updates.
STEP = 500
PIECE = 1024**2


def followed(
    rows: Iterable[tuple[int, Row]], progress: ShowProgress, note: Reason, *, at_most: int = 0
) -> Iterator[tuple[int, Row]]:
    """The rows, while `progress` says at which of `at_most` rows it is, and what is done with them."""
    for n, numbered in enumerate(rows, start=1):
        yield numbered
        if n % STEP == 0:
            progress(n, max(n, at_most), note)


def rows_at_most(file: Path) -> int:
    """How many rows there can be: those of Parquet, or the lines of a text; 0 where nothing tells, as of an array."""
    if first_bytes(file).startswith(PARQUET):
        try:
            return int(pq.read_metadata(file).num_rows)
        except (pa.ArrowException, OSError, ValueError):
            return 0
    if place_in(file) == "row":
        return 0
    with file.open("rb") as opened:
        return sum(piece.count(b"\n") for piece in iter(lambda: opened.read(PIECE), b""))
