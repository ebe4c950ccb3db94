"""What a tool's module says of a file: what it is, what is lost of it, and its rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus.imports.files.audio_files import AudioFiles
from corpus.imports.files.rows import Row
from corpus.imports.mapping.mapping import TableMapping
from corpus.imports.mapping.table import ForeignTable
from corpus.imports.tools.head import Head
from infrastructure.wording.reasons import Reason


@dataclass(frozen=True)
class Said:
    """One answer, by names: about the item, and one or two systems in the order in which they stand in the file.

    `value` is in that order: `a` is the first of `systems`. `takes` tell responses of one system apart. `more` has
    further cells of a row of a table of answers, such as recorded_at and language.
    """

    item: str
    systems: tuple[str, ...]
    value: str
    aspect: str = "overall"
    annotator: str = ""
    takes: tuple[str, ...] = ()
    more: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Part:
    """Some rows of a file, whose items no other row is about: rows of a manifest, and answers."""

    responses: list[tuple[int, Row]]
    answers: list[tuple[int, Said]]
    n_rows: int


@dataclass(frozen=True)
class Recognised:
    """A file of a tool.

    Either its rows are a `table` whose columns are mapped, by `mapping` or by the person who imports it; or the file
    says itself what it holds: `responses` in the columns of a manifest, and `answers`.

    Or it is read in `parts`, all of `n_rows` rows; what is lost of it is known when all of them were read.

    Rows are read anew each time. `files` is where its sound is, if that is in the file itself.
    """

    told: Reason
    lost: tuple[Reason, ...] | Callable[[], Iterable[Reason]] = ()
    table: ForeignTable | None = None
    mapping: TableMapping | None = None
    responses: Callable[[], Iterator[tuple[int, Row]]] | None = None
    answers: Callable[[], Iterator[tuple[int, Said]]] | None = None
    parts: Callable[[], Iterator[Part]] | None = None
    n_rows: int = 0
    files: AudioFiles | None = None
    #: the least and the greatest number of a column of `table`, where the tool has a scale
    limits: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """What the report of an import has of it."""
        lost = self.lost() if callable(self.lost) else self.lost
        return {"told": self.told, "lost": list(lost), "mapped": self.table is not None}


@dataclass(frozen=True)
class Tool:
    """A tool whose files are recognised by their beginning. `open` reads a whole file, and raises UnreadableManifest.

    `has_no_sound` says that its files name none, so that an import needs no audio beside them.
    """

    name: str
    recognises: Callable[[Head], bool]
    open: Callable[[Path], Recognised]
    has_no_sound: bool = False
