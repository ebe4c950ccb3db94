"""The intervals that simulated studies end with: of κ, and of what is said about systems."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from analytics.planning.precision.answers import People, answer, people
from stats.agreement.coefficients import fleiss_kappa
from stats.agreement.labels import LabelTable
from stats.arrays import Floats, Ints, ratio
from stats.intervals import Bootstrap, UnitSums
from stats.ratings.elo import POINTS
from stats.ratings.table import rate_votes
from stats.ratings.votes import FIRST, SECOND, TIE, Votes
from stats.results import SHARE, Estimate

MOST_ANSWERS = 10
#: Beyond so many units a study is simulated with these, and its widths are narrowed by the square root.
MOST_UNITS = 1_500
STUDIES = 20
RESAMPLES = 200
#: Single responses of so many systems are looked at; more would say the same.
ENOUGH_SYSTEMS = 6

Kind = Literal["points", "share"]


@dataclass(frozen=True, eq=False)
class Design:
    """What is put before people: the systems of each unit, shape (units, 2) for pairs, (units, 1) for responses."""

    systems: Ints
    n_systems: int

    def __post_init__(self) -> None:
        if self.systems.ndim != 2 or self.systems.shape[1] not in (1, 2):
            raise ValueError("a unit is a pair of systems, or one")

    @property
    def n_units(self) -> int:
        return len(self.systems)

    @property
    def of_pairs(self) -> bool:
        return bool(self.systems.shape[1] == 2)


@dataclass(frozen=True)
class Assumptions:
    """What one believes before the study.

    `kappa` between two people; for pairs the share of `ties` and the standard deviation of the systems' ratings in
    points (`spread`); for single responses the share that is found `acceptable`.
    """

    kappa: float = 0.4
    ties: float = 0.3
    spread: float = 100.0
    acceptable: float = 0.7


@dataclass(frozen=True)
class Width:
    """The mean width of the 95 % intervals with so many answers per unit; None where there is no interval.

    `rating` is in points for pairs, and a share from 0 to 1 for single responses.
    """

    answers: int
    kappa: float | None
    rating: float | None


@dataclass(frozen=True)
class Plan:
    """The widths for 1 to MOST_ANSWERS answers per unit; `kappa` is what the simulated people really have."""

    widths: tuple[Width, ...]
    kind: Kind
    kappa: float
    n_units: int
    n_simulated: int
    studies: int


def plan(
    design: Design, assumed: Assumptions, *, rng: np.random.Generator, studies: int = STUDIES, level: float = 0.95
) -> Plan:
    """Simulate studies of this design, and say how wide their intervals are on average.

    Each study draws what the systems are worth, what suits each unit and what each of ten people say; with fewer
    answers per unit the same study is looked at with fewer people. κ is Fleiss', its interval a bootstrap over units.
    Ratings are Bradley–Terry with sandwich errors over units; shares have a bootstrap over the units of one system.
    Raises ValueError without units.
    """
    if not design.n_units:
        raise ValueError("there is nothing to plan without units")
    small = _sampled(design, rng)
    narrowing = math.sqrt(small.n_units / design.n_units)
    found = [_study(small, assumed, rng, level) for _ in range(studies)]
    widths = tuple(
        Width(
            answers=at + 1,
            kappa=_mean((study.kappa[at] for study in found), narrowing),
            rating=_mean((study.rating[at] for study in found), narrowing),
        )
        for at in range(MOST_ANSWERS)
    )
    reached = float(np.mean([study.reached for study in found]))
    kind: Kind = "points" if design.of_pairs else "share"
    return Plan(widths, kind, reached, design.n_units, small.n_units, studies)


@dataclass(frozen=True)
class _Study:
    """One study's widths, by answers per unit, and the κ behind it."""

    kappa: Sequence[float | None]
    rating: Sequence[float | None]
    reached: float


def _study(design: Design, assumed: Assumptions, rng: np.random.Generator, level: float) -> _Study:
    they = people(chances(design, assumed, rng=rng), kappa=assumed.kappa)
    said = answer(they, MOST_ANSWERS, rng=rng)
    ways = range(1, MOST_ANSWERS + 1)
    kappas = [width_of(kappa_of(said[:, :n], they, rng=rng, level=level)) for n in ways]
    ratings = [_rating_width(design, said[:, :n], rng, level) for n in ways]
    return _Study(kappas, ratings, they.kappa)


def chances(design: Design, assumed: Assumptions, *, rng: np.random.Generator) -> Floats:
    """How often each answer is given to each unit: first, second, tie of a pair; acceptable or not of a response."""
    if not design.of_pairs:
        return np.tile([assumed.acceptable, 1 - assumed.acceptable], (design.n_units, 1))
    worth = rng.normal(0, assumed.spread / POINTS, design.n_systems)
    first = 1 / (1 + np.exp(worth[design.systems[:, 1]] - worth[design.systems[:, 0]]))
    ties = np.full(design.n_units, assumed.ties)
    return np.column_stack([(1 - ties) * first, (1 - ties) * (1 - first), ties])


def kappa_of(said: Ints, they: People, *, rng: np.random.Generator, level: float = 0.95) -> Estimate:
    """Fleiss' κ of what was said, with its interval; undefined for one answer per unit."""
    table = LabelTable(said, tuple(str(category) for category in range(they.chances.shape[1])))
    return fleiss_kappa(table, bootstrap=Bootstrap(rng, RESAMPLES, level))


def width_of(found: Estimate) -> float | None:
    return float(found.interval.high - found.interval.low) if found.interval else None


def _rating_width(design: Design, said: Ints, rng: np.random.Generator, level: float) -> float | None:
    if not design.of_pairs:
        return _mean(width_of(share_of(mine, rng=rng, level=level)) for mine in _by_system(design, said))
    n = said.shape[1]
    first, second = (np.repeat(side, n) for side in design.systems.T)
    outcome = np.array([FIRST, SECOND, TIE])[said.reshape(-1)]
    votes = Votes(first, second, outcome, tuple(map(str, range(design.n_systems))), "untyped")
    tables = rate_votes(votes, np.repeat(np.arange(design.n_units), n), level=level)
    return _mean([width_of(row.rating) for table in tables for row in table.ratings])


def share_of(said: Ints, *, rng: np.random.Generator, level: float = 0.95) -> Estimate:
    """The share of answers 0 (acceptable), with a bootstrap over units."""
    yes = (said == 0).sum(axis=1)
    n = said.shape[1]
    parts = np.column_stack([np.arange(n + 1.0), np.full(n + 1, float(n))])
    sums = UnitSums(parts, yes, np.ones(len(said), dtype=bool), lambda s: ratio(s[..., 0], s[..., 1]), SHARE)
    found = Estimate(sums.value(), n=len(said), method="share of acceptable answers")
    return Bootstrap(rng, RESAMPLES, level).of_sums(found, sums)


def _by_system(design: Design, said: Ints) -> Iterable[Ints]:
    """What was said of each of the first systems: they are all alike here."""
    of = design.systems[:, 0]
    return (said[of == system] for system in np.unique(of)[:ENOUGH_SYSTEMS])


def _sampled(design: Design, rng: np.random.Generator) -> Design:
    if design.n_units <= MOST_UNITS:
        return design
    chosen = rng.choice(design.n_units, MOST_UNITS, replace=False)
    return Design(design.systems[chosen], design.n_systems)


def _mean(widths: Iterable[float | None], factor: float = 1.0) -> float | None:
    """The mean of those that are there; None where most are not."""
    all_of_them = list(widths)
    defined = [width for width in all_of_them if width is not None]
    if not defined or 2 * len(defined) < len(all_of_them):
        return None
    return float(np.mean(defined)) * factor
