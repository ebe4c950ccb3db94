"""The mean of numbers, and how far it could have come out otherwise over other clusters of them."""

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Floats, Ints
from stats.jackknife import ENOUGH
from stats.results import Ends, Estimate, Interval, left_out

_METHOD = "mean"
_ONE = reasons.ONE_CLUSTER()
_SAME = reasons.SAME_VALUES()
_ALIKE = reasons.ALIKE_CLUSTERS()
#: With fewer raters, or items, nothing is said of others: two leave one degree of freedom.
_FEWEST = 3
#: Whom an interval is about, by kind (0 items, 1 raters) and how many there are.
_ABOUT = {
    (0, 1): reasons.ABOUT_THIS_ITEM(),
    (0, 2): reasons.ABOUT_THESE_ITEMS(),
    (1, 1): reasons.ABOUT_THIS_RATER(),
    (1, 2): reasons.ABOUT_THESE_RATERS(),
}
#: Differences of numbers up to here are rounding.
_NOTHING = 1e-12
_POINTS = 4_096
#: The root of x⁴ = x + 1, whose powers spread points evenly over three dimensions.
_PLASTIC = 1.2207440846057596


def cluster_mean(
    values: Sequence[float | None],
    clusters: Sequence[object],
    *,
    level: float = 0.95,
    method: str = _METHOD,
    ends: Ends | None = None,
) -> Estimate:
    """The mean over all values that are there, with an interval over clusters (items), whose values vary together.

    The error is the sandwich's over clusters, √(C / (C − 1) · Σ (Σ residuals)²) / n, times Student's t with C − 1
    degrees of freedom; with one value per cluster it is the textbook's (Cameron & Miller 2015, §II). Few clusters may
    be alike by chance: of fewer than twenty it is never narrower than that of values each for itself. With the `ends`
    of a scale the interval stays between them (see `interval_within`). Undefined without values; without an interval
    where there is one cluster, or where all values are the same.

    >>> found = cluster_mean([1.0, 2.0, 3.0, None], ["a", "b", "c", "d"])
    >>> found.estimate, found.n, round(found.interval.low, 3), round(found.interval.high, 3)
    (2.0, 3, -0.484, 4.484)
    """
    there = [(value, cluster) for value, cluster in zip(values, clusters, strict=True) if value is not None]
    excluded = left_out((len(values) - len(there), reasons.NO_VALUE()))
    if not there:
        return Estimate(None, 0, method, excluded=excluded, reason=reasons.NO_VALUE())
    numbers = np.array([value for value, _ in there], dtype=np.float64)
    place = {cluster: n for n, cluster in enumerate(dict.fromkeys(cluster for _, cluster in there))}
    mean, n, n_clusters = float(numbers.mean()), len(numbers), len(place)
    if n_clusters < 2 or np.ptp(numbers) == 0:
        return Estimate(mean, n, method, excluded=excluded, reason=_ONE if n_clusters < 2 else _SAME)
    sums = np.bincount([place[cluster] for _, cluster in there], weights=numbers - mean, minlength=n_clusters)
    error = math.sqrt(n_clusters / (n_clusters - 1) * float(sums @ sums)) / n
    if error < _NOTHING:
        return Estimate(mean, n, method, excluded=excluded, reason=_ALIKE)
    half = error * float(scipy.stats.t.isf((1 - level) / 2, n_clusters - 1))
    if n_clusters < ENOUGH:
        half = max(half, float(numbers.std(ddof=1) / math.sqrt(n) * scipy.stats.t.isf((1 - level) / 2, n - 1)))
    interval = interval_within(mean, half, level, f"Student's t over {n_clusters} clusters", ends)
    return Estimate(mean, n, method, interval=interval, excluded=excluded)


def two_way_mean(
    values: Sequence[float] | Floats,
    items: Sequence[int] | Ints,
    raters: Sequence[int] | Ints,
    *,
    level: float = 0.95,
    method: str = _METHOD,
    ends: Ends | None = None,
) -> Estimate:
    """The mean over all values, with an interval that allows for other items and for other raters at once.

    The variance is that over items plus that over raters less that over what both share (Cameron, Gelbach & Miller
    2011), and not less than as if all values were independent. Each of the three is itself known only as far as its
    degrees of freedom go: the interval is the generalized one (Weerahandi 1993; with one variance it is Student's t),
    as three raters know their own variance so badly that a t with Satterthwaite's degrees of freedom is too short.
    One or two raters say too little of how others would rate: the interval is then over items, about these raters
    alone, and `reason` says so; likewise about one or two items, over the raters. With the `ends` of a scale the
    interval stays between them (see `interval_within`).

    >>> found = two_way_mean([1.0, 2.0, 3.0, 2.0, 3.0, 4.0] * 2, [0, 1, 2] * 4, [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    >>> round(found.estimate, 3), found.interval.method
    (2.5, 'generalized interval over 3 items and 4 raters')
    >>> found = two_way_mean([1.0, 2.0, 3.0, 2.0, 3.0, 4.0], [0, 1, 2, 0, 1, 2], [0, 0, 0, 1, 1, 1])
    >>> found.interval.method, found.reason
    ("Student's t over 3 items", 'about these two raters alone')
    """
    numbers = np.asarray(values, dtype=np.float64)
    kinds = [np.unique(np.asarray(it), return_inverse=True)[1].reshape(-1) for it in (items, raters)]
    n_items, n_raters = (int(kind.max(initial=-1)) + 1 for kind in kinds)
    if len(numbers) and min(n_items, n_raters) < _FEWEST:
        return _over_items_or_raters(numbers, kinds, (n_items, n_raters), level, method, ends)
    if not len(numbers) or np.ptp(numbers) == 0:
        return cluster_mean(numbers.tolist(), kinds[0].tolist(), level=level, method=method, ends=ends)
    off, n = numbers - numbers.mean(), len(numbers)
    cells = np.unique(kinds[0] * n_raters + kinds[1], return_inverse=True)[1].reshape(-1)
    variances = (_over(off, kinds[0]), _over(off, kinds[1]), _over(off, cells))
    if max(variances) < _NOTHING**2:
        return Estimate(float(numbers.mean()), n, method, reason=_ALIKE)
    pairs = (pairs_within(kinds[0]), pairs_within(kinds[1]))
    half = generalized_half(variances, two_way_freedom(variances, (n_items, n_raters, n), pairs), level)
    mean, method_text = float(numbers.mean()), f"generalized interval over {n_items} items and {n_raters} raters"
    return Estimate(mean, n, method, interval_within(mean, half, level, method_text, ends))


def interval_within(mean: float, half: float, level: float, method_text: str, ends: Ends | None) -> Interval:
    """From `half` below the mean to `half` above it; on a scale with ends the same on the logit of where the mean
    lies between them, so that the interval stays there too (delta method; for shares: Korn & Graubard 1998).

    Around the middle, and where the half is short, both are alike. Near an end the logit's is longer on the side that
    has room, as the values are.
    """
    low, high = ends or (-math.inf, math.inf)
    if ends is None or not low < mean < high:
        return Interval(mean - half, mean + half, level, method_text)
    share = (mean - low) / (high - low)
    middle, reach = float(scipy.special.logit(share)), half / (high - low) / (share * (1 - share))
    least, most = (low + (high - low) * float(scipy.special.expit(middle + side * reach)) for side in (-1, 1))
    return Interval(least, most, level, f"{method_text}, on the logit of the scale")


def two_way_freedom(
    variances: tuple[float, float, float], sizes: tuple[float, float, float], pairs: tuple[float, float]
) -> tuple[int, int, int]:
    """The degrees of freedom of variances over items, over raters and over what both share.

    `sizes` are the numbers of items, of raters and of values, `pairs` how many ordered pairs of values have an item,
    and a rater, in common. Those of the last variance are what items and raters leave, as in the analysis of
    variance. Where most ratings are the only ones of their item or rater that is next to nothing; but it is a sum of
    squares of all values, which vary together only within items and raters, and has the degrees of freedom of such a
    sum (Satterthwaite 1946): from those of the fewer clusters to those of independent values.

    >>> two_way_freedom((3.0, 2.0, 1.0), (3, 4, 12), (36, 24)), two_way_freedom((1.0, 1.0, 1.0), (40, 40, 40), (0, 0))
    ((2, 3, 6), (39, 39, 39))
    """
    items, raters, n = sizes
    over_items, over_raters, shared = variances
    together = sum(
        max(0.0, over - shared) ** 2 / of for over, of in zip((over_items, over_raters), pairs, strict=True) if of
    )
    of_squares = shared**2 / (shared**2 / n + together) if shared else 0.0
    left = max(min(items, raters) - 1, min(n - 1, of_squares), n - items - raters + 1)
    return round(items - 1), round(raters - 1), round(left)


def generalized_half(variances: tuple[float, ...], freedom: tuple[int, ...], level: float) -> float:
    """How far from the mean the truth is with this probability, over what the true variances could be."""
    over_items, over_raters, shared = (
        variance / chi_squares(df, at) for at, (variance, df) in enumerate(zip(variances, freedom, strict=True))
    )
    errors = np.sqrt(np.maximum(over_items + over_raters - shared, shared))
    most = float(errors.max()) * float(scipy.stats.norm.isf((1 - level) / 2))
    return float(
        scipy.optimize.brentq(lambda half: 2 * scipy.special.ndtr(-half / errors).mean() - (1 - level), 0.0, most)
    )


@lru_cache(maxsize=1_000)
def chi_squares(freedom: int, dimension: int) -> Floats:
    """χ² over its degrees of freedom at points spread evenly over 3 dimensions (Roberts 2018)."""
    spread = (0.5 + np.arange(1, _POINTS + 1) * _PLASTIC ** -(dimension + 1)) % 1
    return np.asarray(2 * scipy.special.gammaincinv(freedom / 2, spread) / freedom)


def pairs_within(kind: Ints) -> float:
    """How many ordered pairs of values have this in common.

    >>> pairs_within(np.array([0, 0, 0, 1]))
    6.0
    """
    sizes = np.bincount(kind).astype(np.float64)
    return float(sizes @ sizes - sizes.sum())


def _over(off: Floats, kind: Ints) -> float:
    """The variance of the mean from residuals that are summed within clusters."""
    sums = np.bincount(kind, weights=off)
    return float(sums @ sums) * len(sums) / (len(sums) - 1) / len(off) ** 2


def _over_items_or_raters(
    numbers: Floats, kinds: list[Ints], sizes: tuple[int, int], level: float, method: str, ends: Ends | None
) -> Estimate:
    """Over the one of which there are enough, about those of the other that there are."""
    over = 0 if sizes[1] < _FEWEST and (sizes[0] > 1 or sizes[1] == 1) else 1
    mean, n, n_over = float(numbers.mean()), len(numbers), sizes[over]
    half, reason = _half_about(numbers, (kinds[over], kinds[1 - over]), n_over, level)
    if half is None:
        return Estimate(mean, n, method, reason=reason)
    method_text = f"Student's t over {n_over} {('items', 'raters')[over]}"
    interval = interval_within(mean, half, level, method_text, ends)
    return Estimate(mean, n, method, interval, reason=_ABOUT[1 - over, sizes[1 - over]])


def _half_about(
    numbers: Floats, kinds: tuple[Ints, Ints], n_over: int, level: float
) -> tuple[float | None, Reason | None]:
    """The half width over the first kind, with the second as it is: how far those differ is no error.

    A mean of each of the second is taken from the numbers, and with it a degree of freedom, unless their places among
    the first are the same: with items all of which every rater heard, one degree less than items remains.
    """
    over, about = kinds
    per = np.zeros((n_over, int(about.max()) + 1))
    np.add.at(per, (over, about), 1)
    freedom = n_over - int(np.linalg.matrix_rank(per))
    if freedom < 1:
        return None, _ONE
    off = numbers - (np.bincount(about, weights=numbers) / np.bincount(about))[about]
    if np.ptp(off) < _NOTHING:
        return None, _SAME
    sums = np.bincount(over, weights=off)
    error = math.sqrt(n_over / freedom * float(sums @ sums)) / len(numbers)
    if error < _NOTHING:
        return None, _ALIKE
    return error * float(scipy.stats.t.isf((1 - level) / 2, freedom)), None
