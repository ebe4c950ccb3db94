"""Two scores of the same systems, each a mean over items: do they rank the systems alike, and on other items too?"""

from dataclasses import replace

import numpy as np

from stats import reasons
from stats.arrays import Floats, Ints, ratio
from stats.results import Estimate, left_out
from stats.systems.correlation import Coefficient
from stats.systems.shrinkage import Measured
from stats.systems.system_rates import correlations, of_true_means

_NAMES: dict[Coefficient, str] = {
    "pearson": "Pearson's r of systems",
    "spearman": "Spearman's ρ of systems",
    "kendall": "Kendall's τ-b of systems",
}
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
        self._seed = int(rng.integers(2**63))

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
        self, one: Floats, other: Floats, *, kind: Coefficient = "spearman", level: float = 0.95
    ) -> Estimate:
        """Correlate two sets of means. Undefined as `correlation.correlation` is.

        The interval is about the correlation of these systems' means over all items like these, which that over
        finitely many falls short of (see `shrinkage.true_means`, which also says when there is none).

        >>> rng = np.random.default_rng(0)
        >>> over = OverItems(4, 3, rng=rng, resamples=50)
        >>> items, systems = np.repeat(np.arange(4), 3), np.tile(np.arange(3), 4)
        >>> up = over.means(systems + rng.normal(size=12), items, systems)
        >>> over.correlate(up, over.constant(np.array([1.0, 2, 3]))).n
        3
        """
        known = ~(np.isnan(one[0]) | np.isnan(other[0]))
        n, method = int(known.sum()), _NAMES[kind]
        excluded = left_out(((~known).sum(), reasons.ONE_SIDE_WITHOUT_SYSTEM_SCORE()))
        if n < _FEWEST:
            return Estimate(None, n, method, excluded=excluded, reason=reasons.FEW_SYSTEMS_WITH_SCORES(n=_FEWEST))
        sides = (one[:, known], other[:, known])
        value = float(correlations(sides[0][:1], sides[1][:1], kind=kind)[0])
        if np.isnan(value):
            return Estimate(None, n, method, excluded=excluded, reason=reasons.ONE_SIDE_CONSTANT())
        found = Estimate(value, n, method, excluded=excluded)
        if self.n_items < 2:
            return replace(found, reason=reasons.ONE_ITEM())
        measured = (Measured(side[0], side[1:], self.n_items) for side in sides)
        return of_true_means(found, *measured, kind=kind, level=level, rng=np.random.default_rng(self._seed))
