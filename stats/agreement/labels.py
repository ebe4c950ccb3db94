"""Who said what: a table of labels with a row per unit and a column per rater."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from stats.arrays import Bools, Floats, Ints

MISSING = -1
#: The labels that name no winner. Everything else in a pair protocol does.
TIES = frozenset({"tie", "both_good", "both_bad"})


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Labels as `codes`, shape (units, raters): places in `categories`, or MISSING. A missing label is never a tie.

    Categories stand in the order of their scale, lowest first. A category may be there that nobody used.
    """

    codes: Ints
    categories: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.codes.ndim != 2:
            raise ValueError("codes need a row per unit and a column per rater")
        if self.codes.size and not MISSING <= self.codes.min() <= self.codes.max() < len(self.categories):
            raise ValueError("a code points at no category")
        if len(set(self.categories)) != len(self.categories):
            raise ValueError("a category stands twice")

    @property
    def n_units(self) -> int:
        return len(self.codes)

    @property
    def n_raters(self) -> int:
        return int(self.codes.shape[1])

    @property
    def values(self) -> Floats:
        """The categories as numbers. Raises ValueError where one is none."""
        return np.array([float(category) for category in self.categories])

    def raters(self, *places: int) -> "LabelTable":
        """The table of these raters alone, in this order."""
        return LabelTable(self.codes[:, list(places)], self.categories)

    def recoded(self, new: Mapping[str, str | None]) -> "LabelTable":
        """The table with labels renamed or, where the new name is None, missing; others stay."""
        renamed = [new.get(category, category) for category in self.categories]
        categories = tuple(dict.fromkeys(name for name in renamed if name is not None))
        place = {name: at for at, name in enumerate(categories)}
        codes = np.array([MISSING if name is None else place[name] for name in renamed] + [MISSING])
        return LabelTable(codes[self.codes], categories)

    def counts(self) -> Ints:
        """How many raters gave each label, shape (units, categories)."""
        counts = np.empty((self.n_units, len(self.categories)), dtype=np.int64)
        for code in range(len(self.categories)):
            counts[:, code] = (self.codes == code).sum(axis=1)
        return counts


@dataclass(frozen=True, eq=False)
class Kinds:
    """The distinct rows of a table, and which of them each unit has.

    Statistics that are sums over units need each kind only once, however many units there are.
    """

    rows: Ints
    of_unit: Ints


def label_table(columns: Iterable[Sequence[str | None]], *, categories: Sequence[str] | None = None) -> LabelTable:
    """Put the raters' labels side by side, None where there is none; all columns have the same length.

    Without `categories`, those that occur are taken in alphabetical order. Raises ValueError for a label outside
    the categories and for columns of different lengths.

    >>> table = label_table([["1", "2", None], ["1", "both_bad", "2"]])
    >>> table.categories
    ('1', '2', 'both_bad')
    >>> table.codes.tolist()
    [[0, 0], [1, 2], [-1, 1]]
    """
    columns = [list(column) for column in columns]
    found = {label for column in columns for label in column if label is not None}
    known = tuple(sorted(found) if categories is None else categories)
    if unknown := sorted(found - set(known)):
        raise ValueError(f"{unknown[0]!r} is none of the categories")
    code: dict[str | None, int] = {category: place for place, category in enumerate(known)}
    code[None] = MISSING
    codes = [[code[label] for label in column] for column in columns]
    if len({len(column) for column in codes}) > 1:
        raise ValueError("the raters' columns are not equally long")
    return LabelTable(np.array(codes, dtype=np.int64).reshape(len(codes), -1).T, known)


def kinds_of(rows: Ints) -> Kinds:
    """Find the distinct rows of `rows`, shape (units, columns), of small non-negative integers.

    >>> kinds = kinds_of(np.array([[1, 2], [3, 0], [1, 2]]))
    >>> kinds.rows.tolist(), kinds.of_unit.tolist()
    ([[3, 0], [1, 2]], [1, 0, 1])
    """
    base = int(rows.max(initial=0)) + 1
    if base ** rows.shape[1] < 2**62:  # a row is then one integer, and sorting integers is quick
        keys = rows @ base ** np.arange(rows.shape[1])
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    else:
        _, first, inverse = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return Kinds(rows[first], inverse.reshape(-1))


def winners(table: LabelTable) -> Bools:
    """Which of the categories name a winner."""
    return np.array([category not in TIES for category in table.categories], dtype=bool)


def merged_ties(table: LabelTable) -> LabelTable:
    """The table with every kind of tie as plain `tie` (TRACE/HCoT Table 2, 3-way)."""
    return table.recoded(cast("dict[str, str | None]", dict.fromkeys(TIES, "tie")))


def without_ties(table: LabelTable) -> LabelTable:
    """The table with winners only: ties are left out (TRACE/HCoT Table 2, 2-way)."""
    return table.recoded(dict.fromkeys(TIES))
