"""Means of systems adjusted for how severe their raters are, and how severe each rater is."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from stats import reasons
from stats.arrays import Bools, Floats, Ints
from stats.rater_models.components import Components, variance_components
from stats.rater_models.rated import Rated, groups
from stats.results import Ends, Estimate, Interval, left_out
from stats.systems.means import generalized_half, interval_within, pairs_within, two_way_freedom

_ADJUSTED = "mean adjusted for severity"
_DIFFERENCE = "difference adjusted for severity"
_SEVERITY = "severity"
_FEWEST = 3
_ENOUGH = 20
#: Degrees of freedom of a variance that is as good as known.
_KNOWN = 100_000
_NOTHING = 1e-12


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Adjusted means of `n_systems` systems and severities of `n_raters` raters, by their numbers.

    `used` marks the ratings that a chain of raters and systems links, the largest set of these; `weights`, shape
    (used ratings, systems), are what each of them counts for in each system's mean.
    """

    rated: Rated
    used: Bools
    means: Floats
    weights: Floats
    severity: Floats
    severity_errors: Floats
    components: Components
    level: float
    ends: Ends | None

    @cached_property
    def _of_used(self) -> Rated:
        return self.rated.where(self.used)

    def mean(self, system: int) -> Estimate:
        """The system's adjusted mean, with an interval over raters and items at once."""
        n = int((self._of_used.systems == system).sum())
        other = int((self.rated.systems == system).sum()) - n
        excluded = left_out((other, reasons.NOT_LINKED()))
        if not n:
            return Estimate(
                None,
                0,
                _ADJUSTED,
                excluded=excluded,
                reason=reasons.NOT_LINKED() if other else reasons.NOBODY_RATED(),
            )
        mean = float(self.means[system])
        half = self._half(self.weights[:, system], (system,))
        if half is None:
            return Estimate(mean, n, _ADJUSTED, excluded=excluded, reason=reasons.FEW_FOR_SEVERITY())
        ends = self.ends if self.ends and self.ends[0] < mean < self.ends[1] else None
        return Estimate(mean, n, _ADJUSTED, interval_within(mean, half, self.level, self._method, ends), excluded)

    def difference(self, one: int, other: int) -> Estimate:
        """How much higher the first is rated; what raters have in common for both systems is no error of it."""
        n = int(np.isin(self._of_used.systems, (one, other)).sum())
        if not all((self._of_used.systems == it).any() for it in (one, other)):
            return Estimate(None, 0, _DIFFERENCE, reason=reasons.NOT_LINKED())
        found = float(self.means[one] - self.means[other])
        half = self._half(self.weights[:, one] - self.weights[:, other], (one, other))
        if half is None:
            return Estimate(found, n, _DIFFERENCE, reason=reasons.FEW_FOR_SEVERITY())
        return Estimate(found, n, _DIFFERENCE, Interval(found - half, found + half, self.level, self._method))

    def severity_of(self, rater: int) -> Estimate:
        """By how much lower this rater rates than the average of raters, shrunk as far as that is uncertain."""
        mine = self._of_used.raters == rater
        n = int(mine.sum())
        if not n:
            there = bool((self.rated.raters == rater).any())
            return Estimate(None, 0, _SEVERITY, reason=reasons.NOT_LINKED() if there else reasons.NO_VALUE())
        found, n_raters = float(self.severity[rater]), len(np.unique(self._of_used.raters))
        if n_raters < _FEWEST or not self.components.at_least_zero("rater"):
            reason = reasons.NO_SEVERITY_SEEN() if n_raters >= _FEWEST else reasons.FEW_FOR_SEVERITY()
            return Estimate(found, n, _SEVERITY, reason=reason)
        half = self._half_of_severity(float(self.severity_errors[rater]), n_raters)
        return Estimate(found, n, _SEVERITY, Interval(found - half, found + half, self.level, "prediction error"))

    def _half_of_severity(self, error: float, n_raters: int) -> float:
        """Of the error's two parts, that of the average of raters is known as badly as they are few, and that of
        ratings well: the generalized interval of both; from twenty raters on, where it is the same, Student's t with
        the degrees of freedom of their sum (Satterthwaite 1946).
        """
        of_average = min(self.components.at_least_zero("rater") / n_raters, error**2)
        if n_raters < _ENOUGH:
            parts = (of_average, error**2 - of_average, 0.0)
            return generalized_half(parts, (n_raters - 1, _KNOWN, 1), self.level)
        freedom = (n_raters - 1) * (error**2 / of_average) ** 2
        return error * float(scipy.stats.t.isf((1 - self.level) / 2, freedom))

    @property
    def _method(self) -> str:
        return "generalized interval over items and raters"

    def _half(self, weights: Floats, systems: tuple[int, ...]) -> float | None:
        """The half width over the items and raters of these systems at once, as for plain means (`two_way_mean`).

        Severity counts for what raters add; the rest is what it leaves of the ratings.
        """
        used = self._of_used
        off = used.values - self.means[used.systems]
        of_raters, rest = weights * off, weights * (off + self.severity[used.raters])
        own = np.isin(used.systems, systems)
        n_items, n_raters = (len(np.unique(it[own])) for it in (used.items, used.raters))
        if min(n_items, n_raters) < _FEWEST:
            return None
        cells = groups(used.items, used.raters)
        sizes = (n_items, n_raters, len(np.unique(cells[own])))
        variances = [
            _between(contributions, groups(of), n)
            for contributions, of, n in zip(
                (rest, of_raters, rest), (used.items, used.raters, cells), sizes, strict=True
            )
        ]
        if max(variances) < _NOTHING**2:
            return None
        three = (variances[0], variances[1], variances[2])
        pairs = (pairs_within(groups(used.items[own])), pairs_within(groups(used.raters[own])))
        freedom = two_way_freedom(three, (n_items, n_raters, int(own.sum())), pairs)
        return generalized_half(three, freedom, self.level)


def adjusted_means(
    rated: Rated, *, n_systems: int, n_raters: int, level: float = 0.95, ends: Ends | None = None
) -> Adjusted:
    """Means of systems as if all raters had rated all alike: rating = system + rater + item + rest, added up.

    It is the additive form of the many-facet model of severity (Linacre 1989; as a mixed model: Henderson 1975).
    Systems are fixed; raters, items and responses are random with the variances that `variance_components` finds, so
    that a rater with few ratings is adjusted little. The error is not taken from the model: what each rating adds to
    a mean is summed within raters and within items (Cameron, Gelbach & Miller 2011), as in `means.two_way_mean`; so
    raters with tastes and a wrong model are allowed for. Ratings that no chain of raters and systems links with the
    largest set are left out, as severity and system are then one.

    >>> values = np.array([5.0, 5, 4, 3, 3, 2, 4, 4, 4, 3, 2, 2])
    >>> raters = np.array([0, 0, 0, 1, 1, 1, 0, 0, 2, 2, 1, 2])
    >>> rated = Rated(values, np.repeat([0, 1], 6), np.tile([0, 1, 2], 4), raters)
    >>> found = adjusted_means(rated, n_systems=2, n_raters=3)
    >>> [round(found.mean(it).estimate, 2) for it in (0, 1)], round(found.severity_of(1).estimate, 2)
    ([3.68, 3.03], 0.8)
    """
    used = _linked(rated, n_systems)
    ours = rated.where(used)
    found = variance_components(ours)
    if not len(ours):
        nothing = np.full(n_raters, np.nan)
        return Adjusted(
            rated, used, np.full(n_systems, np.nan), np.zeros((0, n_systems)), nothing, nothing, found, level, ends
        )
    there = np.unique(ours.systems)
    fit = _Fit(ours, there, found)
    means = np.full(n_systems, np.nan)
    means[there] = fit.means
    weights = np.zeros((len(ours), n_systems))
    weights[:, there] = fit.weights
    severity, errors = np.full((2, n_raters), np.nan)
    severity[fit.raters], errors[fit.raters] = fit.severity, fit.severity_errors
    return Adjusted(rated, used, means, weights, severity, errors, found, level, ends)


class _Fit:
    """The mixed-model equations, solved: best linear unbiased estimates of systems, predictions of raters."""

    def __init__(self, rated: Rated, systems: Ints, components: Components) -> None:
        self.raters, rater = np.unique(rated.raters, return_inverse=True)
        n, n_systems, n_raters = len(rated), len(systems), len(self.raters)
        variance = components.at_least_zero
        residual = variance("residual") + variance("item_rater")
        of_raters = variance("rater")
        if residual < _NOTHING:  # nothing is random but what has a name: plain means, or equal weights
            residual = max(1.0, float(rated.values.var()))
        adjusts = of_raters > _NOTHING and components.reason is None
        at = np.column_stack([np.searchsorted(systems, rated.systems), n_systems + rater.reshape(-1)])
        design = scipy.sparse.csr_array(
            (np.ones(2 * n), (np.repeat(np.arange(n), 2), at.reshape(-1))), shape=(n, n_systems + n_raters)
        )
        if not adjusts:
            design = design[:, :n_systems]
        inverse = _Inverse(rated, residual, variance("response"), variance("item"))
        matrix = np.asarray((design.T @ inverse.times(design)).todense())
        if adjusts:
            matrix[n_systems:, n_systems:] += np.eye(n_raters) / of_raters
        solved = np.linalg.inv(matrix)
        self.weights: Floats = inverse.times_dense(design @ solved[:, :n_systems])
        self.means: Floats = self.weights.T @ rated.values
        self.severity: Floats = np.zeros(n_raters)
        self.severity_errors: Floats = np.zeros(n_raters)
        if adjusts:
            self.severity = -(inverse.times_dense(design @ solved[:, n_systems:]).T @ rated.values)
            tastes = variance("system_rater") * _spread_over(rater.reshape(-1), at[:, 0])
            self.severity_errors = np.sqrt(np.diag(solved)[n_systems:] + tastes)


class _Inverse:
    """The inverse of the covariance of ratings whose responses, and whose items, vary: Woodbury's identity, twice.

    Responses stand within items, so neither step needs more than sums over them.
    """

    def __init__(self, rated: Rated, residual: float, response: float, item: float) -> None:
        of_response, of_item = groups(rated.systems, rated.items), groups(rated.items)
        self.residual = residual
        self.responses, self.items = _indicator(of_response), _indicator(of_item)
        sizes = np.bincount(of_response)
        self.by_response = response / (residual + sizes * response)
        item_of = np.zeros(len(sizes), dtype=np.int64)
        item_of[of_response] = of_item
        within = np.bincount(item_of, weights=sizes - self.by_response * sizes**2) / residual
        self.by_item = item / (1 + item * within)

    def times(self, matrix: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
        first = self._of_responses(matrix)
        by_item = scipy.sparse.diags_array(self.by_item) @ (self.items.T @ first)
        return scipy.sparse.csr_array(first - self._of_responses(self.items @ by_item))

    def times_dense(self, matrix: Floats) -> Floats:
        first = self._of_dense(matrix)
        by_item = self.by_item[:, np.newaxis] * (self.items.T @ first)
        return np.asarray(first - self._of_dense(self.items @ by_item))

    def _of_responses(self, matrix: "scipy.sparse.csr_array") -> "scipy.sparse.csr_array":
        shrunk = self.responses @ (scipy.sparse.diags_array(self.by_response) @ (self.responses.T @ matrix))
        return scipy.sparse.csr_array((matrix - shrunk) / self.residual)

    def _of_dense(self, matrix: Floats) -> Floats:
        shrunk = self.responses @ (self.by_response[:, np.newaxis] * (self.responses.T @ matrix))
        return np.asarray((matrix - shrunk) / self.residual)


def _indicator(of: Ints) -> "scipy.sparse.csr_array":
    n = len(of)
    return scipy.sparse.csr_array((np.ones(n), (np.arange(n), of)), shape=(n, int(of.max(initial=-1)) + 1))


def _spread_over(raters: Ints, systems: Ints) -> Floats:
    """Of each rater, Σ of the squared shares of their ratings that each system has: 1 where all are of one."""
    both = groups(raters, systems)
    sizes, rater_of = np.bincount(both), np.zeros(int(both.max()) + 1, dtype=np.int64)
    rater_of[both] = raters
    return np.bincount(rater_of, weights=sizes.astype(np.float64) ** 2) / np.bincount(raters) ** 2


def _linked(rated: Rated, n_systems: int) -> Bools:
    """The ratings of the largest set that a chain of raters and systems connects."""
    if not len(rated):
        return np.zeros(0, dtype=bool)
    raters = groups(rated.raters)
    size = n_systems + int(raters.max()) + 1
    graph = scipy.sparse.csr_array((np.ones(len(rated)), (rated.systems, n_systems + raters)), shape=(size, size))
    island = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][rated.systems]
    return np.asarray(island == np.bincount(island).argmax())


def _between(contributions: Floats, of: Ints, n: int) -> float:
    """The variance of a sum of contributions that vary together within clusters, of which `n` count."""
    sums = np.bincount(of, weights=contributions)
    return float(sums @ sums) * n / (n - 1)
