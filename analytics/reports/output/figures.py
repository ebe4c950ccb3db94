"""What a report consists of: figures, each a table with a picture beside it. Plain data.

Texts of ours are Phrases, so that they can be said in the language of the page; a plain string is data, and stays as
it is. A cell that is an Estimate brings its interval, its n, why it is undefined and what was left out.
"""

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from stats.results import Estimate

#: How numbers are written: `share` in percent, `coefficient` with two decimals, `rating` with none, `p` as p values.
Form = Literal["text", "count", "share", "coefficient", "number", "rating", "p"]


#: What an axis with several series is of, where it says nothing better.
AXES: dict[Form, str] = {
    "text": Phrase("Value"), "count": Phrase("Number"), "share": Phrase("Share"),
    "coefficient": Phrase("Coefficient"), "number": Phrase("Value"), "rating": Phrase("Rating"),
    "p": Phrase("p value"),
}  # fmt: skip
_KEY = re.compile(r"[a-z0-9_-]+")


def key_of(*parts: str) -> str:
    """A key for a figure that is about something with a name of its own.

    >>> key_of("matrix", "What was planted (2)")
    'matrix-what-was-planted-2'
    >>> key_of("matrix", "音") == key_of("matrix", "声")
    False
    """
    said = "-".join(parts)
    key = re.sub(r"[^a-z0-9_]+", "-", said.lower()).strip("-")
    return key if said.isascii() else f"{key}-{hashlib.sha256(said.encode()).hexdigest()[:8]}"


def highest_first(found: Estimate) -> tuple[bool, float]:
    """A key to sort by: the highest estimate first, and last what is undefined."""
    return found.estimate is None, -(found.estimate or 0.0)


@dataclass(frozen=True)
class Link:
    """A text that leads to the rows behind a figure: the name of an address, and what it needs."""

    text: str
    to: str
    args: tuple[str | int, ...] = ()
    query: Mapping[str, str | int] = field(default_factory=dict)


Cell = None | str | int | float | Estimate | Link


@dataclass(frozen=True)
class Column:
    """`key` names the column in files; `title` is for people."""

    key: str
    title: str
    form: Form = "text"


@dataclass(frozen=True)
class Table:
    """The first column heads its row. Raises ValueError for a row with more or fewer cells than there are columns."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def __post_init__(self) -> None:
        if any(len(row) != len(self.columns) for row in self.rows):
            raise ValueError("a row has not as many cells as there are columns")
        if len({column.key for column in self.columns}) != len(self.columns):
            raise ValueError("two columns have one key")


@dataclass(frozen=True)
class Heatmap:
    """Values by row and column, None where there is none. `low` and `high` are the ends of the colours.

    `title` says what the values are, where that is more than what numbers of the form are.
    With `middle`, which lies halfway, colours go two ways from there: chance for κ, a half for win rates. Raises
    ValueError for a scale that crosses 0 and does not have it as its middle: one ramp would not set 0 apart.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    low: float
    high: float
    middle: float | None = None
    form: Form = "coefficient"
    x_title: str = field(kw_only=True)
    y_title: str = field(kw_only=True)
    title: str = field(default="", kw_only=True)

    def __post_init__(self) -> None:
        if self.low < 0 < self.high and self.middle != 0:
            raise ValueError("a scale that crosses 0 has it as its middle")
        if self.middle is not None and not math.isclose(2 * self.middle, self.low + self.high, abs_tol=1e-9):
            raise ValueError("the middle of a scale lies halfway between its ends")


@dataclass(frozen=True)
class Dots:
    """One line per label with a point and its interval; `mark` is a line to compare with, such as chance.

    Several series stand under each other within a line; each has as many estimates as there are labels. `ends` are
    those of the scale, which the axis then shows from one to the other. Raises ValueError for a line about which no
    series says anything: one without a point says why.
    """

    labels: tuple[str, ...]
    series: Mapping[str, Sequence[Estimate | None]]
    form: Form = "coefficient"
    mark: float | None = None
    x_title: str = ""
    ends: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if any(len(line) != len(self.labels) for line in self.series.values()):
            raise ValueError("a series has not as many estimates as there are labels")
        bare = [label for label, told in zip(self.labels, self._by_label(), strict=True) if not told]
        if bare:
            raise ValueError(f"nothing is said of {bare[0]!r}: neither an estimate nor why there is none")

    @property
    def axis_title(self) -> str:
        """What the axis is of: as it says, else the name of the only series, else what numbers of its form are."""
        return self.x_title or (next(iter(self.series)) if len(self.series) == 1 else AXES[self.form])

    @property
    def seen(self) -> list[tuple[int, str, Sequence[Estimate | None]]]:
        """The series with any point: its place among all, which is its look, its name and its estimates."""
        return [
            (at, name, line)
            for at, (name, line) in enumerate(self.series.items())
            if any(it is not None and it.estimate is not None for it in line)
        ]

    @property
    def why_not(self) -> dict[int, Reason]:
        """By the places of the lines without any point: why there is none, as the first series that knows says."""
        return {
            at: next(it.reason for it in told if it.reason)
            for at, told in enumerate(self._by_label())
            if all(it.estimate is None for it in told)
        }

    @property
    def why_no_interval(self) -> dict[int, Reason]:
        """By the places of the lines whose points all lack an interval that was asked for: why, as the first says."""
        found: dict[int, Reason] = {}
        for at, told in enumerate(self._by_label()):
            points = [it for it in told if it.estimate is not None]
            whys = [it.reason for it in points if it.reason]
            if whys and all(it.interval is None for it in points):
                found[at] = whys[0]
        return found

    def _by_label(self) -> list[list[Estimate]]:
        lines = list(self.series.values())
        return [[it for it in (line[at] for line in lines) if it is not None] for at in range(len(self.labels))]


@dataclass(frozen=True)
class Bars:
    """Counts or shares by label; several series stack up."""

    labels: tuple[str, ...]
    series: Mapping[str, Sequence[float]]
    form: Form = "count"
    x_title: str = ""


@dataclass(frozen=True)
class Curve:
    """Points joined by a line; `low` and `high`, where given, make a band."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()


@dataclass(frozen=True)
class Curves:
    """`diagonal` draws where both axes are equal: of a calibration, say."""

    curves: tuple[Curve, ...]
    x_title: str
    y_title: str
    diagonal: bool = False
    x_form: Form = "number"
    y_form: Form = "number"


@dataclass(frozen=True)
class Scatter:
    """A point with its name for each thing that has two numbers."""

    names: tuple[str, ...]
    x: tuple[float, ...]
    y: tuple[float, ...]
    x_title: str
    y_title: str
    diagonal: bool = False
    x_form: Form = "number"
    y_form: Form = "number"


Picture = Heatmap | Dots | Bars | Curves | Scatter


def shows_something(picture: Picture) -> bool:
    """Whether there is any value to draw: axes alone would look like an answer."""
    match picture:
        case Heatmap(values=rows):
            return any(value is not None for row in rows for value in row)
        case Dots():
            return bool(picture.seen)
        case Curves(curves=curves):
            return any(curve.x for curve in curves)
        case Bars(labels=there) | Scatter(names=there):
            return bool(there)


@dataclass(frozen=True)
class Figure:
    """`key` names it in addresses and files, once in a report: small letters, digits, `-` and `_` (see `key_of`).

    `notes` say how it was taken and what it cannot say.
    `instead` stands where there is no table, and says why: undefined is a result.
    """

    key: str
    title: str
    table: Table | None = None
    picture: Picture | None = None
    notes: tuple[str, ...] = ()
    instead: str = ""

    def __post_init__(self) -> None:
        if not _KEY.fullmatch(self.key):
            raise ValueError(f"{self.key!r} cannot stand in an address; key_of makes one that can")
        if self.table is None and not self.instead:
            raise ValueError(f"{self.key} has neither a table nor a reason")
