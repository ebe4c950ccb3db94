"""Small charts within a line of a table: values as places on the axis that all lines of the column share.

The head of the column says what the axis is of, and `templates/charts/ends.html` its ends; the numbers stand beside
the drawing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from charts.axes import Axis
from charts.shapes import LINES, Shape, across, box, line, point, whisker

#: Width and height of each in pixels.
DOT, SPARK, STRIP, SPREAD, PARTS, KEY = (240, 16), (96, 24), (96, 18), (120, 34), (480, 14), (12, 18)
LINE_KEY = (28, 18)
#: Where a strip's and a dot's axes begin.
_STRIP_EDGE, _DOT_EDGE = 6, 8


@dataclass(frozen=True)
class Mark:
    """A drawing without an axis of its own."""

    width: int
    height: int
    shapes: tuple[Shape, ...]


def dot_axis(low: float, high: float) -> Axis:
    return Axis(low, high, _DOT_EDGE, DOT[0] - _DOT_EDGE)


def dot(
    axis: Axis | None,
    value: float | None,
    low: float | None,
    high: float | None,
    *,
    reference: float | None = None,
    unsure: bool = False,
) -> Mark | None:
    """A value and its interval, and a line to compare with; None where there is no value.

    >>> [it.look for it in dot(dot_axis(0, 1), 0.5, 0.25, 0.75, reference=0.0).shapes]
    ['frame', 'reference', 'interval', 'point']
    """
    if axis is None or value is None:
        return None
    width, height = DOT
    y = height / 2
    shapes = [line("frame", [(axis.start, y), (axis.end, y)])]
    if reference is not None:
        shapes.append(across("reference", axis.at(reference), 0, height))
    if low is not None and high is not None:
        shapes.append(whisker("interval unsure" if unsure else "interval", axis.at(low), axis.at(high), y))
    shapes.append(point("point unsure" if unsure else "point", axis.at(value), y))
    return Mark(width, height, tuple(shapes))


def strip_axis(low: float, high: float) -> Axis:
    return Axis(low, high, _STRIP_EDGE, STRIP[0] - _STRIP_EDGE)


def strip(
    axis: Axis,
    own: float,
    others: Iterable[float],
    *,
    tolerated: float | None,
    interval: tuple[float | None, float | None] = (None, None),
    flagged: bool = False,
) -> Mark:
    """Where one stands among the others. `tolerated` is where it stops being all right.

    >>> [it.look for it in strip(strip_axis(0, 2), 0.5, [0.0, 2.0], tolerated=1.0).shapes]
    ['frame', 'other', 'other', 'limit', 'point']
    """
    width, height = STRIP
    y = height / 2
    low, high = map(axis.at_any, interval)
    shapes = [line("frame", [(axis.start, y), (axis.end, y)])]
    if low is not None and high is not None:
        shapes.append(box("band", low, y - 3, high - low, 6))
    places = sorted({round(axis.at(value), 1) for value in others})
    shapes += [across("other", x, y - 4, y + 4) for x in places]
    if tolerated is not None:
        shapes.append(across("limit", axis.at(tolerated), 1, height - 1))
    shapes.append(point("flagged" if flagged else "point", axis.at(own), y))
    return Mark(width, height, tuple(shapes))


def spread_axis(low: float, high: float) -> Axis:
    return Axis(low, high if high > low else low + 1, 0, SPREAD[0])


def spread(axis: Axis, counts: Sequence[int], limits: Iterable[float]) -> Mark:
    """How values are distributed: bars along the axis, the highest count up to the top, and limits among them."""
    width, height = SPREAD
    step = width / max(len(counts), 1)
    most = max(counts, default=0) or 1
    bars = [
        box("bar", n * step + 0.5, height * (1 - count / most), step - 1, height * count / most)
        for n, count in enumerate(counts)
        if count
    ]
    floor = line("frame", [(0, height), (width, height)])
    return Mark(width, height, (*bars, *(across("limit", axis.at(it), 0, height) for it in limits), floor))


def spark_axis(low: float, high: float) -> Axis:
    """Upwards."""
    low, high = (low, high) if high > low else (low - 1, high + 1)
    return Axis(low, high, SPARK[1] - 2, 2)


def spark(axis: Axis, values: Sequence[float]) -> Mark | None:
    """A line over time; None where there is but one value.

    >>> spark(spark_axis(1, 3), (1.0, 3.0)).shapes[1].d
    'M4 22L94 2'
    """
    if len(values) < 2:
        return None
    width, height = SPARK
    along = Axis(0, len(values) - 1, 4, width - 2)
    upright = across("frame", 1, axis.start, axis.end)
    return Mark(width, height, (upright, line("series", ((along.at(n), axis.at(it)) for n, it in enumerate(values)))))


def parts(counts: Sequence[int]) -> Mark:
    """Parts of a whole, side by side in one bar from 0 to 100 %: from dark to light.

    >>> [(it.look, it.d) for it in parts([3, 0, 1]).shapes]
    [('part-1', 'M0 0h360v14h-360z'), ('part-3', 'M360 0h120v14h-120z')]
    """
    width, height = PARTS
    along = Axis(0, sum(counts) or 1, 0, width)
    shapes, before = [], 0
    for n, count in enumerate(counts, start=1):
        if count:
            start, end = along.at(before), along.at(before + count)
            shapes.append(box(f"part-{n}", start, 0, end - start, height))
        before += count
    return Mark(width, height, tuple(shapes))


def key(look: str) -> Mark:
    """A shape alone, for a line that says what it stands for."""
    width, height = LINE_KEY if look in (*LINES, "reference") else KEY
    x, y = width / 2, height / 2
    others = {
        "other": across("other", x, y - 4, y + 4),
        "limit": across("limit", x, 1, height - 1),
        **{part: box(part, 0, y - 5, 10, 10) for part in PARTED},
        **{it: line(it, [(0, y), (width, y)]) for it in (*LINES, "reference")},
    }
    return Mark(width, height, (others.get(look) or point(look, x, y),))


#: The looks of parts of a whole, from dark to light.
PARTED = ("part-1", "part-2", "part-3")
#: By look.
KEYS = {
    look: key(look)
    for look in ("point", "other", "limit", "flagged", "excluded", "passed", "failed", "reference", *PARTED, *LINES)
}
