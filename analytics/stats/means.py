"""The mean of numbers, and how far it could have come out otherwise over other clusters of them."""

import math
from collections.abc import Sequence

import numpy as np
from scipy import stats

from analytics.stats.results import Estimate, Interval, left_out

_METHOD = "mean"


def cluster_mean(
    values: Sequence[float | None], clusters: Sequence[object], *, level: float = 0.95, method: str = _METHOD
) -> Estimate:
    """The mean over all values that are there, with an interval over clusters (items), whose values vary together.

    The error is the sandwich's over clusters, √(C / (C − 1) · Σ (Σ residuals)²) / n, times Student's t with C − 1
    degrees of freedom; with one value per cluster it is the textbook's (Cameron & Miller 2015, §II). Undefined
    without values; without an interval where there is one cluster, or where all values are the same.

    >>> found = cluster_mean([1.0, 2.0, 3.0, None], ["a", "b", "c", "d"])
    >>> found.estimate, found.n, round(found.interval.low, 3), round(found.interval.high, 3)
    (2.0, 3, -0.484, 4.484)
    """
    there = [(value, cluster) for value, cluster in zip(values, clusters, strict=True) if value is not None]
    excluded = left_out((len(values) - len(there), "no value"))
    if not there:
        return Estimate(None, 0, method, excluded=excluded, reason="no value")
    numbers = np.array([value for value, _ in there], dtype=np.float64)
    place = {cluster: n for n, cluster in enumerate(dict.fromkeys(cluster for _, cluster in there))}
    mean, n, n_clusters = float(numbers.mean()), len(numbers), len(place)
    if n_clusters < 2 or np.ptp(numbers) == 0:
        what = "one cluster alone says" if n_clusters < 2 else "values that are all the same say"
        reason = f"{what} nothing of how others would vary"
        return Estimate(mean, n, method, excluded=excluded, reason=reason)
    sums = np.bincount([place[cluster] for _, cluster in there], weights=numbers - mean, minlength=n_clusters)
    error = math.sqrt(n_clusters / (n_clusters - 1) * float(sums @ sums)) / n
    half = error * float(stats.t.isf((1 - level) / 2, n_clusters - 1))
    interval = Interval(mean - half, mean + half, level, f"Student's t over {n_clusters} clusters")
    return Estimate(mean, n, method, interval=interval, excluded=excluded)
