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
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FixedLocator, MaxNLocator
from matplotlib.transforms import Bbox

from analytics.reports.output import style
from analytics.reports.output.figures import AXES, Bars, Curves, Dots, Figure, Form, Heatmap, Scatter
from analytics.reports.output.wording import number, text, tick, wrapped
from charts import look
from stats.results import Estimate

#: Points with a name beside them.
MOST_NAMES = 25
#: Of a scale that is shown from end to end.
_MOST_STEPS = 10
_ROUNDED = 1e-6
CONTENT_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
#: Where a name may stand beside its point, in points, and on which side it is aligned.
_BESIDE: tuple[tuple[tuple[float, float], Literal["left", "right", "center"]], ...] = (
    ((5, 4), "left"), ((5, -11), "left"), ((-5, 4), "right"), ((-5, -11), "right"), ((0, 8), "center"),
)  # fmt: skip
#: Of the numbers at the key of a heat map.
_KEY_DECIMALS = 2
#: From light to dark, in grey too: a scale with a middle has a line there in its key.
_SHADES = LinearSegmentedColormap.from_list("shades", look.SHADES)
#: Matplotlib's styles and fonts are shared by all threads.
_lock = Lock()


def drawn(figure: Figure, form: str) -> bytes:
    """The picture of a figure, the same for the same figure. Raises ValueError where it has none."""
    file = io.BytesIO()
    with _lock, mpl.rc_context(style.RC):
        drawing = laid_out(figure)
        dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(form)
        drawing.savefig(file, format=form, dpi=style.DPI, metadata=dated)
    return file.getvalue()


def laid_out(figure: Figure) -> Drawing:
    """The picture before it is a file, by the styles that are in force. Raises ValueError where it has none."""
    if figure.picture is None:
        raise ValueError(f"{figure.key} has no picture")
    drawing = Drawing(layout="constrained")
    FigureCanvasAgg(drawing)
    _draw(figure.picture, drawing)
    _title_of_rows(figure, drawing)
    return drawing


@singledispatch
def _draw(picture: object, _drawing: Drawing) -> None:
    raise TypeError(f"nobody knows how to draw a {type(picture).__name__}")


def _title_of_rows(figure: Figure, drawing: Drawing) -> None:
    """What the names beside a picture are of, where the head of the table's first column says it."""
    picture, table = figure.picture, figure.table
    if isinstance(picture, Dots | Bars) and table:
        names = {row[0] if isinstance(row[0], str) else "" for row in table.rows}
        if names.issuperset(picture.labels):
            drawing.axes[0].set_ylabel(text(table.columns[0].title))


@_draw.register
def _heatmap(picture: Heatmap, drawing: Drawing) -> None:
    cell = 0.38 if len(picture.columns) <= style.WRITTEN else 0.16
    width = max(look.WIDTH, style.ASIDE + cell * len(picture.columns))
    heads, upright = _heads(picture.columns, (width - style.ASIDE) / max(1, len(picture.columns)))
    aside = 0.0 if upright else style.LETTER * max(len(line) for it in heads for line in it.split("\n"))
    row = _row_height(picture.rows) if len(picture.rows) <= style.WRITTEN else 0.16
    drawing.set_size_inches(width, style.EDGE + 0.4 + aside + row * len(picture.rows))
    axes = drawing.subplots()
    values = [[math.nan if it is None else it for it in row] for row in picture.values]
    image = axes.imshow(values, cmap=_SHADES, norm=Normalize(picture.low, picture.high), aspect="auto")
    axes.set_xticks(range(len(picture.columns)), heads)
    axes.tick_params(axis="x", labelrotation=0 if upright else 90, length=0)
    axes.set_yticks(range(len(picture.rows)), [wrapped(it, style.BESIDE) for it in picture.rows])
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel=text(picture.x_title), ylabel=text(picture.y_title))
    axes.spines[:].set_visible(False)
    if len(picture.columns) <= style.WRITTEN:
        _write_cells(axes, picture, image)
    _key(drawing, axes, picture, image)


def _heads(names: Sequence[str], room: float) -> tuple[list[str], bool]:
    """The heads of columns of this width in inches, and whether they stand upright: else they lie on their side."""
    letters = int(room / style.LETTER)
    upright = [wrapped(it, max(1, letters)) for it in names]
    if max((len(line) for it in upright for line in it.split("\n")), default=0) <= letters:
        return upright, True
    return [wrapped(it, 24) for it in names], False


def _row_height(labels: Sequence[str]) -> float:
    """Inches of a line of a list: the label with the most lines has room."""
    lines = max((wrapped(it, style.BESIDE).count("\n") + 1 for it in labels), default=1)
    return max(style.ROW, style.LINE_OF_LABEL * lines + 0.04)


def _key(drawing: Drawing, axes: Axes, picture: Heatmap, image: Any) -> None:
    """What the shades mean, from end to end, with a line at the middle."""
    bar = drawing.colorbar(image, ax=axes, shrink=0.9, aspect=20, label=text(AXES[picture.form]))
    bar.set_ticks(_steps(picture.low, picture.high))
    bar.ax.yaxis.set_major_formatter(lambda value, _at: tick(round(value, _KEY_DECIMALS), picture.form))
    bar.outline.set_visible(False)
    if picture.middle is not None:
        bar.ax.axhline(picture.middle, color=look.COLOURS[1], linewidth=look.SERIES)


def _write_cells(axes: Axes, picture: Heatmap, image: Any) -> None:
    for y, row in enumerate(picture.values):
        for x, value in enumerate(row):
            if value is None:
                axes.text(x, y, "–", ha="center", va="center", color=look.QUIET)
                continue
            red, green, blue, _alpha = image.cmap(image.norm(value))
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.55
            # A cell has room for a whole percentage; the table below has the digits.
            shown = tick(round(value, 2), picture.form) if picture.form == "share" else number(value, picture.form)
            axes.text(x, y, shown, ha="center", va="center", color="white" if dark else look.INK, fontsize=look.SMALL)


@_draw.register
def _dots(picture: Dots, drawing: Drawing) -> None:
    rows, several = len(picture.labels), len(picture.series)
    drawing.set_size_inches(look.WIDTH, style.EDGE + rows * max(_row_height(picture.labels), 0.13 * several + 0.1))
    axes = drawing.subplots()
    if picture.mark is not None:
        axes.axvline(picture.mark, color=look.QUIET, linewidth=look.REFERENCE, linestyle="--", zorder=0)
    for at, (name, estimates) in enumerate(picture.series.items()):
        shift = 0.0 if several == 1 else 0.6 * (at / (several - 1) - 0.5)
        _points(axes, estimates, shift, style.of_series(at) | {"label": text(name)})
    _rows(axes, picture.labels)
    axes.grid(axis="x", color=look.LINE, linewidth=look.GRID)
    axes.set_axisbelow(True)
    axes.set_xlabel(text(picture.axis_title))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    if ends := picture.ends or _ends_of(picture.form, axes.dataLim.intervalx):
        _from_end_to_end(axes, *ends)
    _legend(drawing, axes)


def _rows(axes: Axes, labels: Sequence[str]) -> None:
    axes.set_yticks(range(len(labels)), [wrapped(it, style.BESIDE) for it in labels])
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _ends_of(form: Form, interval: Sequence[float]) -> tuple[float, float] | None:
    """The ends of the scale of shares and coefficients, from chance or from the other end; none of what is neither.

    >>> _ends_of("share", (0.4, 0.6)), _ends_of("coefficient", (-0.1, 0.6)), _ends_of("coefficient", (0, 3))
    ((0.0, 1.0), (-1.0, 1.0), None)
    """
    least, most = interval
    if form not in ("share", "coefficient") or least < -1 or most > 1:
        return None
    if least >= 0:
        return (0.0, 1.0)
    return (-1.0, 1.0) if form == "coefficient" else None


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


def _points(axes: Axes, estimates: Sequence[Estimate | None], shift: float, drawn_as: dict[str, Any]) -> None:
    known = [(y, it, it.estimate) for y, it in enumerate(estimates) if it is not None and it.estimate is not None]
    for y, it, _value in known:
        if it.interval:
            ends = [it.interval.low, it.interval.high]
            axes.plot(ends, [y + shift] * 2, color=drawn_as["color"], marker="|", markersize=3.5, label="_")
    axes.plot([value for _, _, value in known], [y + shift for y, _, _ in known], **drawn_as | {"linestyle": ""})


@_draw.register
def _bars(picture: Bars, drawing: Drawing) -> None:
    rows = len(picture.labels)
    drawing.set_size_inches(look.WIDTH, style.EDGE + 0.2 + _row_height(picture.labels) * rows)
    axes = drawing.subplots()
    left = [0.0] * rows
    for at, (name, values) in enumerate(picture.series.items()):
        drawn_as: dict[str, Any] = {
            "color": look.COLOURS[at % len(look.COLOURS)],
            "hatch": style.HATCHES[at % len(style.HATCHES)],
        }
        axes.barh(
            range(rows), values, left=left, height=0.7, edgecolor="white", linewidth=0, label=text(name), **drawn_as
        )
        left = [before + value for before, value in zip(left, values, strict=True)]
    _rows(axes, picture.labels)
    axes.set_xlabel(text(picture.x_title or AXES[picture.form]))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    if picture.form == "share" and max(left, default=0) <= 1 + _ROUNDED:
        _from_end_to_end(axes, 0.0, 1.0)
    _legend(drawing, axes)


@_draw.register
def _curves(picture: Curves, drawing: Drawing) -> None:
    drawing.set_size_inches(look.WIDTH, style.PLANE)
    axes = drawing.subplots()
    for at, curve in enumerate(picture.curves):
        drawn_as = style.of_series(at)
        axes.plot(curve.x, curve.y, label=text(curve.name), **drawn_as)
        if curve.low and curve.high:
            axes.fill_between(curve.x, curve.low, curve.high, color=drawn_as["color"], alpha=0.15, linewidth=0)
    _plane(axes, picture)
    if all(x.is_integer() for curve in picture.curves for x in map(float, curve.x)):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    _up_to_one(axes, [value for curve in picture.curves for value in (*curve.y, *curve.high)])
    _legend(drawing, axes)


@_draw.register
def _scatter(picture: Scatter, drawing: Drawing) -> None:
    drawing.set_size_inches(look.WIDTH, style.SQUARE)
    axes = drawing.subplots()
    axes.plot(picture.x, picture.y, "o", color=look.COLOURS[0])
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
                text(name),
                (x, y),
                xytext=(right, up),
                textcoords="offset points",
                fontsize=look.SMALL,
                color=look.QUIET,
                ha=side,
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
        axes.plot([low, high], [low, high], color=look.QUIET, linewidth=look.REFERENCE, linestyle="--", zorder=0)
        axes.set(xlim=(low, high), ylim=(low, high))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.x_form))
    axes.yaxis.set_major_formatter(lambda value, _at: tick(value, picture.y_form))
    axes.set(xlabel=text(picture.x_title), ylabel=text(picture.y_title))
    axes.grid(color=look.LINE, linewidth=look.GRID)
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
        shown = [wrapped(it, 36) for it in names]
        longest = max(len(line) for it in shown for line in it.split("\n"))
        columns = max(1, min(len(names), 4, style.LEGEND // (style.BEFORE + longest)))
        drawing.legend(handles, shown, loc="outside upper center", ncols=columns)
