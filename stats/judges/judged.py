"""One rater against the others: who is the reference, and what counts as no answer."""

from dataclasses import dataclass

import numpy as np

from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Floats, Ints

#: The category that stands for no answer: it agrees with nothing.
NO_ANSWER = "(no answer)"


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Every label beside the majority of the others' labels: two columns, and the unit and the rater of each row."""

    table: LabelTable
    units: Ints
    raters: Ints


@dataclass(frozen=True, eq=False)
class Without:
    """What references would be without one person: the row, the person and the new code, each of shape (changes,).

    The code is MISSING where the row then has no reference. Rows stand in order.
    """

    rows: Ints
    raters: Ints
    reference: Ints

    def at(self, places: Ints) -> "Without":
        """Of rows at these places, where the rows of this are all places, one for each."""
        row, at = _joined(self.rows, places)
        return Without(row, self.raters[at], self.reference[at])

    def first(self, n: int) -> "Without":
        """Of the first `n` rows."""
        end = int(np.searchsorted(self.rows, n))
        return Without(self.rows[:end], self.raters[:end], self.reference[:end])


@dataclass(frozen=True, eq=False)
class ByLabel:
    """Every label of a table: its row and its rater, in the order of rows; and the label counts of each row."""

    rows: Ints
    raters: Ints
    counts: Ints


def by_label(table: LabelTable) -> ByLabel:
    rows, raters = np.nonzero(table.codes >= 0)
    return ByLabel(rows, raters, table.counts())


def without_each(
    table: LabelTable, places: Ints | None = None, raters: Ints | None = None, *, labels: ByLabel | None = None
) -> Without:
    """The majority of each place without the label of each person who gave one.

    With `places`, shape (rows,), of these rows of the table in place of all. With `raters`, shape (rows,), a row is
    about the label of that rater, who is no part of its reference, and without whom there is no such row. `labels`
    are those of the table, where they are known.

    >>> from stats.agreement.labels import label_table
    >>> found = without_each(label_table([["1", "1"], ["1", "2"], ["2", None]]))
    >>> found.rows.tolist(), found.raters.tolist(), found.reference.tolist()
    ([0, 0, 0, 1, 1], [0, 1, 2, 0, 1], [-1, -1, 0, 1, 0])
    """
    labels = labels or by_label(table)
    place, rater = labels.rows, labels.raters
    rows, at = _joined(place, np.arange(table.n_units) if places is None else places)
    counts, each = labels.counts[place[at]], np.arange(len(at))
    counts[each, table.codes[place[at], rater[at]]] -= 1
    if raters is None:
        return Without(rows, rater[at], _most_frequent(counts))
    own = raters[rows]
    other = own != rater[at]
    counts[each[other], table.codes[place[at], own][other]] -= 1
    return Without(rows, rater[at], np.where(other, _most_frequent(counts), MISSING))


def majority(table: LabelTable) -> Ints:
    """The most frequent label of each unit, MISSING where there is none or where several are equally frequent.

    >>> from stats.agreement.labels import label_table
    >>> majority(label_table([["1", "1", None], ["1", "2", None], ["2", None, None]])).tolist()
    [0, -1, -1]
    """
    return _most_frequent(table.counts())


def against_the_others(table: LabelTable, rater: int | None = None) -> LeftOut:
    """Each label of this rater, or of every one, beside the majority of the labels that the others gave.

    >>> from stats.agreement.labels import label_table
    >>> found = against_the_others(label_table([["1", "1"], ["1", "2"], ["1", None]]), 1)
    >>> found.table.codes.tolist(), found.units.tolist()
    ([[0, 0], [1, 0]], [0, 1])
    """
    places = range(table.n_raters) if rater is None else (rater,)
    codes = table.codes[:, list(places)]
    place, unit = np.nonzero(codes.T >= 0)
    own = codes[unit, place]
    others = table.counts()[unit]
    others[np.arange(len(own)), own] -= 1
    rows: Ints = np.stack([own, _most_frequent(others)], axis=1)
    who = np.array(places, dtype=np.int64)[place]
    return LeftOut(LabelTable(rows, table.categories), unit.astype(np.int64), who)


def with_no_answer(table: LabelTable) -> LabelTable:
    """The table of a judge and its reference with a missing answer as a category of its own, which never agrees.

    >>> from stats.agreement.labels import label_table
    >>> with_no_answer(label_table([["1", None], ["1", "1"]])).codes.tolist()
    [[0, 0], [1, 0]]
    """
    codes = table.codes.copy()
    codes[:, 0] = np.where((codes[:, 0] < 0) & (codes[:, 1] >= 0), len(table.categories), codes[:, 0])
    return LabelTable(codes, (*table.categories, NO_ANSWER))


def mean_vote(votes: Floats) -> Floats:
    """Several votes on one pair as one: `votes`, shape (pairs, voters), 1 for a, 0 for b, ½ for a tie, NaN for none.

    Their mean above a half is a vote for a, below it for b (AudioJudge §3, multi-aspect ensemble; Table 8). NaN where
    there are no votes.

    >>> mean_vote(np.array([[1, 0, 0], [1, 0, np.nan], [np.nan, np.nan, np.nan]])).tolist()
    [0.0, 0.5, nan]
    """
    there = ~np.isnan(votes)
    n = there.sum(axis=1)
    margin = np.where(there, votes, 0.5).sum(axis=1) - votes.shape[1] / 2  # sums of halves are exact
    return np.where(n == 0, np.nan, (np.sign(margin) + 1) / 2)


def _joined(of: Ints, wanted: Ints) -> tuple[Ints, Ints]:
    """Each of `wanted` with every place at which it stands in `of`, which is in order: both as places."""
    first, last = (np.searchsorted(of, wanted, side) for side in ("left", "right"))
    n = last - first
    row = np.repeat(np.arange(len(wanted)), n)
    at = np.arange(len(row)) + np.repeat(first - (np.cumsum(n) - n), n)
    return row, at.astype(np.int64)


def _most_frequent(counts: Ints) -> Ints:
    """The category with the most labels of each unit, from their counts; MISSING where none is clear."""
    if not counts.shape[1]:
        return np.full(len(counts), MISSING, dtype=np.int64)
    most = counts.max(axis=1)
    clear = (most > 0) & ((counts == most[:, np.newaxis]).sum(axis=1) == 1)
    return np.asarray(np.where(clear, counts.argmax(axis=1), MISSING), dtype=np.int64)
