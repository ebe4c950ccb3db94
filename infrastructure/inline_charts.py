"""Small charts inside pages: values as places, which the templates in `templates/charts/` draw as SVG.

Charts of reports, which can be downloaded too, are Matplotlib's (decision 54).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Of each chart, in units of its drawing.
BARS, DOT, SPARK, STRIP, CONTOUR, CURVE = (480.0, 96.0), (240, 16), (96, 24), (96, 18), (240, 56), (340, 200)
_GAP = 3.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 48, 12, 12, 34
Place = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """Values from `low` to `high`, drawn from `start` to `end`; what lies beyond stands at the end."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Where the value stands.

        >>> Axis(0, 1, 5, 91).at(0.5), Axis(0, 1, 5, 91).at(2)
        (48.0, 91.0)
        """
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 2)

    def at_any(self, value: float | None) -> float | None:
        return None if value is None else self.at(value)


def line(places: Iterable[Place]) -> str:
    """The points of a polyline."""
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


@dataclass(frozen=True)
class Bar:
    x: float
    y: float
    width: float
    height: float


def bars(counts: Sequence[int]) -> list[Bar]:
    """Bars side by side over the whole width; the highest count reaches the top, and 0 has no height.

    >>> [(bar.x, bar.height) for bar in bars([0, 2, 1])]
    [(1.5, 0.0), (161.5, 96.0), (321.5, 48.0)]
    """
    width, height = BARS
    up = Axis(0, max(counts, default=0) or 1, 0, height)
    step = width / max(len(counts), 1)
    return [
        Bar(round(n * step + _GAP / 2, 2), height - up.at(count), round(step - _GAP, 2), up.at(count))
        for n, count in enumerate(counts)
    ]


@dataclass(frozen=True)
class Dot:
    """A value and the ends of its interval on an axis."""

    x: float
    low: float | None
    high: float | None


def dot_axis(low: float, high: float) -> Axis:
    return Axis(low, high, 10, DOT[0] - 10)


def dot(axis: Axis | None, value: float | None, low: float | None, high: float | None) -> Dot | None:
    """None where there is no value."""
    return None if axis is None or value is None else Dot(axis.at(value), axis.at_any(low), axis.at_any(high))


def spark(values: Sequence[float]) -> str:
    """A line over time from the lowest value to the highest; empty where there is but one value.

    >>> spark((1.0, 3.0))
    '2.0,22.0 94.0,2.0'
    """
    if len(values) < 2:
        return ""
    width, height = SPARK
    low = min(values)
    up = Axis(low, max(values) if max(values) > low else low + 1, height - 2, 2)
    along = Axis(0, len(values) - 1, 2, width - 2)
    return line((along.at(n), up.at(value)) for n, value in enumerate(values))


@dataclass(frozen=True)
class Strip:
    """Where one stands among the others. `tolerated` is where it stops being all right."""

    own: float
    others: tuple[float, ...]
    tolerated: float | None
    low: float | None
    high: float | None
    width: int = STRIP[0]
    height: int = STRIP[1]

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
    """
    >>> found = strip(0.5, [0.0, 2.0], tolerated=1.0)
    >>> found.own, found.others, found.tolerated, found.low
    (48.0, (5.0, 91.0), 91.0, None)
    """
    axis = Axis(lowest, highest, 5, STRIP[0] - 5)
    places = tuple(sorted({round(axis.at(value), 1) for value in others}))
    return Strip(axis.at(own), places, axis.at_any(tolerated), axis.at_any(interval[0]), axis.at_any(interval[1]))


@dataclass(frozen=True)
class Contour:
    """Lines with a gap where points are None, and the lowest and highest value they show."""

    lines: tuple[str, ...]
    lowest: float
    highest: float
    width: int = CONTOUR[0]
    height: int = CONTOUR[1]


def contour(points: Sequence[float | None]) -> Contour | None:
    """None where no point is defined. A point without neighbours is a short line.

    >>> contour([100.0, 200.0, None, 150.0]).lines
    ('4.0,52.0 81.3,4.0', '234.0,28.0 236.0,28.0')
    """
    defined = [point for point in points if point is not None]
    if not defined:
        return None
    width, height = CONTOUR
    low, high = min(defined), max(defined)
    up = Axis(low, high, height - 4, 4) if high > low else Axis(low - 1, low + 1, height - 4, 4)
    along = Axis(0, max(1, len(points) - 1), 4, width - 4)
    lines: list[list[Place]] = [[]]
    for n, value in enumerate(points):
        if value is None:
            lines.append([])
        else:
            lines[-1].append((along.at(n), up.at(value)))
    return Contour(tuple(line(_seen(places, along.end)) for places in lines if places), low, high)


def _seen(places: list[Place], end: float) -> list[Place]:
    if len(places) > 1:
        return places
    ((x, y),) = places
    return [(x - 2, y), (min(x + 2, end), y)]


@dataclass(frozen=True)
class Mark:
    """A place, and what is written there."""

    x: float
    y: float
    label: str


@dataclass(frozen=True)
class Curve:
    """Points joined by a line, with a scale at the left and numbers below."""

    points: tuple[Mark, ...]
    line: str
    levels: tuple[Mark, ...]
    steps: tuple[Mark, ...]
    width: int = CURVE[0]
    height: int = CURVE[1]
    left: int = _LEFT
    right: int = CURVE[0] - _RIGHT
    bottom: int = CURVE[1] - _BOTTOM


def curve(values: Sequence[float | None], *, decimals: int) -> Curve | None:
    """The curve of values for 1, 2, …; None where there are none. The scale begins at 0.

    >>> found = curve([None, 2.0, 1.0], decimals=1)
    >>> [(round(point.x), round(point.y), point.label) for point in found.points]
    [(188, 12, '2.0'), (328, 89, '1.0')]
    """
    highest = max((value for value in values if value is not None), default=0)
    if highest <= 0:
        return None
    width, height = CURVE
    up = Axis(0, highest, height - _BOTTOM, _TOP)
    along = Axis(0, max(1, len(values) - 1), _LEFT, width - _RIGHT)
    points = tuple(
        Mark(along.at(n), up.at(value), f"{value:.{decimals}f}")
        for n, value in enumerate(values)
        if value is not None
    )
    levels = tuple(Mark(_LEFT, up.at(part * highest), f"{part * highest:.{decimals}f}") for part in (0.0, 0.5, 1.0))
    steps = tuple(Mark(along.at(n), height - _BOTTOM, str(n + 1)) for n in range(len(values)))
    return Curve(points, line((point.x, point.y) for point in points), levels, steps)
