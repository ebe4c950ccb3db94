"""Twenty points for a whole clip: the mean of each twentieth of its time."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

POINTS = 20


def twentieths(values: NDArray[np.float64], *, digits: int = 2) -> list[float | None]:
    """The mean of each twentieth of `values`, None where all of it is undefined (NaN).

    Fewer than twenty values are repeated, so that there are always twenty points; none at all are twenty times None.

    >>> twentieths(np.array([100.0, np.nan]))[8:12]
    [100.0, 100.0, None, None]
    """
    if not len(values):
        return [None] * POINTS
    if len(values) < POINTS:
        values = np.repeat(values, -(-POINTS // len(values)))
    edges = np.linspace(0, len(values), POINTS + 1).round().astype(int)
    return [_mean(values[a:b], digits) for a, b in pairwise(edges)]


def _mean(values: NDArray[Any], digits: int) -> float | None:
    defined = values[~np.isnan(values)]
    return round(float(defined.mean()), digits) if len(defined) else None
