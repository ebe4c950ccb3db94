"""Krippendorff's α as a function of sums over units, so that a bootstrap draws sums and not units.

A unit with m ≥ 2 labels adds, for each pair of its labels, 1/(m − 1) to the coincidence of their values. The
coincidences of a resample are the sum over its units; α follows from them alone (Krippendorff 2011).
"""

from collections.abc import Callable
from typing import Literal

import numpy as np

from stats.arrays import Floats, Ints, ratio

Level = Literal["nominal", "ordinal", "interval", "typed_tie"]


def coincidences(counts: Ints) -> Floats:
    """What each row of label counts, shape (kinds, categories), adds to the coincidences, shape (kinds, categories²).

    >>> coincidences(np.array([[2, 1], [1, 0]]))
    array([[1., 1., 1., 0.],
           [0., 0., 0., 0.]])
    """
    pairs = (counts[:, :, np.newaxis] * counts[:, np.newaxis, :]).astype(np.float64)
    diagonal = np.arange(counts.shape[1])
    pairs[:, diagonal, diagonal] -= counts
    labels = np.maximum(counts.sum(axis=1), 2)
    per_label: Floats = pairs / (labels - 1)[:, np.newaxis, np.newaxis]
    return per_label.reshape(len(counts), counts.shape[1] ** 2)


def alpha_of_coincidences(distance: Floats) -> Callable[[Floats], Floats]:
    """The function from coincidences, shape (…, categories²), to α under a fixed distance between categories."""

    def alpha(sums: Floats) -> Floats:
        table = sums.reshape(*sums.shape[:-1], *distance.shape)
        given = table.sum(axis=-1)
        n = given.sum(axis=-1)
        expected = ((given @ distance) * given).sum(axis=-1)
        return 1 - ratio((n - 1) * (table * distance).sum(axis=(-2, -1)), expected)

    return alpha


def ordinal_alpha(sums: Floats) -> Floats:
    """α for ordered categories, from coincidences of shape (…, categories²).

    The ordinal distance between two categories is the squared difference of their mid-ranks, which depend on how
    often each category was used, so in every resample anew.
    """
    size = round(sums.shape[-1] ** 0.5)
    table = sums.reshape(*sums.shape[:-1], size, size)
    given = table.sum(axis=-1)
    n = given.sum(axis=-1)
    ranks = given.cumsum(axis=-1) - given / 2 - n[..., np.newaxis] / 2  # around their mean
    squares = (given * ranks**2).sum(axis=-1)
    observed = squares - ((table @ ranks[..., np.newaxis])[..., 0] * ranks).sum(axis=-1)
    return 1 - ratio((n - 1) * observed, n * squares)


def moments(counts: Ints, values: Floats) -> Floats:
    """What each row of label counts adds to the four sums that interval α needs, however many values there are."""
    values = values - (
        values.mean() if values.size else 0.0
    )  # α does not mind a shift, and differences lose fewer digits around zero
    labels = counts.sum(axis=1)
    used = labels >= 2
    first, second = counts @ values, counts @ values**2
    within = 2 * (labels * second - first**2) / np.maximum(labels - 1, 1)
    sums: Floats = np.stack([labels, first, second, within], axis=1) * used[:, np.newaxis]
    return sums


def interval_alpha(sums: Floats) -> Floats:
    """α with squared differences as distance, from sums of `moments`, shape (…, 4)."""
    n, first, second, within = np.moveaxis(sums, -1, 0)
    expected = 2 * (n * second - first**2)
    varies = expected > 1e-12 * n * second  # what is less comes from rounding
    return 1 - ratio((n - 1) * within, np.where(varies, expected, 0))


def typed_tie_distance(categories: tuple[str, ...]) -> Floats:
    """How far typed ties lie apart: 1 between the winners and between both_good and both_bad, ½ across, 0 to itself.

    These are the weights of α themselves (Krippendorff's δ²), not to be squared. Raises ValueError for other labels.

    >>> typed_tie_distance(("1", "2", "both_bad", "both_good"))[0]
    array([0. , 1. , 0.5, 0.5])
    """
    ties = np.array([category in {"both_good", "both_bad"} for category in categories])
    if "tie" in categories or (~ties).sum() > 2:
        raise ValueError("the typed-tie distance knows two winners, both_good and both_bad")
    distance = np.where(ties[:, np.newaxis] == ties, 1.0, 0.5)
    np.fill_diagonal(distance, 0)
    return distance
