"""How far log-odds could lie elsewhere: from a covariance, or from draws of a bootstrap."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from stats.arrays import Bools, Floats
from stats.intervals import Percentiles
from stats.ratings.elo import POINTS
from stats.ratings.sandwich import Covariance

#: In log-odds, 2,000 points: what reaches further at every look has no interval yet, and its ends are infinite.
FURTHEST = 2_000 / POINTS
AT_EVERY_LOOK = ", at every look"


class Spread(Protocol):
    """What an interval, a difference and a rank are made of."""

    @property
    def level(self) -> float: ...

    @property
    def method(self) -> str: ...

    def around(self, log_odds: Floats, centre: Floats) -> tuple[Floats, Floats]:
        """Both ends of each system's interval; `centre` are weights of sum 1 whose mean log-odds is 0."""

    def between(self, log_odds: Floats, one: int, other: int) -> tuple[float, float]:
        """Both ends of the interval of the difference between two systems."""

    def ahead(self, log_odds: Floats) -> Bools:
        """Whether the system of the row is ahead of that of the column beyond doubt, shape (systems, systems)."""


@dataclass(frozen=True, eq=False)
class FromCovariance:
    """Intervals for one look, each by itself; or, `watched`, for every look.

    While one watches, each system's interval holds at every look, and the differences of all pairs do so together:
    with the chance of the level no difference misses the truth at any time, nor does any rank.
    """

    covariance: Covariance
    level: float = 0.95
    watched: bool = False

    def of_systems(self, n: int) -> "FromCovariance":
        """That of the first `n` parameters, which are the systems'."""
        return replace(self, covariance=self.covariance.of_systems(n))

    @property
    def method(self) -> str:
        return self.covariance.method + (AT_EVERY_LOOK if self.watched else "")

    def around(self, log_odds: Floats, centre: Floats) -> tuple[Floats, Floats]:
        def variance(matrix: Floats) -> Floats:
            with_centre = matrix @ centre
            return matrix.diagonal() - 2 * with_centre + centre @ with_centre

        reach = self.reach(variance)
        middle = log_odds - centre @ log_odds
        return middle - reach, middle + reach

    def between(self, log_odds: Floats, one: int, other: int) -> tuple[float, float]:
        def variance(matrix: Floats) -> Floats:
            return np.asarray(matrix[one, one] + matrix[other, other] - 2 * matrix[one, other])

        reach = float(self.reach(variance, at_once=_pairs(len(log_odds))))
        middle = float(log_odds[one] - log_odds[other])
        return middle - reach, middle + reach

    def ahead(self, log_odds: Floats) -> Bools:
        reach = self.reach(_of_differences, at_once=_pairs(len(log_odds)))
        return log_odds[:, np.newaxis] - log_odds > reach

    def reach(self, variance: Callable[[Floats], Floats], *, at_once: int = 1) -> Floats:
        """How far intervals reach to either side; `variance` takes from a covariance the variances in question."""
        if self.watched:
            reach = self.covariance.reach_at_every_look(self.level, variance, at_once=at_once)
            return np.where(reach < FURTHEST, reach, np.inf)
        return self.covariance.reach(self.level, variance)


def _pairs(n: int) -> int:
    return n * (n - 1) // 2


def _of_differences(matrix: Floats) -> Floats:
    own = matrix.diagonal()
    return np.asarray(own[:, np.newaxis] + own - 2 * matrix)


@dataclass(frozen=True, eq=False)
class FromDraws:
    """Percentiles of `draws`, shape (resamples, systems)."""

    draws: Floats
    method: str
    ends: Percentiles

    @property
    def level(self) -> float:
        return self.ends.level

    def watched(self, *, freedom: int | None) -> FromCovariance:
        """Intervals at every look, from the covariance of the draws: percentiles are of one look."""
        method = self.method.replace("percentile bootstrap", "covariance of a bootstrap")
        matrix = np.cov(self.draws - self.draws.mean(axis=1, keepdims=True), rowvar=False)
        return FromCovariance(Covariance(np.asarray(matrix), freedom, method), self.level, watched=True)

    def around(self, log_odds: Floats, centre: Floats) -> tuple[Floats, Floats]:  # noqa: ARG002
        low, high = np.quantile(
            self.draws - (self.draws @ centre)[:, np.newaxis], [self.ends.low, self.ends.high], axis=0
        )
        return low, high

    def between(self, log_odds: Floats, one: int, other: int) -> tuple[float, float]:  # noqa: ARG002
        low, high = np.quantile(self.draws[:, one] - self.draws[:, other], [self.ends.low, self.ends.high])
        return float(low), float(high)

    def ahead(self, log_odds: Floats) -> Bools:
        above = np.stack([(own[:, np.newaxis] > self.draws).mean(axis=0) for own in self.draws.T])
        return (above >= self.ends.high) & (log_odds[:, np.newaxis] > log_odds)
