"""How far log-odds could lie elsewhere: from a covariance, or from draws of a bootstrap."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from analytics.stats.arrays import Bools, Floats
from analytics.stats.intervals import Percentiles
from analytics.stats.ratings.sandwich import Covariance


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
    covariance: Covariance
    level: float = 0.95

    @property
    def method(self) -> str:
        return self.covariance.method

    def around(self, log_odds: Floats, centre: Floats) -> tuple[Floats, Floats]:
        def variance(matrix: Floats) -> Floats:
            with_centre = matrix @ centre
            return matrix.diagonal() - 2 * with_centre + centre @ with_centre

        reach = self.covariance.reach(self.level, variance)
        middle = log_odds - centre @ log_odds
        return middle - reach, middle + reach

    def between(self, log_odds: Floats, one: int, other: int) -> tuple[float, float]:
        def variance(matrix: Floats) -> Floats:
            return np.asarray(matrix[one, one] + matrix[other, other] - 2 * matrix[one, other])

        reach = float(self.covariance.reach(self.level, variance))
        middle = float(log_odds[one] - log_odds[other])
        return middle - reach, middle + reach

    def ahead(self, log_odds: Floats) -> Bools:
        reach = self.covariance.reach(self.level, _of_differences)
        return log_odds[:, np.newaxis] - log_odds > reach


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
