"""Where values stand on an axis, and which round numbers are written at it."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: A value is at the end of an axis, not beyond it, within this share of its length.
_ROUNDED = 1e-9
#: Steps between two powers of ten.
_ROUND = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Where the value stands. Raises ValueError for one beyond the ends: `holding` makes an axis that has it.

        >>> Axis(0, 1, 5, 91).at(0.5), Axis(1, 100, 0, 10, logarithmic=True).at(10)
        (48.0, 5.0)
        """
        low, high, at = (
            map(math.log, (self.low, self.high, value)) if self.logarithmic else (self.low, self.high, value)
        )
        share = (at - low) / (high - low)
        if not -_ROUNDED <= share <= 1 + _ROUNDED:
            raise ValueError(f"{value} is not between {self.low} and {self.high}")
        return round(self.start + share * (self.end - self.start), 2)

    def at_any(self, value: float | None) -> float | None:
        return None if value is None else self.at(value)


def holding(low: float, high: float, values: Iterable[float | None]) -> tuple[float, float]:
    """The ends of a scale that has these values too: round numbers where it reaches further than it usually does.

    >>> holding(0, 1, [0.2, None]), holding(-0.5, 1.5, [1.2, 3.7])
    ((0.0, 1.0), (-0.5, 4.0))
    """
    known = [value for value in values if value is not None]
    least, most = min(known, default=low), max(known, default=high)
    found = steps(min(low, least), max(high, most))
    return float(low) if low <= least else found[0], float(high) if most <= high else found[-1]


def steps(low: float, high: float, *, most: int = 5) -> list[float]:
    """Round numbers from `low` or below it to `high` or above it; about so many at most.

    >>> steps(0, 0.55), steps(-27, -14), steps(3, 3)
    ([0.0, 0.2, 0.4, 0.6], [-30.0, -25.0, -20.0, -15.0, -10.0], [2.0, 2.5, 3.0, 3.5, 4.0])
    """
    if high <= low:
        low, high = low - 1, high + 1
    width = (high - low) / (most - 1)
    power = 10 ** math.floor(math.log10(width))
    step = next(it * power for it in _ROUND if it * power >= width * (1 - _ROUNDED))
    first, last = math.floor(low / step + _ROUNDED), math.ceil(high / step - _ROUNDED)
    return [round(n * step, 12) for n in range(first, last + 1)]


def decimals(values: Sequence[float]) -> int:
    """How many decimals tell these numbers apart, at most four.

    >>> decimals([0.0, 0.25]), decimals([0.0, 5.0])
    (2, 0)
    """
    return next((n for n in range(4) if all(abs(round(it, n) - it) < _ROUNDED for it in values)), 4)
