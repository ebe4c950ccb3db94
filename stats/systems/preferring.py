"""Whom raters prefer of several they rated, and how far they agree about it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np

from stats import reasons
from stats.agreement.labels import LabelTable
from stats.arrays import Floats, Ints, ratio
from stats.intervals import Bootstrap
from stats.jackknife import ENOUGH, jackknife_variance
from stats.results import COEFFICIENT, Estimate, left_out

#: The possible preferences of two: the first, neither, the second.
PREFERENCES = ("first", "tie", "second")
#: Of more units than this, groups of them are left out instead of each alone.
_MOST_LEFT_OUT = 200
_METHOD = "mean pairwise Cohen's κ"


def preferences(ratings: Floats, groups: Sequence[int] | Ints) -> tuple[LabelTable, Ints]:
    """Which of every two responses of one group (an item) each rater gave the higher rating, and the group of each.

    `ratings` has shape (responses, raters), NaN where a rating is missing. Every two stand there both ways round,
    so that chance agreement does not hang on which of them is called the first; resample whole groups.

    >>> table, group = preferences(np.array([[5.0, 3], [4, 3], [2, np.nan]]), [7, 7, 8])
    >>> table.codes.tolist(), group.tolist()
    ([[0, 1], [2, 1]], [7, 7])
    """
    members: dict[int, list[int]] = {}
    for place, group in enumerate(np.asarray(groups).tolist()):
        members.setdefault(group, []).append(place)
    pairs = [(group, *pair) for group, places in members.items() for pair in permutations(places, 2)]
    group, one, other = np.array(pairs, dtype=np.int64).reshape(-1, 3).T
    sign = np.sign(ratings[other] - ratings[one])
    codes = np.where(np.isnan(sign), -1, np.nan_to_num(sign) + 1).astype(np.int64)
    return LabelTable(codes, PREFERENCES), group


def mean_pairwise_kappa(table: LabelTable, *, bootstrap: Bootstrap | None = None) -> Estimate:
    """Cohen's κ of every two raters, averaged over the pairs of raters that have one (COMPASS App. F.3, Tables 9–11).

    `n` counts pairs of raters. Undefined where no two raters have a κ; a pair whose κ is undefined is left out, and
    counted.

    >>> from stats.agreement.labels import label_table
    >>> table = label_table([["a", "a", "b", "b"], ["a", "a", "b", "a"], ["a", "a", "b", "b"]])
    >>> round(mean_pairwise_kappa(table).estimate, 4)
    0.6667
    """
    units = np.arange(table.n_units)
    clusters = units if bootstrap is None or bootstrap.clusters is None else np.asarray(bootstrap.clusters)
    names, cluster = np.unique(clusters, return_inverse=True)
    met = list(_met(table, cluster.reshape(-1)))
    values = _kappas(met, np.ones((1, len(names))))[0] if met else np.empty(0)
    known = values[~np.isnan(values)]
    excluded = left_out((len(met) - len(known), reasons.KAPPA_UNDEFINED()))
    if not len(known):
        reason = reasons.NOTHING_SHARED() if not met else reasons.NO_KAPPA()
        return Estimate(None, 0, _METHOD, excluded=excluded, reason=reason)
    found = Estimate(float(known.mean()), len(known), _METHOD, excluded=excluded)
    if bootstrap is None:
        return found
    every, alone = np.ones(len(names), dtype=bool), 0.0
    if len(names) < min(ENOUGH, table.n_units):
        groups = bootstrap.rng.permutation(table.n_units) % min(table.n_units, _MOST_LEFT_OUT)
        size = int(groups.max()) + 1
        without = _mean_known(_kappas(list(_met(table, groups)), np.ones((size, size)) - np.eye(size)))
        alone = jackknife_variance(without[~np.isnan(without)], float(known.mean()))
    over_clusters = replace(bootstrap, clusters=None)
    return over_clusters.of_weights(
        found, every, lambda it: _mean_known(_kappas(met, it)), ends=COEFFICIENT, alone=alone
    )


def _kappas(met: Sequence[tuple[Ints, Floats]], weights: Floats) -> Floats:
    """Shape (resamples, pairs of raters), from how often each cluster was drawn."""
    return np.stack([_kappa(weights[:, where] @ counts) for where, counts in met], axis=1)


def _met(table: LabelTable, cluster: Ints) -> Iterator[tuple[Ints, Floats]]:
    """For every two raters who met: in which clusters, and how often each of these has each pair of labels."""
    size = len(table.categories)
    said = table.codes >= 0
    for one, other in combinations(range(table.n_raters), 2):
        both = np.flatnonzero(said[:, one] & said[:, other])
        if len(both):
            where, place = np.unique(cluster[both], return_inverse=True)
            cell = table.codes[both, one] * size + table.codes[both, other]
            counts = np.bincount(place.reshape(-1) * size**2 + cell, minlength=len(where) * size**2)
            yield where, counts.reshape(len(where), size**2).astype(np.float64)


def _kappa(cells: Floats) -> Floats:
    """From how often each pair of labels occurred, shape (resamples, labels²)."""
    size = round(cells.shape[-1] ** 0.5)
    counts = cells.reshape(-1, size, size)
    n, agreed = cells.sum(axis=1), np.trace(counts, axis1=1, axis2=2)
    chance = (counts.sum(axis=2) * counts.sum(axis=1)).sum(axis=1)
    return ratio(n * agreed - chance, n * n - chance)


def _mean_known(values: Floats) -> Floats:
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0).sum(axis=1), known.sum(axis=1).astype(np.float64))
