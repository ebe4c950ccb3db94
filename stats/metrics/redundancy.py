"""Which of many scores carry the same signal: correlations, clusters of them, and how far clusters stand apart."""

from itertools import combinations

import numpy as np
import scipy

from stats.arrays import Floats, Ints
from stats.systems.correlation import spearman

#: Ward distance under which scores carry the same signal: |ρ| above 0.85 (COMPASS App. D, step 3).
REDUNDANT = 0.15
FEWEST_SYSTEMS = 3


def absolute_correlations(scores: Floats) -> Floats:
    """|Spearman's ρ| of every two rows over the systems that both know; NaN below three, or where one is constant."""
    n = len(scores)
    found = np.eye(n)
    for one, other in combinations(range(n), 2):
        found[one, other] = found[other, one] = abs(known_spearman(scores[one], scores[other]))
    return found


def redundancy_clusters(rho: Floats) -> Ints:
    """Ward's clusters at 1 − |ρ| of 0.15, numbered from 0; what cannot be compared counts as far apart.

    >>> redundancy_clusters(np.array([[1, 0.95, 0.1], [0.95, 1, 0.2], [0.1, 0.2, 1]])).tolist()
    [0, 0, 1]
    """
    if len(rho) < 2:
        return np.zeros(len(rho), dtype=np.int64)
    distance = 1 - np.where(np.isnan(rho), 0.0, rho)
    np.fill_diagonal(distance, 0.0)
    found = scipy.cluster.hierarchy.fcluster(
        scipy.cluster.hierarchy.linkage(scipy.spatial.distance.squareform(distance, checks=False), "ward"),
        REDUNDANT,
        "distance",
    )
    first = {name: place for place, name in enumerate(dict.fromkeys(found.tolist()))}
    return np.array([first[name] for name in found.tolist()], dtype=np.int64)


def silhouette(distance: Floats, groups: Ints) -> float | None:
    """Rousseeuw's (1987) mean silhouette; None for one group, or where each has one member.

    >>> round(silhouette(np.array([[0.0, 1, 9], [1, 0, 8], [9, 8, 0]]), np.array([0, 0, 1])), 6)
    0.587963
    """
    names = np.unique(groups)
    if not 1 < len(names) < len(groups) or np.isnan(distance).any():
        return None
    sums = np.array([distance[:, groups == name].sum(axis=1) for name in names]).T
    sizes = np.array([(groups == name).sum() for name in names])
    own = np.searchsorted(names, groups)
    rows = np.arange(len(groups))
    inside = sums[rows, own] / np.maximum(sizes[own] - 1, 1)
    means = sums / sizes
    means[rows, own] = np.inf
    nearest = means.min(axis=1)
    widest = np.maximum(inside, nearest)
    apart = np.divide(nearest - inside, widest, out=np.zeros_like(widest), where=widest > 0)
    return float(np.where(sizes[own] > 1, apart, 0.0).mean())


def known_spearman(one: Floats, other: Floats) -> float:
    """Spearman's ρ over what both know; NaN for fewer than three, or where one side is always the same."""
    both = ~(np.isnan(one) | np.isnan(other))
    return spearman(one[both], other[both]) if both.sum() >= FEWEST_SYSTEMS else float("nan")
