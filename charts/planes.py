"""Charts that stand alone on a page, with two axes, each with its title and the numbers at it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from charts.axes import Axis, decimals, steps
from charts.look import page_width
from charts.shapes import LINES, Place, Shape, box, line, point

#: Pixels around the axes.
_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 12, 8, 38
_HEIGHT = 180
#: A line of one point reaches so far to either side.
_SHORT = 2.0


@dataclass(frozen=True)
class Number:
    """A number as it is written: with so many decimals, or as `label` says."""

    value: float
    decimals: int = 0
    label: str = ""


@dataclass(frozen=True)
class Tick:
    """A number at an axis, and where it stands."""

    at: float
    number: Number


@dataclass(frozen=True)
class Plane:
    """Shapes between two axes. `rows` are the same values as a table, where the page has none beside it."""

    x_title: str
    y_title: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    shapes: tuple[Shape, ...]
    rows: tuple[tuple[Number, Number], ...] = ()
    wide: bool = False

    @property
    def width(self) -> int:
        return page_width(wide=self.wide)

    @property
    def height(self) -> int:
        return _HEIGHT

    @property
    def left(self) -> int:
        return _LEFT

    @property
    def right(self) -> int:
        return self.width - _RIGHT

    @property
    def bottom(self) -> int:
        return _HEIGHT - _BOTTOM

    @property
    def middle(self) -> tuple[float, float]:
        """Where the titles of both axes have their middle."""
        return (self.left + self.right) / 2, (_TOP + self.bottom) / 2

    @property
    def frame(self) -> str:
        return f"M{_LEFT} {_TOP}V{self.bottom}H{self.right}"


def _along(low: float, high: float, *, wide: bool = False) -> Axis:
    return Axis(low, high, _LEFT, page_width(wide=wide) - _RIGHT)


def _up(low: float, high: float, *, logarithmic: bool = False) -> Axis:
    return Axis(low, high, _HEIGHT - _BOTTOM, _TOP, logarithmic)


def _round_up(values: Iterable[float]) -> tuple[Axis, tuple[Tick, ...]]:
    """An axis upwards between round numbers, and these numbers at it."""
    known = list(values)
    found = steps(min(known), max(known))
    axis = _up(found[0], found[-1])
    return axis, _ticks(axis, found)


def _ticks(axis: Axis, values: Sequence[float]) -> tuple[Tick, ...]:
    places = decimals(values)
    return tuple(Tick(axis.at(it), Number(it, places)) for it in values)


def curve(values: Sequence[float | None], *, x_title: str, y_title: str) -> Plane | None:
    """Values for 1, 2, … joined by a line; None where there are none. The scale begins at 0.

    >>> found = curve([None, 2.0, 1.0], x_title="Answers", y_title="Width")
    >>> [tick.number.value for tick in found.y_ticks], [tick.number.value for tick in found.x_ticks]
    ([0.0, 0.5, 1.0, 1.5, 2.0], [1, 2, 3])
    """
    known = [(n, value) for n, value in enumerate(values, start=1) if value is not None]
    if max((value for _, value in known), default=0) <= 0:
        return None
    up, y_ticks = _round_up([0.0, *(value for _, value in known)])
    along = _along(1, max(2, len(values)))
    places = [(along.at(n), up.at(value)) for n, value in known]
    x_ticks = tuple(Tick(along.at(n), Number(n)) for n in range(1, len(values) + 1))
    shapes = (line("series", places), *(point("point", x, y) for x, y in places))
    return Plane(x_title, y_title, x_ticks, y_ticks, shapes)


def curves(
    lines: Sequence[Sequence[tuple[float, float]]],
    *,
    limit: float,
    along: Sequence[float],
    x_title: str,
    y_title: str,
) -> Plane | None:
    """Lines through (x, y), each with a look of its own (`shapes.LINES`), and a level to compare them with.

    The scale of x is logarithmic, with the numbers `along` written at it; that of y begins at 0. None without points,
    and where all of them are at one x.

    >>> found = curves([[(10, 2.0), (100, 1.0)]], limit=0.5, along=[10, 100], x_title="Items", y_title="±")
    >>> [tick.number.value for tick in found.y_ticks], [shape.look for shape in found.shapes][:2]
    ([0.0, 0.5, 1.0, 1.5, 2.0], ['reference', 'line-1'])
    """
    xs, ys = [x for one in lines for x, _ in one], [y for one in lines for _, y in one]
    if not xs or min(xs) == max(xs):
        return None
    up, y_ticks = _round_up([0.0, limit, *ys])
    scale = Axis(min(xs), max(xs), _LEFT, page_width() - _RIGHT, logarithmic=True)
    x_ticks = tuple(Tick(scale.at(it), Number(it)) for it in along if min(xs) <= it <= max(xs))
    level = line("reference", [(scale.start, up.at(limit)), (scale.end, up.at(limit))])
    drawn = [
        line(look, [(scale.at(x), up.at(y)) for x, y in one]) for look, one in zip(LINES, lines, strict=False) if one
    ]
    return Plane(x_title, y_title, x_ticks, y_ticks, (level, *drawn))


def contour(points: Sequence[float | None], seconds: float, *, x_title: str, y_title: str) -> Plane | None:
    """The means of equal parts of a clip, with a gap where they are None; None where no part has one.

    A part without neighbours is a short line.

    >>> found = contour([100.0, 200.0, None, 150.0], 2.0, x_title="Time (s)", y_title="Pitch (Hz)")
    >>> len(found.shapes), [tick.number.value for tick in found.x_ticks]
    (2, [0.0, 0.5, 1.0, 1.5, 2.0])
    """
    middles = [seconds * (n + 0.5) / len(points) for n in range(len(points))]
    known = [(when, value) for when, value in zip(middles, points, strict=True) if value is not None]
    if not known:
        return None
    up, y_ticks = _round_up(value for _, value in known)
    within = steps(0, seconds)
    along = _along(0, within[-1])
    lines: list[list[Place]] = [[]]
    for when, value in zip(middles, points, strict=True):
        if value is None:
            lines.append([])
        else:
            lines[-1].append((along.at(when), up.at(value)))
    shapes = tuple(line("series", _seen(places)) for places in lines if places)
    rows = tuple((Number(when, 2), Number(value, 1)) for when, value in known)
    return Plane(x_title, y_title, _ticks(along, within), y_ticks, shapes, rows)


def _seen(places: list[Place]) -> list[Place]:
    if len(places) > 1:
        return places
    ((x, y),) = places
    return [(x - _SHORT, y), (x + _SHORT, y)]


def columns(counts: Sequence[int], labels: Sequence[str], *, every: int, x_title: str, y_title: str) -> Plane:
    """A bar for each count with its label; some of the labels are written below, the first and the last among them.

    >>> found = columns([0, 4, 2], ["9:00", "10:00", "11:00"], every=2, x_title="Hour", y_title="Answers")
    >>> [tick.number.label for tick in found.x_ticks], [tick.number.value for tick in found.y_ticks]
    (['9:00', '11:00'], [0.0, 1.0, 2.0, 3.0, 4.0])
    """
    up, y_ticks = _round_up([0, max(4, *counts)])
    along = _along(0, len(counts))
    edges = list(pairwise(along.at(n) for n in range(len(counts) + 1)))
    bars = [
        box("bar", start + 1, up.at(count), end - start - 2, up.start - up.at(count), f"{label}: {count}")
        for (start, end), count, label in zip(edges, counts, labels, strict=True)
        if count
    ]
    x_ticks = [
        Tick(round((start + end) / 2, 2), Number(n, label=labels[n]))
        for n, (start, end) in enumerate(edges)
        if n == 0 or (len(counts) - 1 - n) % every == 0
    ]
    rows = tuple(
        (Number(n, label=label), Number(count)) for n, (label, count) in enumerate(zip(labels, counts, strict=True))
    )
    return Plane(x_title, y_title, tuple(x_ticks), y_ticks, tuple(bars), rows)


@dataclass(frozen=True)
class Timed:
    """Something that took so many seconds: `look` says what it was, and `title` what is said of it."""

    seconds: float
    look: str
    title: str


def timeline(taken: Sequence[Timed], grid: Sequence[tuple[float, str]], *, x_title: str, y_title: str) -> Plane:
    """What came one after the other, by how long it took on a logarithmic scale: the quickest are what one looks for.

    `grid` are times with their labels; the scale goes from the last that is short enough to the first that is long
    enough. What is shorter than the first is drawn there.

    >>> grid = [(1, "1 s"), (10, "10 s"), (60, "1 min")]
    >>> found = timeline([Timed(5, "point", "5 s")], grid, x_title="Answers", y_title="Time taken")
    >>> [tick.number.label for tick in found.y_ticks]
    ['1 s', '10 s']
    """
    least = grid[0][0]
    seconds = [max(it.seconds, least) for it in taken]
    low = max(time for time, _ in grid if time <= min(seconds))
    high = min((time for time, _ in grid if time >= max(seconds) and time > low), default=max(seconds))
    up = _up(low, high, logarithmic=True)
    along = _along(0.5, len(taken) + 0.5, wide=True)
    shapes = tuple(
        point(it.look, along.at(n), up.at(time), it.title)
        for n, (it, time) in enumerate(zip(taken, seconds, strict=True), 1)
    )
    y_ticks = tuple(Tick(up.at(time), Number(time, label=label)) for time, label in grid if low <= time <= high)
    x_ticks = _ticks(along, _counted(len(taken)))
    rows = tuple((Number(n), Number(it.seconds, label=it.title)) for n, it in enumerate(taken, 1))
    return Plane(x_title, y_title, x_ticks, y_ticks, shapes, rows, wide=True)


def _counted(n: int) -> list[float]:
    """The first, the last and round numbers between them that are not too close to either.

    >>> _counted(23), _counted(1)
    ([1.0, 10.0, 20.0, 23.0], [1.0])
    """
    found = steps(1, n)
    apart = (found[1] - found[0]) / 4
    return sorted({1.0, float(n), *(it for it in found if it.is_integer() and 1 + apart <= it <= n - apart)})
