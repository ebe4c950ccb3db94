"""What every statistic returns: a number with its uncertainty, or the reason why there is none."""

import math
from dataclasses import dataclass

from infrastructure.wording.reasons import Reason

#: The ends of a scale, between which every value is.
Ends = tuple[float, float]
#: Of statistics that may be any number, of coefficients and differences of shares, and of shares.
UNBOUNDED, COEFFICIENT, SHARE = (-math.inf, math.inf), (-1.0, 1.0), (0.0, 1.0)


@dataclass(frozen=True)
class Interval:
    """An interval and how it was found; `level` is 0.95 for one of 95 %.

    >>> Interval(float("nan"), 1.0, 0.95, "Student's t")
    Traceback (most recent call last):
        ...
    ValueError: the interval by Student's t came out as nan … 1.0, which has no ends
    """

    low: float
    high: float
    level: float
    method: str

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            raise ValueError(f"the interval by {self.method} came out as {self.low} … {self.high}, which has no ends")


@dataclass(frozen=True)
class Excluded:
    """How many were left out, and why."""

    n: int
    why: Reason


@dataclass(frozen=True)
class Estimate:
    """A statistic over `n` units. `estimate` is None where it is undefined, and `reason` then says why.

    `reason` also says why an interval that was asked for is missing, or about whom alone it is. What was left out is
    in `excluded`.

    >>> from stats.reasons import NO_OVERLAP
    >>> Estimate(None, n=0, method="Cohen's κ", reason=NO_OVERLAP()).estimate is None
    True
    >>> Estimate(float("nan"), n=3, method="Cohen's κ")
    Traceback (most recent call last):
        ...
    ValueError: Cohen's κ came out as nan, which is neither a number nor a reason
    """

    estimate: float | None
    n: int
    method: str
    interval: Interval | None = None
    excluded: tuple[Excluded, ...] = ()
    reason: Reason | None = None

    def __post_init__(self) -> None:
        if self.estimate is None and not self.reason:
            raise ValueError(f"{self.method} is undefined, and nobody said why")
        if self.estimate is not None and not math.isfinite(self.estimate):
            raise ValueError(f"{self.method} came out as {self.estimate}, which is neither a number nor a reason")


def left_out(*why: tuple[int, Reason]) -> tuple[Excluded, ...]:
    """Those of the counts that are not zero.

    >>> from stats.reasons import NO_LABEL, TIE
    >>> left_out((0, NO_LABEL()), (2, TIE()))
    (Excluded(n=2, why='a tie'),)
    """
    return tuple(Excluded(int(n), reason) for n, reason in why if n)
