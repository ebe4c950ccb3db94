"""Agreement of two raters as a function of how often each pair of labels occurred.

Cells have the shape (…, categories, categories), one rater's label before the other's: of one pair of raters or of
many, of what was said or of resamples of it.
"""

from typing import Literal

import numpy as np

from stats.agreement.coincidences import Level, alpha_of_coincidences, ordinal_alpha, typed_tie_distance
from stats.agreement.labels import LabelTable
from stats.arrays import Floats, ratio
from stats.intervals import Statistic

Weights = Literal["none", "linear", "quadratic", "typed_tie"]


def disagreement(table: LabelTable, weights: Weights) -> Floats:
    """How much it weighs that one rater gave one label and the other another, shape (categories, categories)."""
    places = np.arange(len(table.categories))
    steps = np.abs(places[:, np.newaxis] - places).astype(np.float64)
    if weights == "typed_tie":
        return typed_tie_distance(table.categories)
    power = {"none": 0, "linear": 1, "quadratic": 2}[weights]
    return np.asarray(np.where(steps > 0, steps**power, 0))


def distance_between(table: LabelTable, level: Level) -> Floats:
    """α's distance between any two categories, where it does not depend on how often they were used."""
    if level == "typed_tie":
        return typed_tie_distance(table.categories)
    if level == "interval":
        return np.asarray((table.values[:, np.newaxis] - table.values) ** 2)
    return np.asarray(1 - np.eye(len(table.categories)))


def kappa_of_cells(weights: Floats) -> Statistic:
    """Cohen's κ under these weights of disagreements.

    >>> float(kappa_of_cells(1 - np.eye(2))(np.array([[2.0, 0], [1, 1]])))
    0.5
    """

    def kappa(cells: Floats) -> Floats:
        first, second = cells.sum(axis=-1), cells.sum(axis=-2)
        observed = (cells * weights).sum(axis=(-2, -1))
        expected = ((first @ weights) * second).sum(axis=-1)
        return 1 - ratio(first.sum(axis=-1) * observed, expected)

    return kappa


def alpha_of_cells(table: LabelTable, level: Level) -> Statistic:
    """Krippendorff's α of two raters: both orders of a pair of labels are the same to it."""
    size = len(table.categories)
    by_ranks = level == "ordinal"
    of_coincidences = ordinal_alpha if by_ranks else alpha_of_coincidences(distance_between(table, level))

    def alpha(cells: Floats) -> Floats:
        both = cells + np.swapaxes(cells, -2, -1)
        return of_coincidences(both.reshape(*cells.shape[:-2], size * size))

    return alpha
