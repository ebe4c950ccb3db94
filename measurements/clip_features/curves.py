"""Contours of twenty points as lines in a small drawing."""

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 240, 56
_MARGIN = 4


@dataclass(frozen=True)
class Contour:
    """Lines as SVG takes them (a gap where points are None), and the lowest and highest value they show."""

    lines: tuple[str, ...]
    lowest: float
    highest: float
    width: int = WIDTH
    height: int = HEIGHT


def contour(points: Sequence[float | None]) -> Contour | None:
    """The drawing of a contour; None where no point is defined. A point without neighbours is a short line.

    >>> contour([100.0, 200.0, None, 150.0]).lines
    ('4.0,52.0 81.3,4.0', '234.0,28.0 236.0,28.0')
    """
    defined = [point for point in points if point is not None]
    if not defined:
        return None
    lowest, highest = min(defined), max(defined)
    step = (WIDTH - 2 * _MARGIN) / max(1, len(points) - 1)

    def place(i: int, value: float) -> tuple[float, float]:
        share = (value - lowest) / (highest - lowest) if highest > lowest else 0.5
        return _MARGIN + i * step, HEIGHT - _MARGIN - share * (HEIGHT - 2 * _MARGIN)

    lines: list[list[tuple[float, float]]] = [[]]
    for i, value in enumerate(points):
        if value is None:
            lines.append([])
        else:
            lines[-1].append(place(i, value))
    return Contour(tuple(_line(line) for line in lines if line), lowest, highest)


def _line(places: list[tuple[float, float]]) -> str:
    if len(places) == 1:
        ((x, y),) = places
        places = [(x - 2, y), (min(x + 2, WIDTH - _MARGIN), y)]
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
