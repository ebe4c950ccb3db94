"""A curve of widths over answers per unit, as places in a picture."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 340, 200
LEFT, RIGHT, TOP, BOTTOM = 48, 12, 12, 34


@dataclass(frozen=True)
class Mark:
    """A place, and what is written there."""

    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Curve:
    """Points joined by a line, with a scale at the left and the number of answers below."""

    points: tuple[Mark, ...]
    line: str
    levels: tuple[Mark, ...]
    steps: tuple[Mark, ...]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    bottom: int = HEIGHT - BOTTOM


def curve(values: Sequence[float | None], *, decimals: int) -> Curve | None:
    """The curve of values for 1, 2, … answers; None where there are none. The scale begins at 0.

    >>> found = curve([None, 2.0, 1.0], decimals=1)
    >>> [(round(point.x), round(point.y), point.label) for point in found.points]
    [(188, 12, '2.0'), (328, 89, '1.0')]
    """
    there = [value for value in values if value is not None]
    if not there or max(there) <= 0:
        return None
    highest = max(there)
    between = (WIDTH - LEFT - RIGHT) / max(1, len(values) - 1)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / highest

    places = [LEFT + between * at for at in range(len(values))]
    points = tuple(
        Mark(x, y(value), f"{value:.{decimals}f}")
        for x, value in zip(places, values, strict=True)
        if value is not None
    )
    levels = tuple(Mark(LEFT, y(part * highest), f"{part * highest:.{decimals}f}") for part in (0.0, 0.5, 1.0))
    steps = tuple(Mark(x, HEIGHT - BOTTOM, str(n)) for n, x in enumerate(places, start=1))
    return Curve(points, " ".join(f"{point.x:.1f},{point.y:.1f}" for point in points), levels, steps)
