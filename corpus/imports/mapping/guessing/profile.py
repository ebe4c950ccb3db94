"""What stands in a table, column by column, before anything is known of it."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

from corpus.imports.files.rows import Row
from corpus.imports.mapping.rows.reading import NUMBER, flat

MOST_VALUES, N_SAMPLES, LONGEST = 60, 3, 200
#: A column of numbers with more different ones than this is read as numbers, and not one by one.
MOST_NUMBERS = 12
#: So many different values of a column are counted one by one, so that a large table fits into memory.
MOST_COUNTED, MORE = 50_000, "…"


@dataclass
class ColumnProfile:
    """`values` has how often each value stands there; nothing where there are too many or long ones."""

    name: str
    samples: list[str] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    n_distinct: int = 0
    n_empty: int = 0
    are_numbers: bool = True

    @property
    def few(self) -> bool:
        return bool(self.values)


@dataclass
class Profile:
    rows: int
    columns: list[ColumnProfile]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> "Profile":
        return cls(said["rows"], [ColumnProfile(**column) for column in said["columns"]])


def profile_of(table: Iterable[tuple[int, Row]]) -> Profile:
    counts: dict[str, dict[str, int]] = {}
    rows = 0
    for _, row in table:
        rows += 1
        for name, value in row.items():
            of = counts.get(name)
            if of is None:
                of = counts[name] = {}
            cell = (value.strip() if type(value) is str else flat(value))[:LONGEST]
            if cell in of:  # a table has millions of cells: no Counter, which is three times as slow
                of[cell] += 1
            elif not cell or len(of) < MOST_COUNTED:
                of[cell] = 1
            else:
                of[MORE] = of.get(MORE, 0) + 1
    return Profile(rows, [_profile(name, Counter(of), rows) for name, of in counts.items()])


def _profile(name: str, of: Counter[str], rows: int) -> ColumnProfile:
    del of[""]
    n_empty = rows - of.total()
    are_numbers = bool(of) and all(NUMBER.fullmatch(value) for value in of if value != MORE)
    few = len(of) <= (MOST_NUMBERS if are_numbers else MOST_VALUES) and all(len(value) < LONGEST for value in of)
    return ColumnProfile(
        name,
        samples=[value[:120] for value in list(of)[:N_SAMPLES]],
        values=dict(of.most_common()) if few else {},
        n_distinct=len(of),
        n_empty=n_empty,
        are_numbers=are_numbers,
    )
