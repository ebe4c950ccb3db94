"""Intervals from leaving out each of a few units, or clusters of them, in turn.

Percentiles of resamples cannot say how far a number could have come out otherwise where there is little to draw from:
of three clusters even the widest of them hold the truth in three of four cases. The delete-one jackknife's variance
with Student's t does (Efron & Tibshirani 1993, ch. 11; of clusters, CR3: Cameron & Miller 2015, §VI).
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy

from stats import reasons
from stats.arrays import Floats
from stats.proportions import share_within
from stats.results import SHARE, Ends, Estimate, Interval

#: From so many units or clusters on, percentiles of resamples hold.
ENOUGH = 20
#: Fewer than these say nothing of others.
FEWEST = 3
#: Variances up to here are rounding.
_NOTHING = 1e-24

_FEW = {
    "unit": (reasons.ONE_UNIT, reasons.TWO_UNITS),
    "cluster": (reasons.ONE_CLUSTER, reasons.TWO_CLUSTERS),
    "item": (reasons.ONE_ITEM, reasons.TWO_ITEMS),
}


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What a statistic is `without` each unit or cluster in turn, shape (n,).

    `alone` is its variance with each unit for itself, which that over clusters does not go below; 0 where clusters
    are units, or it is not known.
    """

    without: Floats
    over: str
    alone: float = 0.0


def jackknife_interval(estimate: Estimate, left: LeftOut, *, level: float, ends: Ends) -> Estimate:
    """Add an interval by Student's t with one degree of freedom less than units or clusters, between `ends`.

    That of a share, between 0 and 1, is Wilson's of as many trials as would vary like it (Korn & Graubard 1998), and
    where all clusters are alike of as many as there are. None for fewer than three, where the statistic is undefined
    without one of them, and where all are alike.

    >>> found = jackknife_interval(
    ...     Estimate(2.0, 3, "mean"), LeftOut(np.array([2.5, 2.0, 1.5]), "unit"), level=0.95, ends=(-9.0, 9.0)
    ... )
    >>> round(found.interval.low, 3), round(found.interval.high, 3)
    (-0.484, 4.484)
    """
    n, value = len(left.without), estimate.estimate
    if value is None or n < FEWEST:
        return estimate if value is None else replace(estimate, reason=_FEW[left.over][max(n, 1) - 1]())
    of_units = left.over == "unit"
    if np.isnan(left.without).any():
        without = reasons.WITHOUT_ONE_UNIT if of_units else reasons.WITHOUT_ONE_CLUSTER
        return replace(estimate, reason=without())
    variance = jackknife_variance(left.without, value)
    half = max(
        math.sqrt(variance) * float(scipy.stats.t.isf((1 - level) / 2, n - 1)),
        math.sqrt(left.alone) * float(scipy.stats.norm.isf((1 - level) / 2)),
    )
    method = f"delete-one jackknife over {n} {left.over}s, Student's t"
    if ends == SHARE:
        low, high = share_within(value, half if variance > _NOTHING else 0.0, n, level=level)
        return replace(estimate, interval=Interval(low, high, level, f"{method}, as Wilson's"))
    if variance <= _NOTHING:
        return replace(estimate, reason=(reasons.ALIKE_UNITS if of_units else reasons.ALIKE_CLUSTERS)())
    return replace(estimate, interval=Interval(max(value - half, ends[0]), min(value + half, ends[1]), level, method))


def jackknife_variance(without: Floats, value: float, times: Floats | None = None) -> float:
    """The variance of a statistic around its value, from what it is without each of n units; each counts `times`.

    >>> round(jackknife_variance(np.array([2.5, 2.0, 1.5]), 2.0), 4)
    0.3333
    """
    times = np.ones(len(without)) if times is None else times
    n = float(times.sum())
    return float(times @ (without - value) ** 2) * (n - 1) / n
