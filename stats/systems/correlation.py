"""Whether two scores of the same systems or items go together."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal

import numpy as np
import scipy

from stats import reasons
from stats.arrays import Bools, Floats, ratio
from stats.intervals import Bootstrap, UnitSums
from stats.results import COEFFICIENT, Estimate, Interval, left_out

Coefficient = Literal["pearson", "spearman", "kendall"]
Number = float | Fraction

_NAMES: dict[Coefficient, str] = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
_FEWEST = 3
_FEWEST_DRAWN = {"pearson": 5, "spearman": 7}
_ROUNDING = 1e-12
#: Percentiles of α of two scores are too close together with fewer (held in 90 to 93 of 100 with 20 to 60 items).
_ENOUGH_FOR_ALPHA = 1_000


def correlation(
    one: Sequence[Number | None],
    other: Sequence[Number | None],
    *,
    kind: Coefficient = "spearman",
    bootstrap: Bootstrap | None = None,
) -> Estimate:
    """Correlate two scores of the same things, None where there is none (COMPASS App. F.4; AudioJudge Table 3).

    Give win rates as Fractions: equal ones then stay equal, where floats would break the tie (a ρ of 0.8088 becomes
    0.8022). Ties get mean ranks. Undefined for fewer than three pairs of scores, and where one side is constant.

    >>> correlation([1, 2, 3, None], [1, 3, 2, 5]).estimate
    0.5
    >>> correlation([1, 2, 3], [4, 4, 4]).reason
    'one side is always the same'
    """
    used = np.array([a is not None and b is not None for a, b in zip(one, other, strict=True)], dtype=bool)
    method, excluded = _NAMES[kind], left_out(((~used).sum(), reasons.NO_SCORE_ON_ONE_SIDE()))
    n = int(used.sum())
    if n < _FEWEST:
        return Estimate(None, n, method, excluded=excluded, reason=reasons.FEW_PAIRS_OF_SCORES(n=_FEWEST))
    first, second = _numbers(one, used, kind), _numbers(other, used, kind)
    value = _COEFFICIENTS[kind](first, second)
    if np.isnan(value):
        return Estimate(None, n, method, excluded=excluded, reason=reasons.ONE_SIDE_CONSTANT())
    found = Estimate(value, n, method, excluded=excluded)
    if bootstrap is None:
        return found
    if kind == "pearson":
        return bootstrap.of_sums(found, _moments(first, second, used))
    if kind == "spearman":
        return bootstrap.of_weights(found, used, lambda it: weighted_spearman(first, second, it), ends=COEFFICIENT)
    return bootstrap.of_rows(found, used, lambda places: _kendall(first[places], second[places]), ends=COEFFICIENT)


def drawn_correlation(
    one: Sequence[Number | None],
    other: Sequence[Number | None],
    *,
    kind: Literal["pearson", "spearman"] = "spearman",
    level: float = 0.95,
) -> Estimate:
    """Correlate two scores of a few things, with an interval about all things like these, from which they are drawn.

    Fisher's z of Pearson's r, with Bonett & Wright's (2000) error of Spearman's ρ. Where ranks are the same, or one
    another's mirror, z is taken half way to the next ρ that so many things can have, as 1 itself has no error.
    Without an interval for fewer than five things, or seven for ρ, whose few values would say too little.

    >>> found = drawn_correlation([1, 2, 3, 4, 5, 6, 7], [2, 1, 3, 4, 5, 7, 6])
    >>> round(found.estimate, 3), round(found.interval.low, 3), round(found.interval.high, 3)
    (0.929, 0.443, 0.993)
    """
    found = correlation(one, other, kind=kind)
    if found.estimate is None:
        return found
    n, r = found.n, found.estimate
    if n < _FEWEST_DRAWN[kind]:
        return replace(found, reason=reasons.FEW_FOR_INTERVAL(least=_FEWEST_DRAWN[kind], n=n))
    most = 1 - (6 / (n**3 - n) if kind == "spearman" else _ROUNDING)
    r = min(max(r, -most), most)
    error = np.sqrt((1 + r * r / 2 if kind == "spearman" else 1) / (n - 3))
    reach = float(error * scipy.stats.norm.isf((1 - level) / 2))
    low, high = (float(np.tanh(np.arctanh(r) + way * reach)) for way in (-1, 1))
    how = "Bonett and Wright's error of z" if kind == "spearman" else "Fisher's z"
    return replace(found, interval=Interval(low, high, level, f"{how}, over {n} systems"))


def interval_alpha(
    one: Sequence[float | None], other: Sequence[float | None], *, bootstrap: Bootstrap | None = None
) -> Estimate:
    """Krippendorff's α of two scores of the same things, at interval level, whatever numbers they are.

    Other than a correlation it falls where one score is higher throughout. One minus the mean squared difference
    within a pair over that between any two scores (Krippendorff 2019, ch. 12). Undefined without pairs of scores, and
    where all of them are the same.

    >>> interval_alpha([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]).estimate
    1.0
    >>> round(interval_alpha([1.0, 2.0, 3.0], [3.0, 4.0, 5.0]).estimate, 4)
    0.0
    """
    used = np.array([a is not None and b is not None for a, b in zip(one, other, strict=True)], dtype=bool)
    method, excluded = "Krippendorff's α, interval", left_out(((~used).sum(), reasons.NO_SCORE_ON_ONE_SIDE()))
    first, second = (np.array([it for it, there in zip(side, used, strict=True) if there], dtype=np.float64)
                     for side in (one, other))  # fmt: skip
    if not len(first):
        return Estimate(None, 0, method, excluded=excluded, reason=reasons.NO_OVERLAP())
    middle = float((first.mean() + second.mean()) / 2)
    first, second = first - middle, second - middle
    parts = np.stack([np.ones(len(first)), (first - second) ** 2, first + second, first**2 + second**2], axis=1)
    sums = UnitSums(parts, np.arange(len(first)), used, _alpha_of_moments, COEFFICIENT)
    if (value := sums.value()) is None:
        return Estimate(None, len(first), method, excluded=excluded, reason=reasons.SAME_LABEL())
    found = Estimate(value, len(first), method, excluded=excluded)
    return found if bootstrap is None else bootstrap.of_sums(found, sums, enough=_ENOUGH_FOR_ALPHA)


def _alpha_of_moments(sums: Floats) -> Floats:
    n, squared, total, squares = np.moveaxis(sums, -1, 0)
    between = 2 * (squares - ratio(total * total, 2 * n))
    within = np.where(between > 1e-12 * squares, squared, np.nan)
    return np.asarray(1 - ratio((2 * n - 1) * within, n * between))


def mean_ranks(scores: Sequence[Number]) -> Floats:
    """Ranks from 1, the smallest first; equal scores share the mean of theirs. Fractions are compared exactly.

    >>> mean_ranks([Fraction(1, 3), Fraction(2, 6), Fraction(1, 2)])
    array([1.5, 1.5, 3. ])
    """
    order = {score: place for place, score in enumerate(sorted(set(scores)))}
    return np.asarray(scipy.stats.rankdata([order[score] for score in scores]), dtype=np.float64)


def weighted_spearman(one: Floats, other: Floats, weights: Floats) -> Floats:
    """Spearman's ρ of rows that are there as often as `weights` say, shape (resamples, rows), each ranked anew.

    NaN where one side is always the same.

    >>> weighted_spearman(np.array([1.0, 2, 9]), np.array([1.0, 3, 2]), np.array([[1.0, 1, 1], [2, 1, 0]]))
    array([0.5, 1. ])
    """
    ranks = (_weighted_ranks(one, weights), _weighted_ranks(other, weights))
    n = weights.sum(axis=1, keepdims=True)
    first, second = (side - (weights * side).sum(axis=1, keepdims=True) / n for side in ranks)
    varied = (weights * first * first).sum(axis=1) * (weights * second * second).sum(axis=1)
    found: Floats = np.clip(ratio((weights * first * second).sum(axis=1), np.sqrt(varied)), -1, 1)
    return found


def linear_spearman(one: Sequence[float | None], other: Sequence[float | None], *, bootstrap: Bootstrap) -> Estimate:
    """Spearman's ρ with an interval for many rows: what each row adds to it is resampled, and not the rows.

    ρ is, up to smaller terms, the mean of an influence per row (Hampel 1974; with ties, of mid-ranks); drawing sums
    of these costs as much as there are clusters. Taken on Fisher's scale, so that it stays within ±1.

    >>> rng = np.random.default_rng(1)
    >>> found = linear_spearman([1, 2, 3, 4, 5, 6], [1, 3, 2, 4, 6, 5], bootstrap=Bootstrap(rng))
    >>> round(found.estimate, 4), found.interval.low < 0.88 < found.interval.high
    (0.8857, True)
    """
    found = correlation(one, other)
    if found.estimate is None or abs(found.estimate) > 1 - 1e-12:
        return found
    used = np.array([a is not None and b is not None for a, b in zip(one, other, strict=True)], dtype=bool)
    first, second = (np.array([float(it) for it in side if it is not None]) for side in _both(one, other))
    influence = _influence(first, second) / (1 - found.estimate**2)
    middle = float(np.arctanh(found.estimate))
    parts = np.stack([influence, np.ones(len(influence))], axis=1)

    def statistic(sums: Floats) -> Floats:
        return np.tanh(middle + ratio(sums[..., 0], sums[..., 1]))

    return bootstrap.of_sums(found, UnitSums(parts, np.arange(len(parts)), used, statistic, COEFFICIENT))


def _both(
    one: Sequence[float | None], other: Sequence[float | None]
) -> tuple[list[float | None], list[float | None]]:
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return [a for a, _ in pairs], [b for _, b in pairs]


def _influence(one: Floats, other: Floats) -> Floats:
    """Of each row on ρ."""
    u, v = (scipy.stats.rankdata(side) - 0.5 for side in (one, other))
    u, v = u / len(one) - 0.5, v / len(one) - 0.5
    both, own, its = float((u * v).mean()), float((u * u).mean()), float((v * v).mean())
    on_both = u * v - both + _moved(one, v) + _moved(other, u)
    on_own, on_its = u * u - own + 2 * _moved(one, u), v * v - its + 2 * _moved(other, v)
    influence: Floats = on_both / np.sqrt(own * its) - both / np.sqrt(own * its) / 2 * (on_own / own + on_its / its)
    return influence


def _moved(values: Floats, by: Floats) -> Floats:
    """How far the mean of rank × `by` moves with each row, for the ranks that all the others get through it."""
    order = np.argsort(values, kind="stable")
    _distinct, starts, place = np.unique(values[order], return_index=True, return_inverse=True)
    of_value = np.add.reduceat(by[order], starts)
    above = of_value.sum() - np.cumsum(of_value) + of_value / 2
    moved = np.empty_like(by)
    moved[order] = above[place.reshape(-1)] / len(by)
    centred: Floats = moved - moved.mean()
    return centred


def _moments(one: Floats, other: Floats, used: Bools) -> UnitSums:
    one, other = one - one.mean(), other - other.mean()
    parts = np.stack([np.ones(len(one)), one, other, one * one, other * other, one * other], axis=1)
    return UnitSums(parts, np.arange(len(one)), used, _pearson_of_moments, COEFFICIENT)


def _pearson_of_moments(sums: Floats) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    of_one, of_other = xx - ratio(x * x, n), yy - ratio(y * y, n)
    varies = (of_one > 1e-12 * xx) & (of_other > 1e-12 * yy)
    below = np.sqrt(np.where(varies, of_one * of_other, 0))
    found: Floats = np.clip(ratio(xy - ratio(x * y, n), below), -1, 1)
    return found


def _weighted_ranks(values: Floats, weights: Floats) -> Floats:
    """Mean ranks from ½ on, one row per resample."""
    order = np.argsort(values, kind="stable")
    _distinct, starts, place = np.unique(values[order], return_index=True, return_inverse=True)
    there = np.add.reduceat(weights[:, order], starts, axis=1)
    middle = np.cumsum(there, axis=1) - there / 2
    ranks = np.empty_like(weights)
    ranks[:, order] = middle[:, place.reshape(-1)]
    return ranks


def _numbers(scores: Sequence[Number | None], used: Bools, kind: Coefficient) -> Floats:
    known = [score for score, is_used in zip(scores, used, strict=True) if is_used and score is not None]
    return np.array([float(score) for score in known]) if kind == "pearson" else mean_ranks(known)


def _pearson(one: Floats, other: Floats) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    one, other = one - one.mean(), other - other.mean()
    return float(np.clip(one @ other / np.sqrt((one @ one) * (other @ other)), -1, 1))


def spearman(one: Floats, other: Floats) -> float:
    """Spearman's ρ of numbers that are all there; NaN where one side is always the same."""
    return _pearson(scipy.stats.rankdata(one), scipy.stats.rankdata(other))


def _kendall(one: Floats, other: Floats) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(scipy.stats.kendalltau(one, other).statistic)


_COEFFICIENTS: dict[Coefficient, Callable[[Floats, Floats], float]] = {
    "pearson": _pearson,
    "spearman": spearman,
    "kendall": _kendall,
}
