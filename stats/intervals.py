"""How far a number could have come out otherwise: bootstraps over units or clusters, jackknives over few of them."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Bools, Floats, Ints
from stats.confidence_sequences import reaches
from stats.jackknife import ENOUGH, LeftOut, jackknife_interval, jackknife_variance
from stats.results import UNBOUNDED, Ends, Estimate, Interval

#: With more resamples undefined than this, percentiles of the others would say little.
MAX_UNDEFINED = 0.05
_CELLS_AT_ONCE = 2**22
#: Of more rows than this, groups of them are left out instead of each alone.
_MOST_LEFT_OUT = 200
#: Clusters of units of so many kinds are looked through for clusters that are the same.
_MOST_KINDS = 64

Statistic = Callable[[Floats], Floats]


@dataclass(frozen=True, eq=False)
class UnitSums:
    """A statistic that is a function of sums over units.

    `parts`, shape (kinds, sums), is what a unit of each kind adds; `kinds` has the kind of each used unit, and `used`
    says which units of the table those are. `statistic` turns sums of shape (…, sums) into values of shape (…),
    NaN where undefined. Resampling a unit is resampling its kind, so a resample costs as much as there are kinds.
    `ends` are those between which the statistic is.
    """

    parts: Floats
    kinds: Ints
    used: Bools
    statistic: Statistic
    ends: Ends = UNBOUNDED

    def value(self) -> float | None:
        value = float(self.statistic(np.bincount(self.kinds, minlength=len(self.parts)) @ self.parts))
        return None if math.isnan(value) else value


@dataclass(frozen=True)
class Watched:
    """Intervals hold at every look, for statistics within these ends, tuned for effects of this size.

    They are confidence sequences around the estimate, from the variance of the resampled values, once there are
    `at_least` units or clusters: with fewer, one whose rare values have not come yet has too low a variance, and too
    high or too low an estimate (`benchmarks/statistics/watched_agreement.py`).
    """

    scale: float
    low: float = -math.inf
    high: float = math.inf
    at_least: int = 100


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """How to resample: units, or whole clusters of them (items, annotators), with replacement.

    `clusters` has one label per unit of the table, of any sortable type; all units of a drawn cluster stay together
    (Field & Welsh 2007), and what the labels are changes nothing. Intervals lie between percentiles (Efron &
    Tibshirani 1993, ch. 13), see `percentiles`. With fewer than twenty units or clusters each of them is left out in
    turn instead (see `jackknife`), as percentiles of so few are too close together.
    """

    rng: np.random.Generator
    resamples: int = 2_000
    level: float = 0.95
    clusters: Sequence[object] | Ints | None = None
    watched: Watched | None = None

    def of_sums(self, estimate: Estimate, sums: UnitSums, *, enough: int = ENOUGH) -> Estimate:
        """Add the interval of a statistic of sums over units; of fewer than `enough` each is left out in turn."""
        if estimate.estimate is None:
            return estimate
        blocks, multiplicity = self._blocks(sums)
        n = int(multiplicity.sum())
        if n < 2:
            return replace(estimate, reason=self._alone)
        if self._are_few(n, enough):
            without = np.repeat(sums.statistic(multiplicity @ blocks - blocks), multiplicity)
            left = LeftOut(without, self._unit, self._of_units(estimate.estimate, sums))
            return jackknife_interval(estimate, left, level=self.level, ends=sums.ends)
        values = [sums.statistic(weights @ blocks) for weights in self._weights(multiplicity)]
        return self._between(estimate, np.concatenate(values), n, sums.ends)

    def of_rows(
        self, estimate: Estimate, used: Bools, statistic: Callable[[Ints], float], *, ends: Ends = UNBOUNDED
    ) -> Estimate:
        """Add the interval of any statistic of rows, which is called with a resample's places among the used rows."""
        if estimate.estimate is None:
            return estimate
        members = self._members(used)
        if len(members) < 2:
            return replace(estimate, reason=self._alone)
        if self._are_few(len(members)):

            def without(group: Ints) -> Floats:
                return np.array([statistic(np.flatnonzero(group != it)) for it in range(int(group.max()) + 1)])

            return self._without_each(estimate, used, without, ends)
        drawn = self.rng.integers(len(members), size=(self.resamples, len(members)))
        if self.clusters is None:
            values = [statistic(places) for places in drawn]
        else:
            values = [statistic(np.concatenate([members[place] for place in places])) for places in drawn]
        return self._between(estimate, np.array(values), len(members), ends)

    def of_weights(
        self, estimate: Estimate, used: Bools, statistic: Statistic, *, ends: Ends = UNBOUNDED, alone: float = 0.0
    ) -> Estimate:
        """Add the interval of a statistic of how often each used row was drawn, weights of shape (resamples, rows).

        The same resamples as those of `of_rows`, many at a time. `alone` is its variance with each unit for itself,
        where rows stand for clusters of units.
        """
        if estimate.estimate is None:
            return estimate
        n_rows = int(used.sum())
        cluster = np.arange(n_rows) if self.clusters is None else self._clusters_of(used)
        n = int(cluster.max(initial=-1)) + 1
        if n < 2:
            return replace(estimate, reason=self._alone)
        if self._are_few(n):

            def without(group: Ints) -> Floats:
                left_out = group == np.arange(int(group.max()) + 1)[:, np.newaxis]
                return statistic((~left_out).astype(np.float64))

            return self._without_each(estimate, used, without, ends, alone)
        values, step = [], max(1, _CELLS_AT_ONCE // max(n, n_rows))
        for start in range(0, self.resamples, step):
            size = min(step, self.resamples - start)
            places = self.rng.integers(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
            drawn = np.bincount(places.reshape(-1), minlength=size * n).reshape(size, n)
            values.append(statistic(drawn[:, cluster].astype(np.float64)))
        return self._between(estimate, np.concatenate(values), n, ends)

    def _are_few(self, n: int, enough: int = ENOUGH) -> bool:
        return n < enough and self.watched is None

    def _of_units(self, value: float, sums: UnitSums) -> float:
        """The variance of the statistic with each unit for itself; 0 where clusters are units."""
        if self.clusters is None:
            return 0.0
        times = np.bincount(sums.kinds, minlength=len(sums.parts))
        total, there = times @ sums.parts, np.flatnonzero(times)
        step = max(1, _CELLS_AT_ONCE // sums.parts.shape[1])
        some = (there[start : start + step] for start in range(0, len(there), step))
        without = np.concatenate([sums.statistic(total - sums.parts[of]) for of in some])
        known = ~np.isnan(without)
        return jackknife_variance(without[known], value, times[there][known].astype(np.float64))

    def _without_each(
        self, estimate: Estimate, used: Bools, without: Callable[[Ints], Floats], ends: Ends, alone: float = 0.0
    ) -> Estimate:
        """From the values without each group of rows: clusters, and rows alone or, of many, groups of them."""
        n_rows = int(used.sum())
        if self.clusters is None or estimate.estimate is None:
            left = without(np.arange(n_rows))
        else:
            left = without(self._clusters_of(used))
            values = without(self.rng.permutation(n_rows) % min(n_rows, _MOST_LEFT_OUT))
            alone = jackknife_variance(values[~np.isnan(values)], estimate.estimate)
        return jackknife_interval(estimate, LeftOut(left, self._unit, alone), level=self.level, ends=ends)

    def _between(self, estimate: Estimate, values: Floats, n: int, ends: Ends) -> Estimate:
        """The interval that resampled values of `n` units or clusters give."""
        if self.watched is None:
            defined = values[~np.isnan(values)]
            if len(defined) >= (1 - MAX_UNDEFINED) * len(values) and not np.ptp(defined):
                return self._alike(estimate, n, ends)
            return percentile_interval(estimate, values, percentiles(self.level, n), method=self._method)
        return _at_every_look(estimate, values, n, self.watched, level=self.level, method=self._method)

    def _alike(self, estimate: Estimate, n: int, ends: Ends) -> Estimate:
        """Where all resamples are the same, percentiles would say that nothing is uncertain."""
        alike = LeftOut(np.full(n, estimate.estimate), self._unit)
        return jackknife_interval(estimate, alike, level=self.level, ends=ends)

    @property
    def _unit(self) -> str:
        return "unit" if self.clusters is None else "cluster"

    @property
    def _alone(self) -> Reason:
        return reasons.ONE_UNIT() if self.clusters is None else reasons.ONE_CLUSTER()

    @property
    def _method(self) -> str:
        kind = "confidence sequence from a bootstrap" if self.watched else "percentile bootstrap"
        return f"{kind} over {self._unit}s, {self.resamples} resamples"

    def _blocks(self, sums: UnitSums) -> tuple[Floats, Ints]:
        """What is drawn: the sums that each block adds, and how many blocks there are of each sort."""
        if self.clusters is None:
            return sums.parts, np.bincount(sums.kinds, minlength=len(sums.parts))
        cluster = self._clusters_of(sums.used)
        n = int(cluster.max(initial=-1)) + 1
        members = scipy.sparse.csr_array((np.ones(len(cluster)), (cluster, sums.kinds)), shape=(n, len(sums.parts)))
        if 0 < len(sums.parts) <= _MOST_KINDS:
            sorts, times = np.unique(members.toarray(), axis=0, return_counts=True)
            if len(sorts) < n:  # some clusters have the same units
                return np.asarray(sorts @ sums.parts), times
        return np.asarray(members @ sums.parts), np.ones(n, dtype=np.int64)

    def _clusters_of(self, used: Bools) -> Ints:
        """The cluster of each used unit, counted from 0 as they first appear."""
        groups = np.asarray(self.clusters)
        if len(groups) != len(used):
            raise ValueError(f"{len(groups)} clusters for {len(used)} units")
        _, first, cluster = np.unique(groups[used], return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[cluster.reshape(-1)]

    def _weights(self, multiplicity: Ints) -> Iterator[Floats]:
        """How often each sort of block was drawn, some resamples at a time."""
        n, all_differ = int(multiplicity.sum()), bool((multiplicity == 1).all())
        step = max(1, _CELLS_AT_ONCE // len(multiplicity))
        for start in range(0, self.resamples, step):
            size = min(step, self.resamples - start)
            if all_differ:  # drawing places is then quicker than drawing how often each comes
                places = self.rng.integers(n, size=(size, n)) + n * np.arange(size)[:, np.newaxis]
                counts = np.bincount(places.reshape(-1), minlength=size * n).reshape(size, n)
            else:
                counts = self.rng.multinomial(n, multiplicity / n, size=size)
            yield counts.astype(np.float64)

    def _members(self, used: Bools) -> list[Ints]:
        """The places of each block's rows among the used ones."""
        if self.clusters is None:
            return list(np.arange(int(used.sum()))[:, np.newaxis])
        cluster = self._clusters_of(used)
        order = np.argsort(cluster, kind="stable")
        return list(np.split(order, np.flatnonzero(np.diff(cluster[order])) + 1))


def _at_every_look(
    estimate: Estimate, values: Floats, n: int, watched: Watched, *, level: float, method: str
) -> Estimate:
    """Add an interval that holds at every look, from the values of resamples of `n` units or clusters."""
    defined = values[~np.isnan(values)]
    if len(values) - len(defined) > MAX_UNDEFINED * len(values):
        undefined = len(values) - len(defined)
        return replace(estimate, reason=reasons.RESAMPLES_UNDEFINED(undefined=undefined, n=len(values)))
    variance = defined.var() * n / (n - 1)
    if estimate.estimate is None or n < watched.at_least or variance == 0:
        return replace(estimate, reason=reasons.NOTHING_YET())
    (reach,) = reaches(np.array([variance]), level=level, freedom=n - 1, scales=((watched.scale, 1.0),))
    low, high = max(watched.low, estimate.estimate - reach), min(watched.high, estimate.estimate + reach)
    return replace(estimate, interval=Interval(float(low), float(high), level, method))


@dataclass(frozen=True)
class Percentiles:
    """Between which parts of the resampled values an interval of this level lies."""

    low: float
    high: float
    level: float


def percentiles(level: float, n: int) -> Percentiles:
    """The percentiles for a bootstrap over `n` units or clusters, a little further out than the level says.

    Resamples vary less than the sample by (n − 1) / n, and few clusters tell their own variance badly; the expanded
    percentiles make up for both as Student's t does (Hesterberg 2015, §5.3). With hundreds nothing is left of it.

    >>> round(percentiles(0.95, 13).low, 4), round(percentiles(0.95, 1_000_000).low, 4)
    (0.0117, 0.025)
    """
    reach = -math.sqrt(n / (n - 1)) * scipy.special.stdtrit(n - 1, (1 - level) / 2)
    tail = float(scipy.special.ndtr(-reach))
    return Percentiles(tail, 1 - tail, level)


def percentile_interval(estimate: Estimate, values: Floats, ends: Percentiles, *, method: str) -> Estimate:
    """Add the interval between percentiles of the resampled `values`; those that are undefined (NaN) are left out.

    >>> ends = Percentiles(0.25, 0.75, level=0.5)
    >>> percentile_interval(Estimate(2, n=9, method="mean"), np.arange(9.0), ends, method="bootstrap").interval
    Interval(low=2.0, high=6.0, level=0.5, method='bootstrap')
    """
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if undefined > MAX_UNDEFINED * len(values):
        return replace(estimate, reason=reasons.RESAMPLES_UNDEFINED(undefined=undefined, n=len(values)))
    low, high = np.quantile(defined, [ends.low, ends.high])
    note = f", {undefined} of them undefined" if undefined else ""
    return replace(estimate, interval=Interval(float(low), float(high), ends.level, method + note))
