"""Which values of a system are out of line with its others, and how they are distributed. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Of fewer values nothing is said to be out of line.
FEWEST = 12
#: Tukey's outer fences: so many widths of the middle half beyond its ends.
WIDTHS = 3.0
N_BINS = 24


@dataclass(frozen=True)
class Limits:
    """Between which values a system's responses are in line."""

    low: float
    high: float


def limits(values: Sequence[float], *, by_ratio: bool = False) -> Limits | None:
    """Tukey's outer fences (Exploratory Data Analysis, 1977, 2D): three widths of the middle half beyond its ends.

    With `by_ratio` of the logarithms: for what is long-tailed and positive, as lengths are. None of fewer than 12
    values, and where the middle half has no width.

    >>> limits([1.0, 2.0, 3.0, 4.0] * 3)
    Limits(low=-3.5, high=8.5)
    >>> limits([2.0] * 20) is None
    True
    """
    known = np.array(values, dtype=float)
    known = np.log(known[known > 0]) if by_ratio else known
    if len(known) < FEWEST:
        return None
    first, third = np.percentile(known, (25, 75))
    if (width := float(third - first)) <= 0:
        return None
    low, high = float(first - WIDTHS * width), float(third + WIDTHS * width)
    return Limits(math.exp(low), math.exp(high)) if by_ratio else Limits(low, high)


def counts(values: Sequence[float], low: float, high: float) -> list[int]:
    """How many values are in each of 24 equal bins from `low` to `high`; what lies beyond is in the last bin there.

    >>> counts([0.0, 1.0, 7.0], 0, 1)[0::23]
    [1, 2]
    """
    high = max(high, low + 1e-9)
    return [int(n) for n in np.histogram(np.clip(values, low, high), bins=N_BINS, range=(low, high))[0]]
