"""Where somebody stands among the others, as places on a strip."""

from collections.abc import Iterable
from dataclasses import dataclass

WIDTH, HEIGHT, MARGIN = 96, 18, 5


@dataclass(frozen=True)
class Strip:
    """Places from left to right, in units of the drawing. `tolerated` is where it stops being all right."""

    own: float
    others: tuple[float, ...]
    tolerated: float | None
    low: float | None
    high: float | None

    @property
    def span(self) -> float:
        """The width of the interval."""
        return (self.high or 0) - (self.low or 0)


def strip(
    own: float,
    others: Iterable[float],
    *,
    tolerated: float | None,
    interval: tuple[float | None, float | None] = (None, None),
    lowest: float = 0.0,
    highest: float = 1.0,
) -> Strip:
    """Values on a scale from `lowest` to `highest`; what is beyond stands at the end.

    >>> strip(0.5, [0.0, 2.0], tolerated=1.0)
    Strip(own=48.0, others=(5.0, 91.0), tolerated=91.0, low=None, high=None)
    """

    def at(value: float) -> float:
        share = (min(max(value, lowest), highest) - lowest) / (highest - lowest)
        return round(MARGIN + share * (WIDTH - 2 * MARGIN), 1)

    def maybe(value: float | None) -> float | None:
        return None if value is None else at(value)

    places = tuple(sorted({at(value) for value in others}))
    return Strip(at(own), places, maybe(tolerated), maybe(interval[0]), maybe(interval[1]))
