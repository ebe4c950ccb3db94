"""Agreement of every pair of raters at once, however many raters there are."""

from dataclasses import dataclass

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.agreement.cells import Weights, alpha_of_cells, disagreement, kappa_of_cells
from stats.agreement.coincidences import Level
from stats.agreement.labels import LabelTable
from stats.arrays import Floats, Ints
from stats.intervals import Statistic
from stats.results import Estimate, Interval

#: Reaches up to here are rounding.
_NOTHING = 1e-12
_METHOD = "delete-one jackknife over"
_FEWEST = 3
_FEW = {
    "units": (reasons.ONE_UNIT, reasons.TWO_UNITS),
    "clusters": (reasons.ONE_CLUSTER, reasons.TWO_CLUSTERS),
}
_ALIKE = {"units": reasons.ALIKE_UNITS, "clusters": reasons.ALIKE_CLUSTERS}
_WITHOUT_ONE = {"units": reasons.WITHOUT_ONE_UNIT, "clusters": reasons.WITHOUT_ONE_CLUSTER}


@dataclass(frozen=True, eq=False)
class PairCells:
    """How often each pair of raters gave each pair of labels to one unit.

    `first` and `second` are raters' places, shape (pairs,), first < second; `cells` has shape (pairs, categories,
    categories), the first rater's label before the second's.
    """

    first: Ints
    second: Ints
    cells: Ints

    @property
    def n(self) -> Ints:
        """How many units both labelled."""
        return np.asarray(self.cells.sum(axis=(1, 2)))


def pair_cells(table: LabelTable) -> PairCells:
    """Count all pairs by products of sparse matrices: the work grows with the labels, not with pairs × units.

    >>> from stats.agreement.labels import label_table
    >>> found = pair_cells(label_table([["x", "y"], ["x", "x"], [None, "y"]]))
    >>> found.first.tolist(), found.second.tolist(), found.n.tolist()
    ([0, 0, 1], [1, 2, 2], [2, 1, 1])
    >>> found.cells[0].tolist()
    [[1, 0], [1, 0]]
    """
    size, raters = len(table.categories), table.n_raters
    rows, columns = np.nonzero(table.codes >= 0)
    label = columns * size + table.codes[rows, columns]
    given = scipy.sparse.csr_array(
        (np.ones(len(rows), dtype=np.int64), (rows, label)), shape=(table.n_units, raters * size)
    )
    met = (given.T @ given).toarray().reshape(raters, size, raters, size)
    first, second = np.triu_indices(raters, 1)
    return PairCells(first, second, met[first, :, second, :])


def kappas(
    table: LabelTable, *, weights: Weights = "none", clusters: Ints | None = None, level: float = 0.95
) -> tuple[PairCells, list[Estimate]]:
    """Cohen's κ of each pair, as `cohen_kappa` has it, with a jackknife's interval over units or `clusters`.

    >>> from stats.agreement.labels import label_table
    >>> cells, found = kappas(label_table([["a", "a", "b", "b"], ["a", "a", "b", "a"]]))
    >>> found[0].estimate, found[0].n
    (0.5, 4)
    """
    cells = pair_cells(table)
    same = reasons.ONE_LABEL_THROUGHOUT()
    statistic = kappa_of_cells(disagreement(table, weights))
    return cells, _estimates(table, cells, statistic, clusters, "Cohen's κ", same, level)


def alphas(
    table: LabelTable, *, measure: Level = "nominal", clusters: Ints | None = None, level: float = 0.95
) -> tuple[PairCells, list[Estimate]]:
    """Krippendorff's α of each pair, as `krippendorff_alpha` of the two has it, with an interval as of `kappas`."""
    cells = pair_cells(table)
    same = reasons.NOTHING_TO_TELL_APART()
    method = f"Krippendorff's α, {measure.replace('_', '-')}"
    return cells, _estimates(table, cells, alpha_of_cells(table, measure), clusters, method, same, level)


def _estimates(
    table: LabelTable, pairs: PairCells, statistic: Statistic, clusters: Ints | None, method: str, same: Reason,
    level: float,
) -> list[Estimate]:  # fmt: skip
    counts = pairs.cells.astype(np.float64)
    alone = jackknife_errors(counts, statistic)
    over, errors, left_out = "units", alone, pairs.n
    if clusters is not None:
        over, (errors, left_out) = "clusters", clustered_errors(table, clusters, statistic)
    quantiles = scipy.special.stdtrit(np.maximum(left_out - 1, 1), (1 + level) / 2)
    normal = float(scipy.special.ndtri((1 + level) / 2))
    # Few clusters may be alike by chance: no interval is narrower than that of units each for itself.
    reach = np.where(errors > 0, np.maximum(quantiles * errors, np.nan_to_num(normal * alone)), errors)
    return [
        _estimate(value, float(far), int(n), int(times), over, method, same, level)
        for value, far, n, times in zip(statistic(counts).tolist(), reach, pairs.n, left_out, strict=True)
    ]


def _estimate(
    value: float, reach: float, n: int, times: int, over: str, method: str, same: Reason, level: float
) -> Estimate:
    """`times` is how many units or clusters were left out, one after the other."""
    if np.isnan(value):
        return Estimate(None, n, method, reason=same if n else reasons.NO_OVERLAP())
    if times < _FEWEST:
        return Estimate(value, n, method, reason=_FEW[over][max(times, 1) - 1]())
    if np.isnan(reach):
        return Estimate(value, n, method, reason=_WITHOUT_ONE[over]())
    if reach < _NOTHING:
        return Estimate(value, n, method, reason=_ALIKE[over]())
    ends = Interval(max(value - reach, -1.0), min(value + reach, 1.0), level, f"{_METHOD} {over}")
    return Estimate(value, n, method, interval=ends)


def clustered_errors(table: LabelTable, clusters: Ints, statistic: Statistic) -> tuple[Floats, Ints]:
    """The standard error of each pair's statistic by leaving out one cluster of units, and how many clusters it has.

    Rater by rater, all others at once: the work grows with the labels that meet, not with pairs × clusters. NaN where
    the statistic is undefined without one of the clusters.
    """
    size, cluster = len(table.categories), np.unique(clusters, return_inverse=True)[1].reshape(-1)
    n_clusters = int(cluster.max(initial=-1)) + 1
    errors, left_out = [], []
    for first in range(table.n_raters - 1):
        rows = np.flatnonzero(table.codes[:, first] >= 0)
        others = table.codes[rows, first + 1 :]
        at, pair = np.nonzero(others >= 0)
        cell = table.codes[rows[at], first] * size + others[at, pair]
        groups, place = np.unique(pair * n_clusters + cluster[rows[at]], return_inverse=True)
        counts = np.bincount(place.reshape(-1) * size**2 + cell, minlength=len(groups) * size**2)
        error, times = _of_one(
            counts.reshape(-1, size, size), groups // max(n_clusters, 1), others.shape[1], statistic
        )
        errors.append(error)
        left_out.append(times)
    return np.concatenate(errors), np.concatenate(left_out)


def _of_one(counts: Ints, pair: Ints, n_pairs: int, statistic: Statistic) -> tuple[Floats, Ints]:
    """Of one rater's pairs, from the cells of each cluster and the pair that it belongs to."""
    whole = np.zeros((n_pairs, *counts.shape[1:]))
    np.add.at(whole, pair, counts)
    without = statistic(whole[pair] - counts)
    times = np.bincount(pair, minlength=n_pairs)
    mean = np.bincount(pair, weights=without, minlength=n_pairs) / np.maximum(times, 1)
    squares = np.bincount(pair, weights=(without - mean[pair]) ** 2, minlength=n_pairs)
    return np.sqrt(squares * (times - 1) / np.maximum(times, 1)), times


def jackknife_errors(counts: Floats, statistic: Statistic) -> Floats:
    """The standard error of a statistic of cell counts, shape (…, categories, categories), by leaving out one unit.

    Units of one cell are alike, so that each cell is left out once and counts as often as it has units. NaN where the
    statistic is undefined without one of the units (Efron & Tibshirani 1993, ch. 11).
    """
    size = counts.shape[-1]
    n = counts.sum(axis=(-2, -1))
    without = np.full((size * size, *counts.shape[:-2]), np.nan)
    for cell in range(size * size):
        fewer = counts.copy()
        fewer[..., cell // size, cell % size] -= 1
        there = fewer[..., cell // size, cell % size] >= 0
        without[cell] = np.where(there, statistic(np.maximum(fewer, 0)), np.nan)
    weights = np.moveaxis(counts.reshape(*counts.shape[:-2], size * size), -1, 0)
    known = np.where(weights > 0, without, 0)
    mean = (weights * known).sum(axis=0) / np.maximum(n, 1)
    squares = (weights * (known - mean) ** 2).sum(axis=0)
    errors: Floats = np.sqrt(squares * (n - 1) / np.maximum(n, 1))
    return errors
