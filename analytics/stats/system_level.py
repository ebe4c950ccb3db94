"""Two scores of the same systems, each a mean over items: do they rank the systems alike, and on other items too?"""

from typing import Literal

import numpy as np

from analytics.stats.arrays import Floats, Ints, ratio
from analytics.stats.intervals import percentile_interval, percentiles
from analytics.stats.results import Estimate, left_out

_NAMES = {"pearson": "Pearson's r of systems", "spearman": "Spearman's ρ of systems"}
_FEWEST = 3


class OverItems:
    """Means of systems over items as they are (first row) and over resamples of the items, shape (1 + resamples, …).

    All scores are resampled on the same items, so what two scores of a system have in common stays.
    """

    def __init__(self, n_items: int, n_systems: int, *, rng: np.random.Generator, resamples: int = 1_000) -> None:
        self.n_items, self.n_systems = n_items, n_systems
        places = rng.integers(n_items, size=(resamples, n_items)) + n_items * np.arange(resamples)[:, np.newaxis]
        drawn = np.bincount(places.reshape(-1), minlength=resamples * n_items).reshape(resamples, n_items)
        self.weights = np.concatenate([np.ones((1, n_items)), drawn])

    def means(self, values: Floats, items: Ints, systems: Ints) -> Floats:
        """Of values that are there (NaN is not), by item and system."""
        there = ~np.isnan(values)
        cells = items[there] * self.n_systems + systems[there]
        size = self.n_items * self.n_systems
        total, n = (
            np.bincount(cells, weights=of, minlength=size).reshape(self.n_items, self.n_systems)
            for of in (values[there], np.ones(int(there.sum())))
        )
        return ratio(self.weights @ total, self.weights @ n)

    def constant(self, values: Floats) -> Floats:
        """Of scores that are of systems as a whole: the same on all items."""
        return np.tile(values, (len(self.weights), 1))

    def correlate(
        self, one: Floats, other: Floats, *, kind: Literal["pearson", "spearman"] = "spearman", level: float = 0.95
    ) -> Estimate:
        """Correlate two sets of means; the interval is over items. Undefined as `correlation.correlation` is.

        >>> rng = np.random.default_rng(0)
        >>> over = OverItems(4, 3, rng=rng, resamples=50)
        >>> items, systems = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
        >>> up = over.means(systems + rng.normal(size=12), items, systems)
        >>> over.correlate(up, over.constant(np.array([1.0, 2, 3]))).n
        3
        """
        known = ~(np.isnan(one[0]) | np.isnan(other[0]))
        n, method = int(known.sum()), _NAMES[kind]
        excluded = left_out(((~known).sum(), "a system without a score on one side"))
        if n < _FEWEST:
            return Estimate(
                None, n, method, excluded=excluded, reason=f"fewer than {_FEWEST} systems with both scores"
            )
        sides = (one[:, known], other[:, known])
        values = _pearsons(*(sides if kind == "pearson" else map(_ranks, sides)))
        if np.isnan(values[0]):
            return Estimate(None, n, method, excluded=excluded, reason="one side is always the same")
        found = Estimate(float(values[0]), n, method, excluded=excluded)
        if self.n_items < 2:
            return found
        told = f"percentile bootstrap over {self.n_items} items, {len(values) - 1} resamples"
        return percentile_interval(found, values[1:], percentiles(level, self.n_items), method=told)


def _ranks(means: Floats) -> Floats:
    """Mean ranks within each row; NaN makes the whole row NaN."""
    above, below = means[:, :, np.newaxis], means[:, np.newaxis, :]
    ranks = (above > below).sum(axis=2) + (above == below).sum(axis=2) / 2
    return np.where(np.isnan(means).any(axis=1, keepdims=True), np.nan, ranks)


def _pearsons(one: Floats, other: Floats) -> Floats:
    first, second = (side - side.mean(axis=1, keepdims=True) for side in (one, other))
    of_one, of_other = (first * first).sum(axis=1), (second * second).sum(axis=1)
    sizes = [(side * side).sum(axis=1) for side in (one, other)]
    varies = (of_one > 1e-12 * sizes[0]) & (of_other > 1e-12 * sizes[1])
    below = np.sqrt(np.where(varies, of_one * of_other, 0))
    found: Floats = np.clip(ratio((first * second).sum(axis=1), below), -1, 1)
    return found
