"""Intervals that hold at every look, however often one looks while answers arrive.

An interval of 95 % is made for one look at a size that was fixed beforehand. Read after each answer it misses the
truth sooner or later; a confidence sequence misses it at any time with the stated chance only. This one mixes the
normal likelihood over effects N(0, scale²) (Robbins 1970; Howard, Ramdas, McAuliffe & Sekhon 2021, eq. 14), for
estimates that are normal in the limit (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas 2024, "Time-uniform central
limit theory and asymptotic confidence sequences", Annals of Statistics 52). Two scales share the chance of an error,
so that large effects are seen early, too. The intrinsic time is 1 / variance, so whatever the variance counts for
(clusters, ties, adaptive pairs) counts here.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy

from stats.arrays import Floats

#: The effects for which intervals are tuned, in log-odds (122 and 486 points of a board), each with its share of the
#: chance of an error.
SCALES = ((0.7, 0.75), (2.8, 0.25))
#: Student’s quantiles are looked up between these normal ones; further out nothing is known.
_QUANTILES = np.linspace(0.0, 20.0, 2_001)


def reaches(
    variance: Floats,
    *,
    level: float = 0.95,
    at_once: int = 1,
    freedom: int | None = None,
    scales: Sequence[tuple[float, float]] = SCALES,
) -> Floats:
    """How far intervals reach to either side of estimates with this variance, shape as `variance`.

    `at_once` intervals hold together at the level (Bonferroni). The variance of few clusters is itself uncertain:
    with `freedom` the normal quantile becomes Student's t at the same tail. Infinite where the time is too short.
    `scales` are effects for which intervals are tuned, in units of the estimates, with shares that add up to 1.

    >>> reaches(np.array([0.01])).round(3), reaches(np.array([0.01]), freedom=9).round(3)
    (array([0.327]), array([0.473]))
    """
    alpha, known = (1 - level) / at_once, np.maximum(variance, 1e-30)
    quantile = np.sqrt(np.min([_square(scale**2 / known, share * alpha) for scale, share in scales], axis=0))
    if freedom is not None:
        quantile = _of_student(quantile, freedom)
    return np.asarray(quantile * np.sqrt(np.maximum(variance, 0)))


def _square(time: Floats, alpha: float) -> Floats:
    """The squared normal quantile at which one mixture reaches 1 / alpha; `time` is in units of 1 / scale²."""
    return np.asarray((1 + 1 / time) * (np.log1p(time) - 2 * np.log(alpha)))


def _of_student(quantile: Floats, freedom: int) -> Floats:
    """Student's t at the tails of normal quantiles, between the two nearest that are known."""
    known = _student(freedom)
    place = np.minimum(quantile / _QUANTILES[1], len(known) - 1.0)
    below = np.minimum(place.astype(np.int64), len(known) - 2)
    found = known[below] + (place - below) * (known[below + 1] - known[below])
    return np.where(quantile > _QUANTILES[-1], np.inf, found)


@lru_cache(maxsize=256)
def _student(freedom: int) -> Floats:
    return np.asarray(scipy.stats.t.isf(scipy.stats.norm.sf(_QUANTILES), freedom))
