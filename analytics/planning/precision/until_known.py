"""How many units until a judge's κ with people is known within a width: studies that are simulated until they stop.

People and the judge name the true category of a unit or guess, people each as well as they can; categories are
equally frequent, and units go to people drawn by lot. The interval is that of the comparison: over units and people,
for every look, at 100 units and each time there are a tenth more.
"""

from dataclasses import dataclass

import numpy as np

from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import MISSING, LabelTable
from stats.arrays import Floats, Ints
from stats.judges.judged import majority, without_each
from stats.judges.watched import LEAST_UNITS, Beside, at_every_look, figure_spread, kappa_influence
from stats.results import Interval

STUDIES = 40
#: How far people lie apart in how often they know a category (standard deviation).
APART = 0.1
_MORE = 1.1
#: Units by which it is found how well most people of a unit know its category.
_TRIED = 20_000


@dataclass(frozen=True)
class World:
    """What one believes beforehand: κ of the judge with people, κ between two people, and what is asked of whom."""

    kappa: float
    between: float
    people: int
    answers: int
    categories: int
    units: int


@dataclass(frozen=True, eq=False)
class Known:
    """The units at which each study stopped, infinite where it did not; in how many the interval then missed κ."""

    units: Floats
    wrong: int

    @property
    def stopped(self) -> int:
        return int(np.isfinite(self.units).sum())

    def quantile(self, share: float) -> float | None:
        """The number of units by which this share of the studies has stopped; None where fewer did."""
        found = float(np.sort(self.units)[int(np.ceil(share * len(self.units))) - 1])
        return found if np.isfinite(found) else None


class OutOfReach(ValueError):
    """People agree too little for a judge to have that κ with them; `most` is the highest there can be."""

    def __init__(self, most: float) -> None:
        super().__init__(f"κ can be {most:.2f} at most")
        self.most = most


def rehearse(world: World, width: float, *, rng: np.random.Generator, studies: int = STUDIES) -> Known:
    """Simulate studies until κ is known to ±`width`. Raises OutOfReach."""
    knows = _of_judge(world, rng)
    found = [_stop(world, width, knows, rng) for _ in range(studies)]
    return Known(np.array([units for units, _ in found]), sum(not right for _, right in found))


def _of_judge(world: World, rng: np.random.Generator) -> float:
    """The chance with which the judge knows a category, for its κ with people's label to be the wanted one."""
    truth, people = _labels(world, rng, _TRIED)
    of_people = _kappa(truth, majority(people))
    if world.kappa > of_people:
        raise OutOfReach(of_people)
    return world.kappa / of_people


def _stop(world: World, width: float, knows: float, rng: np.random.Generator) -> tuple[float, bool]:
    """The units at which it stops, and whether the interval then has the κ."""
    truth, people = _labels(world, rng, world.units)
    own = _said(truth, np.full(world.units, knows), world.categories, rng)
    size = len(people.categories)
    whole = Beside(own, majority(people), np.arange(world.units), size, without_each(people))
    n = LEAST_UNITS
    while n <= world.units:
        found = _interval(whole, n)
        if found and (found.high - found.low) / 2 <= width:
            return float(n), found.low <= world.kappa <= found.high
        n = n + 1 if n == world.units else min(world.units, int(n * _MORE))
    return np.inf, True


def _interval(whole: Beside, n: int) -> Interval | None:
    """At the first `n` units."""
    without = whole.without.first(n) if whole.without else None
    beside = Beside(whole.own[:n], whole.reference[:n], whole.units[:n], whole.size, without)
    both = np.stack([beside.own, beside.reference], axis=1)[beside.counted]
    kappa = cohen_kappa(LabelTable(both, tuple(map(str, range(whole.size)))))
    if kappa.estimate is None:
        return None
    return at_every_look(kappa, figure_spread(beside, kappa_influence), low=-1.0, high=1.0).interval


def _labels(world: World, rng: np.random.Generator, n: int) -> tuple[Ints, LabelTable]:
    """The categories of so many units, and what people say of them."""
    truth = rng.integers(world.categories, size=n)
    knows = np.clip(rng.normal(world.between**0.5, APART, world.people), 0, 1)
    who = rng.random((n, world.people)).argsort(axis=1)[:, : world.answers]
    codes = np.full((n, world.people), MISSING, dtype=np.int64)
    np.put_along_axis(codes, who, _said(truth[:, np.newaxis], knows[who], world.categories, rng), axis=1)
    return truth, LabelTable(codes, tuple(map(str, range(world.categories))))


def _said(truth: Ints, knows: Floats, categories: int, rng: np.random.Generator) -> Ints:
    return np.where(rng.random(knows.shape) < knows, truth, rng.integers(categories, size=knows.shape))


def _kappa(own: Ints, reference: Ints) -> float:
    there = reference >= 0
    size = int(max(own.max(initial=0), reference.max(initial=0))) + 1
    table = LabelTable(np.stack([own, reference], axis=1)[there], tuple(map(str, range(size))))
    return float(cohen_kappa(table).estimate or 0.0)
