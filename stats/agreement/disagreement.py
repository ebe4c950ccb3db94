"""How far apart the labels of single units lie, so that people can look where raters disagree most."""

import numpy as np

from stats.agreement.coincidences import Level, typed_tie_distance
from stats.arrays import Floats, Ints, ratio


def label_distance(categories: tuple[str, ...], level: Level, counts: Ints) -> Floats:
    """How far any two categories lie apart, from 0 to 1, shape (categories, categories).

    The distances are Krippendorff's δ² of the level, divided by the largest. Ordinal ones depend on how often each
    category was used: `counts` has a row of label counts per unit. Raises ValueError for categories that the level
    cannot measure (Krippendorff 2011).

    >>> label_distance(("1", "2", "3"), "interval", np.zeros((0, 3), dtype=np.int64))[0]
    array([0.  , 0.25, 1.  ])
    """
    if level == "typed_tie":
        return typed_tie_distance(categories)
    if level == "nominal":
        return np.asarray(1 - np.eye(len(categories)))
    if level == "interval":
        places = np.array([float(category) for category in categories])
    else:
        used = counts.sum(axis=0)
        places = used.cumsum() - used / 2
    squares = (places[:, np.newaxis] - places) ** 2
    largest = squares.max(initial=0)
    return np.asarray(squares / largest if largest else squares)


def disagreement(counts: Ints, distance: Floats) -> Floats:
    """The mean distance between two labels of each unit, shape (units,): 0 where all are alike.

    `counts` says how often each unit got each label, shape (units, categories). Not a number where a unit has fewer
    than two labels, because there is no pair to compare.

    >>> counts = np.array([[2, 0], [1, 1], [2, 1], [1, 0]])
    >>> disagreement(counts, 1 - np.eye(2)).round(2)
    array([0.  , 1.  , 0.67,  nan])
    """
    labels = counts.sum(axis=1)
    apart = ((counts @ distance) * counts).sum(axis=1)
    pairs = (labels * (labels - 1)).astype(np.float64)
    return ratio(apart, pairs)
