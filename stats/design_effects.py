"""How many votes are worth one where voters, and items, make votes alike."""

import numpy as np
import scipy

from stats.arrays import Floats, Ints


def design_effects(values: Floats, of: Ints, n: int, *clusters: Ints, level: float = 0.95) -> Floats:
    """By how much votes that hang together widen the interval of each of `n` groups' mean vote, as a factor of votes.

    `values`, shape (votes,), are between 0 and 1, `of` has the group of each, and each of `clusters` its voter or
    item, a whole number. Wilson's interval of as many votes divided by the factor is then as wide as an interval over
    the clusters (Kish 1965; Korn & Graubard 1998): the variance is that over voters plus that over items less that of
    votes each for itself (Cameron, Gelbach & Miller 2011), and Student's t takes one degree of freedom less than
    clusters of the kind that has fewer. Never below 1. Votes that are all alike count as one for each of those
    clusters. A kind of which a group has one alone says nothing of others, one with a cluster for each vote nothing
    but what votes say: these are left out.

    >>> votes, voter = np.repeat([1.0, 1, 0, 1, 0, 0], 10), np.repeat(np.arange(6), 10)
    >>> design_effects(votes, np.zeros(60, dtype=np.int64), 1, voter).round(1)
    array([20.6])
    """
    if not len(values):
        return np.ones(n)
    size = np.bincount(of, minlength=n).astype(np.float64)
    mean = np.bincount(of, weights=values, minlength=n) / np.maximum(size, 1)
    off = values - mean[of]
    own = np.bincount(of, weights=off**2, minlength=n)
    total, fewest = own.copy(), np.full(n, np.inf)
    for cluster in clusters:
        over, there = _over(off, of, n, cluster)
        several = (there > 1) & (there < size)
        total += np.where(several, over - own, 0)
        fewest = np.where(several, np.minimum(fewest, there), fewest)
    hangs = np.isfinite(fewest)
    reach = scipy.special.stdtrit(np.where(hangs, fewest, 2) - 1, (1 - level) / 2) / scipy.special.ndtri(
        (1 - level) / 2
    )
    varied = own > 0
    factor = np.where(
        varied, np.maximum(total, own) / np.where(varied, own, 1) * reach**2, size / np.where(hangs, fewest, 1)
    )
    return np.where(hangs, np.maximum(factor, 1.0), 1.0)


def _over(off: Floats, of: Ints, n: int, cluster: Ints) -> tuple[Floats, Floats]:
    """The sum of squares of what each group's clusters add up to, for few of them; and how many it has."""
    width = int(cluster.max(initial=-1)) + 1
    place = of * width + cluster
    sums = np.bincount(place, weights=off, minlength=n * width).reshape(n, width)
    there = (np.bincount(place, minlength=n * width).reshape(n, width) > 0).sum(axis=1).astype(np.float64)
    return (sums**2).sum(axis=1) * there / np.maximum(there - 1, 1), there
