"""Pictures drawn by Matplotlib, as SVG, PNG or PDF. This module is imported when the first one is asked for."""

import io
import math
from collections.abc import Sequence
from functools import singledispatch
from threading import Lock
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FixedLocator, MaxNLocator
from matplotlib.transforms import Bbox

from analytics.reports.output.figures import Bars, Curves, Dots, Figure, Heatmap, Scatter
from analytics.reports.output.wording import number, text, tick, wrapped
from analytics.stats.results import Estimate

#: Points with a name beside them.
MOST_NAMES = 25
#: Inches.
WIDTH, ROW, EDGE = 7.4, 0.32, 1.1
DPI = 160
INK, QUIET, LINE = "#1b2333", "#59627a", "#d9dbe3"
#: Told apart with any colour vision (Okabe & Ito 2008), darkest first.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#f0e442")
MARKERS = "osD^vPX*"
#: Beyond so many columns a heat map has no room for numbers, and beyond so many none for upright heads.
WRITTEN, UPRIGHT = 16, 8
#: Characters of a legend in a line, with the mark of each entry.
_LEGEND, _MARK = 92, 7
#: Of a scale that is shown from end to end.
_MOST_STEPS = 10
CONTENT_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
#: Where a name may stand beside its point, in points, and on which side it is aligned.
_BESIDE: tuple[tuple[tuple[float, float], Literal["left", "right", "center"]], ...] = (
    ((5, 4), "left"), ((5, -11), "left"), ((-5, 4), "right"), ((-5, -11), "right"), ((0, 8), "center"),
)  # fmt: skip
_STYLE: Any = {
    "font.family": "DejaVu Sans", "font.size": 9, "text.color": INK, "axes.labelcolor": INK, "axes.edgecolor": LINE,
    "xtick.color": QUIET, "ytick.color": INK, "axes.spines.top": False, "axes.spines.right": False,
    "axes.unicode_minus": True, "svg.hashsalt": "earshot", "pdf.fonttype": 42, "legend.frameon": False,
}  # fmt: skip
#: Matplotlib's styles and fonts are shared by all threads.
_lock = Lock()


def drawn(figure: Figure, form: str) -> bytes:
    """The picture of a figure, the same for the same figure. Raises ValueError where it has none."""
    if figure.picture is None:
        raise ValueError(f"{figure.key} has no picture")
    file = io.BytesIO()
    with _lock, mpl.rc_context(_STYLE):
        drawing = Drawing(layout="constrained")
        FigureCanvasAgg(drawing)
        _draw(figure.picture, drawing)
        dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        drawing.savefig(file, format=form, dpi=DPI, metadata=dated)
    return file.getvalue()


@singledispatch
def _draw(picture: object, _drawing: Drawing) -> None:
    raise TypeError(f"nobody knows how to draw a {type(picture).__name__}")


@_draw.register
def _heatmap(picture: Heatmap, drawing: Drawing) -> None:
    upright = len(picture.columns) <= UPRIGHT
    heads = [wrapped(it, 14 if upright else 30) for it in picture.columns]
    aside = 0.0 if upright else 0.075 * max(len(line) for it in heads for line in it.split("\n"))
    cell = 0.5 if len(picture.columns) <= WRITTEN else 0.22
    height = EDGE + 0.6 + aside + (ROW if len(picture.rows) <= WRITTEN else 0.22) * len(picture.rows)
    drawing.set_size_inches(max(WIDTH, 2.2 + cell * len(picture.columns)), height)
    axes = drawing.subplots()
    values = [[math.nan if it is None else it for it in row] for row in picture.values]
    if picture.middle is None:
        colours, norm = "Blues", Normalize(picture.low, picture.high)
    else:
        colours, norm = "RdBu", TwoSlopeNorm(picture.middle, picture.low, picture.high)
    image = axes.imshow(values, cmap=colours, norm=norm, aspect="auto")
    axes.set_xticks(range(len(picture.columns)), heads)
    axes.tick_params(axis="x", labelrotation=0 if upright else 90, length=0)
    axes.set_yticks(range(len(picture.rows)), [wrapped(it) for it in picture.rows])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel=text(picture.x_title), ylabel=text(picture.y_title))
    axes.spines[:].set_visible(False)
    if len(picture.columns) <= WRITTEN:
        _write_cells(axes, picture, image)
    bar = drawing.colorbar(image, ax=axes, shrink=0.8, aspect=18)
    bar.ax.yaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    bar.outline.set_visible(False)


def _write_cells(axes: Axes, picture: Heatmap, image: Any) -> None:
    for y, row in enumerate(picture.values):
        for x, value in enumerate(row):
            if value is None:
                axes.text(x, y, "–", ha="center", va="center", color=QUIET)
                continue
            red, green, blue, _alpha = image.cmap(image.norm(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            shown = number(value, picture.form)
            axes.text(x, y, shown, ha="center", va="center", color="white" if dark else INK, fontsize=8)


@_draw.register
def _dots(picture: Dots, drawing: Drawing) -> None:
    rows, several = len(picture.labels), len(picture.series)
    drawing.set_size_inches(WIDTH, EDGE + rows * max(ROW, 0.17 * several + 0.12))
    axes = drawing.subplots()
    if picture.mark is not None:
        axes.axvline(picture.mark, color=QUIET, linewidth=1, linestyle="--", zorder=0)
    for at, (name, estimates) in enumerate(picture.series.items()):
        shift = 0.0 if several == 1 else 0.6 * (at / (several - 1) - 0.5)
        colour, marker = COLOURS[at % len(COLOURS)], MARKERS[at % len(MARKERS)]
        _points(axes, estimates, shift, {"color": colour, "marker": marker, "label": text(name)})
    axes.set_yticks(range(rows), [wrapped(it, 34) for it in picture.labels])
    axes.set_ylim(rows - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.set_xlabel(text(picture.axis_title))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    if picture.ends is not None:
        _from_end_to_end(axes, *picture.ends)
    _legend(drawing, axes)


def _from_end_to_end(axes: Axes, low: float, high: float) -> None:
    """The whole scale, with a tick at either end; further where something lies beyond it."""
    least, most = axes.dataLim.intervalx
    edge = 0.02 * (high - low)
    axes.set_xlim(min(low, least) - edge, max(high, most) + edge)
    axes.xaxis.set_major_locator(FixedLocator(_steps(low, high)))


def _steps(low: float, high: float) -> list[float]:
    """From end to end in whole numbers where those are few, else in quarters.

    >>> _steps(1, 5), _steps(0, 1)
    ([1.0, 2.0, 3.0, 4.0, 5.0], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    whole = high - low
    n = int(whole) if whole == int(whole) and 2 <= whole <= _MOST_STEPS else 4
    return [low + whole * step / n for step in range(n + 1)]


def _points(axes: Axes, estimates: Sequence[Estimate | None], shift: float, style: dict[str, Any]) -> None:
    known = [(y, it, it.estimate) for y, it in enumerate(estimates) if it is not None and it.estimate is not None]
    for y, it, _value in known:
        if it.interval:
            axes.hlines(y + shift, it.interval.low, it.interval.high, color=style["color"], linewidth=2)
    axes.plot([value for _, _, value in known], [y + shift for y, _, _ in known], linestyle="", **style)


@_draw.register
def _bars(picture: Bars, drawing: Drawing) -> None:
    rows = len(picture.labels)
    drawing.set_size_inches(WIDTH, EDGE + 0.3 + ROW * rows)
    axes = drawing.subplots()
    left = [0.0] * rows
    for at, (name, values) in enumerate(picture.series.items()):
        axes.barh(range(rows), values, left=left, height=0.7, color=COLOURS[at % len(COLOURS)], label=text(name))
        left = [before + value for before, value in zip(left, values, strict=True)]
    axes.set_yticks(range(rows), [wrapped(it, 34) for it in picture.labels])
    axes.set_ylim(rows - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(text(picture.x_title))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    _legend(drawing, axes)


@_draw.register
def _curves(picture: Curves, drawing: Drawing) -> None:
    drawing.set_size_inches(WIDTH, 4.2)
    axes = drawing.subplots()
    for at, curve in enumerate(picture.curves):
        colour = COLOURS[at % len(COLOURS)]
        axes.plot(curve.x, curve.y, color=colour, marker=MARKERS[at % len(MARKERS)], label=text(curve.name))
        if curve.low and curve.high:
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.15, linewidth=0)
    _plane(axes, picture)
    if all(x.is_integer() for curve in picture.curves for x in map(float, curve.x)):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _up_to_one(axes, [value for curve in picture.curves for value in (*curve.y, *curve.high)])
    _legend(drawing, axes)


@_draw.register
def _scatter(picture: Scatter, drawing: Drawing) -> None:
    drawing.set_size_inches(WIDTH, 5.0)
    axes = drawing.subplots()
    axes.plot(picture.x, picture.y, "o", color=COLOURS[0])
    _plane(axes, picture)
    if len(picture.names) <= MOST_NAMES:
        _name_points(drawing, axes, picture)


def _name_points(drawing: Drawing, axes: Axes, picture: Scatter) -> None:
    """Each name beside its point, where it covers no other; the table has them all."""
    drawing.draw_without_rendering()
    within = axes.get_window_extent()
    points = axes.transData.transform(list(zip(picture.x, picture.y, strict=True)))
    taken = [Bbox.from_bounds(x - 3, y - 3, 6, 6) for x, y in points]
    for name, x, y in zip(picture.names, picture.x, picture.y, strict=True):
        for (right, up), side in _BESIDE:
            written = axes.annotate(
                text(name), (x, y), xytext=(right, up), textcoords="offset points", fontsize=8, color=QUIET, ha=side
            )
            box = written.get_window_extent()
            if box.x0 >= within.x0 and box.x1 <= drawing.bbox.x1 and not box.count_overlaps(taken):
                taken.append(box)
                break
            written.remove()


def _plane(axes: Axes, picture: Curves | Scatter) -> None:
    if picture.diagonal:
        ends = [*axes.get_xlim(), *axes.get_ylim()]
        low, high = min(ends), max(ends)
        axes.plot([low, high], [low, high], color=QUIET, linewidth=1, linestyle="--", zorder=0)
        axes.set(xlim=(low, high), ylim=(low, high))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.x_form))
    axes.yaxis.set_major_formatter(lambda value, _at: tick(value, picture.y_form))
    axes.set(xlabel=text(picture.x_title), ylabel=text(picture.y_title))
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)


def _up_to_one(axes: Axes, values: Sequence[float]) -> None:
    """Shares and coefficients end at 1, and so does their axis."""
    if 0.5 < max(values, default=0.0) <= 1:
        low = min(axes.get_ylim()[0], 0.9)
        axes.set_ylim(low, min(axes.get_ylim()[1], 1 + 0.03 * (1 - low)))


def _legend(drawing: Drawing, axes: Axes) -> None:
    """Above the picture, in as many columns as there is room for."""
    handles, names = axes.get_legend_handles_labels()
    if len(names) > 1:
        shown = [wrapped(it, 40) for it in names]
        longest = max(len(line) for it in shown for line in it.split("\n"))
        columns = max(1, min(len(names), 4, _LEGEND // (_MARK + longest)))
        drawing.legend(handles, shown, loc="outside upper center", ncols=columns)
