"""Whether two scores of the same systems or items go together."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
from scipy import stats

from analytics.stats.arrays import Bools, Floats
from analytics.stats.intervals import Bootstrap
from analytics.stats.results import Estimate, left_out

Coefficient = Literal["pearson", "spearman", "kendall"]
Number = float | Fraction

_NAMES: dict[Coefficient, str] = {"pearson": "Pearson's r", "spearman": "Spearman's ρ", "kendall": "Kendall's τ-b"}
_FEWEST = 3


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
    method, excluded = _NAMES[kind], left_out(((~used).sum(), "no score on one side"))
    n = int(used.sum())
    if n < _FEWEST:
        return Estimate(None, n, method, excluded=excluded, reason=f"fewer than {_FEWEST} pairs of scores")
    first, second = _numbers(one, used, kind), _numbers(other, used, kind)
    value = _COEFFICIENTS[kind](first, second)
    if np.isnan(value):
        return Estimate(None, n, method, excluded=excluded, reason="one side is always the same")
    found = Estimate(value, n, method, excluded=excluded)
    if bootstrap is None:
        return found
    return bootstrap.of_rows(found, used, lambda places: _COEFFICIENTS[kind](first[places], second[places]))


def mean_ranks(scores: Sequence[Number]) -> Floats:
    """Ranks from 1, the smallest first; equal scores share the mean of theirs. Fractions are compared exactly.

    >>> mean_ranks([Fraction(1, 3), Fraction(2, 6), Fraction(1, 2)])
    array([1.5, 1.5, 3. ])
    """
    order = {score: place for place, score in enumerate(sorted(set(scores)))}
    return np.asarray(stats.rankdata([order[score] for score in scores]), dtype=np.float64)


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
    return _pearson(stats.rankdata(one), stats.rankdata(other))


def _kendall(one: Floats, other: Floats) -> float:
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(stats.kendalltau(one, other).statistic)


_COEFFICIENTS: dict[Coefficient, Callable[[Floats, Floats], float]] = {
    "pearson": _pearson,
    "spearman": spearman,
    "kendall": _kendall,
}
