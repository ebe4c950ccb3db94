"""How judges do beside people while answers arrive: intervals over units and people that hold at every look.

A figure of rows (a label beside the reference that people gave) is taken as linear around what it is: each cell of
labels has its influence (Hampel 1974). Units are clusters, and so are people: what a person moves is what the figure
would be without their labels (the jackknife; Efron & Tibshirani 1993, ch. 11). Both are added and their intersection
is subtracted (Cameron, Gelbach & Miller 2011, §2.3); the degrees of freedom follow from how much of the variance so
few people tell (Satterthwaite 1946).

The variance of a figure is never below that of the same rows each for itself, with two more whose labels have nothing
to do with each other: labels that agreed on every unit so far need not always agree (as in Agresti & Coull 1998).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import scipy

from stats import reasons
from stats.agreement.labels import MISSING
from stats.arrays import Bools, Floats, Ints
from stats.confidence_sequences import reaches
from stats.judges.comparison import Unanswered
from stats.judges.judged import Without
from stats.results import Estimate, Interval

#: With fewer units there is no interval yet: rare labels have not come (`benchmarks/statistics/watched_judges.py`).
LEAST_UNITS = 100
#: With fewer people intervals are over units alone, and about these people.
LEAST_PEOPLE = 5
#: The effect for which intervals are tuned, of κ as of shares.
SCALE = 0.2
#: So many rows are added, of labels that have nothing to do with each other.
_ADDED = 2.0
#: Variances below this are those of figures that cannot vary.
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Beside:
    """Labels beside their reference, codes of shape (rows,) below `size`, or MISSING.

    A missing label of `own` is one of its own, which agrees with nothing. A row without a reference does not count,
    and would without somebody who made it a tie. `units`, shape (rows,), are whole numbers. `without` says what the
    reference of rows would be without each person; None for a figure about these people alone.
    """

    own: Ints
    reference: Ints
    units: Ints
    size: int
    without: Without | None = None

    @property
    def counted(self) -> Bools:
        """The rows that have a reference."""
        return np.asarray(self.reference != MISSING)

    @property
    def cells(self) -> Floats:
        """How often each label met each reference, shape (size + 1, size + 1); missing labels come last."""
        side, counted = self.size + 1, self.counted
        at = _labels(self.own, self.size)[counted] * side + self.reference[counted]
        return np.bincount(at, minlength=side * side).astype(np.float64).reshape(side, side)

    @cached_property
    def clusters(self) -> Ints:
        """The unit of each row, counted from 0."""
        return np.unique(self.units, return_inverse=True)[1].reshape(-1)


@dataclass(frozen=True, eq=False)
class Moved:
    """What moves a figure, times the rows: each row, shape (rows,), and each change of `without`."""

    rows: Floats
    changes: Floats

    def less(self, other: "Moved") -> "Moved":
        """Of the difference of two figures over the same rows."""
        return Moved(self.rows - other.rows, self.changes - other.changes)


@dataclass(frozen=True)
class Spread:
    """The variance of a figure over so many units and, unless it is about these people alone, `people`.

    `by_people` is the part of it that is known from as many clusters as there are people.
    """

    variance: float
    units: int
    people: int | None = None
    by_people: float = 0.0

    @property
    def freedom(self) -> int:
        """The degrees of freedom of both parts together (Satterthwaite 1946)."""
        if self.people is None or self.variance <= 0:
            return self.units - 1
        share = min(1.0, self.by_people / self.variance)
        return max(1, int(1 / (share**2 / (self.people - 1) + (1 - share) ** 2 / (self.units - 1))))

    @property
    def method(self) -> str:
        return "over units" if self.people is None else "over units and people"


Influence = Callable[[Floats], Floats]


def kappa_influence(share: Floats) -> Floats:
    """How much one more row in each cell moves Cohen's κ, times the rows; `share`, shape (labels, labels), adds to 1.

    >>> kappa_influence(np.array([[0.5, 0.0], [0.0, 0.5]])).tolist()
    [[0.0, -2.0], [-2.0, 0.0]]
    """
    first, second = share.sum(axis=1), share.sum(axis=0)
    agreed, chance = float(np.trace(share)), float(first @ second)
    towards = (np.eye(len(share)) - agreed) / (1 - chance)
    by_habit = second[:, np.newaxis] + first[np.newaxis, :] - 2 * chance
    return np.asarray(towards - (1 - agreed) * by_habit / (1 - chance) ** 2)


def accuracy_influence(unanswered: Unanswered = "wrong") -> Influence:
    """The same of the share of rows that have the reference's label; the last label is a missing one."""

    def influence(share: Floats) -> Floats:
        worth = _worth(len(share), unanswered)
        return np.asarray(worth - (share * worth).sum())

    return influence


def gain_influence(constant: int, unanswered: Unanswered = "wrong") -> Influence:
    """The same of that share above the share of rows whose reference is the label `constant`."""

    def influence(share: Floats) -> Floats:
        worth = _worth(len(share), unanswered)
        worth[:, constant] -= 1
        return np.asarray(worth - (share * worth).sum())

    return influence


def moved(beside: Beside, influence: Influence) -> Moved:
    """What moves a figure of these rows, of which at least one has to have a reference."""
    cells = beside.cells
    by_cell, own = influence(cells / cells.sum()), _labels(beside.own, beside.size)
    rows = np.where(beside.counted, by_cell[own, beside.reference], 0.0)
    if beside.without is None:
        return Moved(rows, np.zeros(0))
    at, new = beside.without.rows, beside.without.reference
    return Moved(rows, np.where(new == MISSING, 0.0, by_cell[own[at], new]) - rows[at])


def spread(beside: Beside, found: Moved) -> Spread:
    """The variance over units and people of what moves a figure, each row for itself at least."""
    units, counted = beside.clusters, beside.counted
    n_units, n = int((np.bincount(units[counted]) > 0).sum()), int(counted.sum())
    if n_units < 2:
        return Spread(0.0, n_units)
    by_unit = np.bincount(units, weights=found.rows)
    variance = float((by_unit**2).sum()) / n**2 * n_units / (n_units - 1)
    if beside.without is None or (people := _people(beside.without, units, found.changes)) is None:
        return Spread(variance, n_units)
    more, by_people, n_people = people
    return Spread(variance + more / n**2, n_units, n_people, by_people / n**2)


def least_variance(beside: Beside, influence: Influence) -> float:
    """The variance of the same rows each for itself, with a few more whose labels are independent of each other."""
    cells = beside.cells
    n = float(cells.sum())
    chance = np.outer(cells.sum(axis=1), cells.sum(axis=0)) / n
    share = (cells + _ADDED * chance / n) / (n + _ADDED)
    return float((share * influence(share) ** 2).sum()) / n


def figure_spread(beside: Beside, influence: Influence) -> Spread:
    """The spread of one figure of these rows."""
    found = spread(beside, moved(beside, influence))
    return replace(found, variance=max(found.variance, least_variance(beside, influence)))


def difference_spread(one: Beside, other: Beside, influence: Influence) -> Spread:
    """The spread of the difference of the same figure of two, over the same rows and references."""
    return spread(one, moved(one, influence).less(moved(other, influence)))


def at_every_look(
    found: Estimate, over: Spread, *, low: float, high: float, at_once: int = 1, level: float = 0.95
) -> Estimate:
    """Add the interval that holds at every look, `at_once` of them together, within the ends of the figure.

    >>> found = at_every_look(Estimate(0.5, 400, "κ"), Spread(0.0016, 400), low=-1, high=1)
    >>> round(found.interval.low, 3), round(found.interval.high, 3)
    (0.375, 0.625)
    """
    if found.estimate is None:
        return found
    if over.units < LEAST_UNITS:
        return replace(found, interval=None, reason=reasons.FEW_UNITS_YET(least=LEAST_UNITS, n=over.units))
    if over.variance < _NOTHING:
        return replace(found, interval=None, reason=reasons.NOTHING_VARIES())
    variance = np.array([over.variance])
    (reach,) = reaches(variance, level=level, at_once=at_once, freedom=over.freedom, scales=((SCALE, 1.0),))
    return _within(found, float(reach), low, high, level, f"confidence sequence {over.method}")


def at_one_look(
    found: Estimate, over: Spread, *, low: float, high: float, at_once: int = 1, level: float = 0.95
) -> Estimate:
    """The same for one look at a size that was fixed beforehand, by Student's t."""
    if found.estimate is None:
        return found
    if over.units < 2:
        return replace(found, interval=None, reason=reasons.ONE_UNIT())
    if over.variance < _NOTHING:
        return replace(found, interval=None, reason=reasons.NOTHING_VARIES())
    tail = (1 - level) / at_once / 2
    reach = float(scipy.stats.t.isf(tail, over.freedom)) * over.variance**0.5
    return _within(found, reach, low, high, level, f"Student's t {over.method}")


def _within(found: Estimate, reach: float, low: float, high: float, level: float, method: str) -> Estimate:
    value = found.estimate
    if value is None:
        return found
    interval = Interval(max(low, value - reach), min(high, value + reach), level, method)
    return replace(found, interval=interval)


def _people(without: Without, units: Ints, changes: Floats) -> tuple[float, float, int] | None:
    """What people add to the variance, in rows squared; what is known by them; and how many they are. None for few.

    A person who is left out takes labels along, which moves a figure by itself where majorities become ties: that
    much for each label is no difference between people.
    """
    n = int((np.bincount(without.raters) > 0).sum())
    if n < LEAST_PEOPLE:
        return None
    changes = alone = changes - changes.mean()
    by_person = np.bincount(without.raters, weights=changes)
    if int(units.max()) + 1 < len(units):  # what one person said of a unit is in several rows
        both = units[without.rows] * (int(without.raters.max()) + 1) + without.raters
        alone = np.bincount(np.unique(both, return_inverse=True)[1].reshape(-1), weights=changes)
    by_people, at_once = (float((it**2).sum()) * n / (n - 1) for it in (by_person, alone))
    return max(0.0, by_people - at_once), by_people, n


def _labels(own: Ints, size: int) -> Ints:
    """Codes with a missing label as the last one."""
    return np.where(own == MISSING, size, own)


def _worth(size: int, unanswered: Unanswered) -> Floats:
    """What a row of each cell is worth to the share that is right."""
    worth = np.eye(size)
    worth[-1, -1] = 0.0
    worth[-1] += 0.5 if unanswered == "half" else 0.0
    return worth
