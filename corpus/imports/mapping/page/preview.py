"""What a mapping would make of a stored upload, before anything is checked: first rows, counts, first faults.

The first rows of the file are stored beside the upload, so that no change of a mapping reads the file again.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import AnswersTable
from corpus.imports.files.rows import Row
from corpus.imports.manifest.choices import NOTHING_CHOSEN
from corpus.imports.mapping.checking import plan_mapped, tell, tell_encoding
from corpus.imports.mapping.guessing.profile import Profile, profile_of
from corpus.imports.mapping.holding import known_about, known_in
from corpus.imports.mapping.known import Known
from corpus.imports.mapping.mapping import ANSWERS, TableMapping
from corpus.imports.mapping.rows.mapped import LABEL_OF_PAIR, mapped, named_in, unused_columns
from corpus.imports.mapping.rows.tally import Tally
from corpus.imports.mapping.table import ForeignTable, table_of
from corpus.imports.mapping.together import add_made
from corpus.imports.plan import Plan, Problem
from corpus.imports.reasons import COLUMN_UNREAD
from corpus.imports.tools.registry import recognised
from corpus.models import Dataset
from infrastructure.wording.reasons import Reason

#: So many rows are shown, and so many of what becomes of the table are looked at for faults before the check.
N_SHOWN, N_PLANNED, MOST_FAULTS = 5, 2_000, 20
#: What is read at each change of a mapping: so many rows, or as many as have so many characters.
N_FIRST, FIRST_CHARACTERS = 1_000, 2_000_000
#: A longer table is counted by its check, which does not keep a page waiting.
MOST_COUNTED_ROWS = 500_000
SHOWN_FIELDS = ("item", "index", "unit", "category", "prompt_text", "prompt_audio", "system", "take", "turn",
                "system_a", "system_b", "systems", "audio_a", "audio_b", "response_text", "response_audio",
                "annotator", "aspect", "value", "recorded_at")  # fmt: skip
#: Columns of ours with JSON: a text by slot.
BY_SLOT = ("systems",)
LONGEST_CELL = 80
#: Reading a file of so many bytes is felt.
LONG_BYTES = 5 * 1024**2


@dataclass
class Preview:
    """`shown` has rows of the file by their number, each with what is made of it: (field, value) by row of ours.

    `whole` says whether the counts are of the whole file, or of its first rows.
    """

    place: str
    faults: list[tuple[str, Reason]] = field(default_factory=list)
    shown: list[tuple[int, list[list[tuple[str, str]]]]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    n_planned: int = 0
    unused: list[tuple[str, bool]] = field(default_factory=list)
    whole: bool = True
    can_count: bool = False

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]


@dataclass(frozen=True)
class StoredTable:
    """A table that was uploaded: what its columns hold, over the whole file, and its first rows.

    `mapping` is the first one, where the file is a tool's. `unread` has the columns that are left out of the rows,
    with the names of their types.
    """

    file: Path
    profile: Profile
    first: list[tuple[int, Row]]
    place: Literal["line", "row"]
    encoding: str
    mapping: TableMapping | None = None
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def left_out(self) -> list[tuple[str, Reason]]:
        """The columns that are not read, and why."""
        return [(name, COLUMN_UNREAD(column=name, kind=kind)) for name, kind in self.unread.items()]

    @property
    def is_first_whole(self) -> bool:
        return len(self.first) == self.profile.rows


def stored_table(folder: Path, file: Path) -> StoredTable:
    """The table of an upload; read once, and stored beside it. Raises FileNotFoundError without one."""
    stored = folder / "table.json"
    if stored.exists():
        said = json.loads(stored.read_text(encoding="utf-8"))
        rows = [(number, cells) for number, cells in said["first"]]
        mapping = TableMapping.from_json(said["mapping"]) if said["mapping"] else None
        profile, unread = Profile.from_json(said["profile"]), said.get("unread", {})
        return StoredTable(file, profile, rows, said["place"], said["encoding"], mapping, unread)
    first: list[tuple[int, Row]] = []
    table, mapping = foreign_table(file)
    profile = profile_of(_keeping(first, table.rows()))
    told = {
        "profile": profile.as_json(), "first": first, "place": table.place, "encoding": table.encoding,
        "mapping": mapping.as_json() if mapping else None, "unread": dict(table.unread),
    }  # fmt: skip
    stored.write_text(json.dumps(told), encoding="utf-8")
    return StoredTable(file, profile, first, table.place, table.encoding, mapping, table.unread)


def takes_long(folder: Path, file: Path) -> bool:
    """Whether `stored_table` has a large file to read yet, which keeps a page waiting."""
    return not (folder / "table.json").exists() and file.stat().st_size > LONG_BYTES


def foreign_table(file: Path) -> tuple[ForeignTable, TableMapping | None]:
    """The table that the file holds, with its first mapping where it is a tool's."""
    found = recognised(file)
    return (found.table, found.mapping) if found and found.table else (table_of(file), None)


def _keeping(first: list[tuple[int, Row]], rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """The rows, of which the first are put into `first`."""
    rows, left = iter(rows), FIRST_CHARACTERS
    for number, row in islice(rows, N_FIRST):
        first.append((number, row))
        yield number, row
        left -= sum(len(str(cell)) for cell in row.values())
        if left <= 0:
            break
    yield from rows


def preview(
    table: StoredTable,
    mapping: TableMapping,
    *,
    dataset: Dataset | None,
    count: bool = False,
    without_audio: bool = False,
) -> Preview:
    """Go through the first rows by the mapping, or with `count` through the whole file; nothing is written."""
    profile = table.profile
    found = Preview(
        table.place,
        mapping.faults(profile.names, into_dataset=dataset is not None),
        unused=unused_columns(profile.names, mapping),
    )
    found.can_count = profile.rows <= MOST_COUNTED_ROWS
    if found.faults:
        return found
    found.whole = table.is_first_whole or (count and found.can_count)

    def rows() -> Iterable[tuple[int, Row]]:
        if found.whole and not table.is_first_whole:
            return foreign_table(table.file)[0].rows()
        return table.first

    seen = _Seen(found, without_audio=without_audio)
    if mapping.shape == ANSWERS and dataset:
        about = known_in(dataset) if found.whole else known_about(dataset, named_in(table.first, mapping))
        seen.go_through(rows(), mapping, known=about)
    else:
        seen.go_through(rows(), mapping)
    if mapping.brings_answers:
        answers = mapping.of_answers()
        seen.go_through(rows(), answers, known=seen.made, tally=Tally(with_responses=True))
    found.counts = seen.counts
    told = Plan()
    tell_encoding(told, table.encoding)
    found.problems = told.problems + found.problems
    return found


class _Seen:
    """What rows became: counts, the first of them, and what is wrong. `made` has the responses."""

    def __init__(self, found: Preview, *, without_audio: bool) -> None:
        self.found, self.made, self.without_audio = found, Known(), without_audio
        self.n_rows = self.n_made = self.n_answers = 0
        self.items, self.systems = set[str](), set[str]()
        self.shown = dict[int, list[list[tuple[str, str]]]]()

    def go_through(
        self,
        rows: Iterable[tuple[int, Row]],
        mapping: TableMapping,
        *,
        known: Known | None = None,
        tally: Tally | None = None,
    ) -> None:
        tally, some = tally or Tally(), list[tuple[int, Row]]()
        for number, row in mapped(rows, mapping, tally, known=known):
            self._count(row)
            if mapping.brings_answers:
                add_made(self.made, row)
            if len(some) < N_PLANNED:
                some.append((number, row))
            if number in self.shown or len(self.shown) < N_SHOWN:
                self.shown.setdefault(number, []).append(_cells(row))
        self.n_rows, self.n_made = tally.rows, self.n_made + tally.made
        self.found.n_planned += len(some)
        self.found.shown = list(self.shown.items())
        self.found.problems += _problems(some, tally, mapping, self.found.place, without_audio=self.without_audio)

    def _count(self, row: Row) -> None:
        self.items.add(row.get("item") or row.get("index", ""))
        self.systems |= {row[name] for name in ("system", "system_a", "system_b") if row.get(name)}
        if row.get("systems"):
            self.systems.update(json.loads(row["systems"]).values())
        self.n_answers += sum(name.startswith("label_") or name == "value" for name in row)

    @property
    def counts(self) -> dict[str, int]:
        return {
            "rows": self.n_rows, "made": self.n_made, "items": len(self.items), "systems": len(self.systems),
            "answers": self.n_answers,
        }  # fmt: skip


def _cells(row: Row) -> list[tuple[str, str]]:
    cells = [(name, _in_words(name, str(row[name]))) for name in SHOWN_FIELDS if row.get(name)]
    labels = {it: side.upper() for side, it in LABEL_OF_PAIR.items()}
    cells += [(name, labels.get(value, str(value))) for name, value in row.items() if name.startswith("label_")]
    return [(name, short(value)) for name, value in cells]


def _in_words(name: str, text: str) -> str:
    """What we write as JSON, one text by slot, as people write it.

    >>> _in_words("systems", '{"a": "alpha", "b": "beta"}'), _in_words("prompt_text", '{"a": 1}')
    ('a: alpha; b: beta', '{"a": 1}')
    """
    if name not in BY_SLOT:
        return text
    return "; ".join(f"{slot}: {said}" for slot, said in json.loads(text).items())


def short(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _problems(
    some: list[tuple[int, Row]], tally: Tally, mapping: TableMapping, place: str, *, without_audio: bool
) -> list[Problem]:
    """What the first rows' plan refuses, and what the whole table leaves out."""
    told = Plan()
    tell(told, tally, mapping)
    if not some:
        return told.problems
    if mapping.shape == ANSWERS:
        table = AnswersTable(iter(some), at_most=len(some), lost=None, whole=True)
        planned = plan_answers(table, progress=lambda *_: None).problems
    else:
        planned = plan_mapped(some, mapping, NOTHING_CHOSEN, without_audio=without_audio, place=place).problems
    return told.problems + [it for it in planned if it.severity == "error"][:MOST_FAULTS]
