"""Pictures drawn by Matplotlib, as SVG, PNG or PDF. This module is imported when the first one is asked for."""

import io
import math
import textwrap
from collections.abc import Sequence
from functools import singledispatch
from threading import Lock
from typing import Any, Literal

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import BarContainer
from matplotlib.figure import Figure as Drawing
from matplotlib.ticker import FixedLocator, MaxNLocator
from matplotlib.transforms import Bbox

from analytics.reports.output import style
from analytics.reports.output.figures import AXES, Bars, Curves, Dots, Figure, Form, Heatmap, Scatter
from analytics.reports.output.heat_maps import draw_heat_map
from analytics.reports.output.sizes import height_of, row_height, steps_of
from analytics.reports.output.wording import text, tick, wrapped
from charts import look
from infrastructure.templatetags.wording import worded
from infrastructure.wording.reasons import Reason
from stats.results import Estimate

#: Points with a name beside them.
MOST_NAMES = 25
_ROUNDED = 1e-6
#: Beyond either end of a scale, in its length.
_EDGE = 0.02
CONTENT_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
#: Where a name may stand beside its point, in points, and on which side it is aligned.
_BESIDE: tuple[tuple[tuple[float, float], Literal["left", "right", "center"]], ...] = (
    ((5, 4), "left"), ((5, -11), "left"), ((-5, 4), "right"), ((-5, -11), "right"), ((0, 8), "center"),
)  # fmt: skip
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


_draw.register(Heatmap)(draw_heat_map)


@_draw.register
def _dots(picture: Dots, drawing: Drawing) -> None:
    rows, seen = len(picture.labels), picture.seen
    words = {at: _in_a_row(why) for at, why in picture.why_not.items()}
    below = {at: _in_a_row(why) for at, why in picture.why_no_interval.items()}
    under = max(map(height_of, below.values()), default=0.0)
    height = max(row_height(picture.labels), 0.13 * len(seen) + 0.1 + under, *map(height_of, words.values()))
    left = 1 - under / height
    drawing.set_size_inches(look.WIDTH, style.EDGE + rows * height)
    axes = drawing.subplots()
    if picture.mark is not None:
        axes.axvline(picture.mark, color=look.QUIET, linewidth=look.REFERENCE, linestyle="--", zorder=0)
    for place, (at, name, estimates) in enumerate(seen):
        # Nearer to each other than to those of the next row.
        shift = style.TOGETHER / len(seen) * (place - (len(seen) - 1) / 2)
        at_y = [y - (1 - left) / 2 + shift * left if y in below else y + shift for y in range(rows)]
        _points(axes, estimates, at_y, style.of_series(at) | {"label": text(name)})
    _rows(axes, picture.labels)
    axes.grid(axis="x", color=look.LINE, linewidth=look.GRID)
    axes.set_axisbelow(True)
    axes.set_xlabel(text(picture.axis_title))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    if ends := picture.ends or _ends_of(picture.form, axes.dataLim.intervalx):
        _from_end_to_end(axes, *ends)
    for at, said in words.items():
        _say(axes, at, said)
    for at, said in below.items():
        _say(axes, at + left / 2, said)
    _legend(drawing, axes, len(picture.series))


def _in_a_row(why: Reason) -> str:
    """Why a row has no point or no interval, in at most two lines; the table has the whole sentence."""
    lines = textwrap.wrap(worded(why), style.REASON, max_lines=2, placeholder="\N{NO-BREAK SPACE}…")
    return "\n".join(lines)


def _say(axes: Axes, row: float, said: str) -> None:
    """Words in a row where no point is, before the grid."""
    axes.text(
        0.5, row, said, transform=axes.get_yaxis_transform(), ha="center", va="center", color=look.QUIET,
        fontsize=look.SMALL, fontstyle="italic", bbox={"facecolor": "white", "linewidth": 0, "pad": 1.0},
    )  # fmt: skip


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
    edge = _EDGE * (high - low)
    axes.set_xlim(min(low, least) - edge, max(high, most) + edge)
    axes.xaxis.set_major_locator(FixedLocator(steps_of(low, high)))


def _points(
    axes: Axes, estimates: Sequence[Estimate | None], at_y: Sequence[float], drawn_as: dict[str, Any]
) -> None:
    """A series; `at_y` has the place of each line's point."""
    told = zip(at_y, estimates, strict=True)
    known = [(y, it, it.estimate) for y, it in told if it is not None and it.estimate is not None]
    for y, it, _value in known:
        if it.interval:
            ends = [it.interval.low, it.interval.high]
            axes.plot(ends, [y] * 2, color=drawn_as["color"], marker="|", markersize=3.5, label="_")
    axes.plot([value for _, _, value in known], [y for y, _, _ in known], **drawn_as | {"linestyle": ""})


@_draw.register
def _bars(picture: Bars, drawing: Drawing) -> None:
    rows = len(picture.labels)
    drawing.set_size_inches(look.WIDTH, style.EDGE + 0.2 + row_height(picture.labels) * rows)
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
    for at, value in enumerate(left):
        if not value:
            axes.text(0.0, at, f" {tick(0.0, picture.form)}", va="center", color=look.QUIET, fontsize=look.SMALL)
    _legend(drawing, axes, len(picture.series))


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
    _legend(drawing, axes, len(picture.curves))


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
            inside = box.x0 >= within.x0 and box.x1 <= drawing.bbox.x1 and box.y1 <= drawing.bbox.y1
            if inside and not box.count_overlaps(taken):
                taken.append(box)
                break
            written.remove()


def _plane(axes: Axes, picture: Curves | Scatter) -> None:
    if picture.diagonal:
        ends = [*axes.get_xlim(), *axes.get_ylim()]
        if picture.x_form == picture.y_form == "share" and 0 <= min(axes.dataLim.min) <= max(axes.dataLim.max) <= 1:
            ends = [-_EDGE, 1 + _EDGE]
            axes.xaxis.set_major_locator(FixedLocator(steps_of(0.0, 1.0)))
            axes.yaxis.set_major_locator(FixedLocator(steps_of(0.0, 1.0)))
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


def _legend(drawing: Drawing, axes: Axes, n_series: int) -> None:
    """Above the picture, in as many columns as there is room for, each as long as the others.

    It names what is drawn and nothing else; of several series it names the only one that is drawn, too.
    """
    labelled = list(zip(*axes.get_legend_handles_labels(), strict=True))
    found = [(handle, wrapped(name, 36)) for handle, name in labelled if _is_seen(handle)]
    if n_series > 1 and found:
        handles, names = zip(*found, strict=True)
        longest = max(len(line) for it in names for line in it.split("\n"))
        lines = math.ceil(len(names) / max(1, min(4, style.LEGEND // (style.BEFORE + longest))))
        drawing.legend(handles, names, loc="outside upper center", ncols=math.ceil(len(names) / lines))


def _is_seen(handle: Any) -> bool:
    """Whether a series has any mark: a line has a point, bars have one of some length."""
    if isinstance(handle, BarContainer):
        return any(bar.get_width() for bar in handle)
    return len(handle.get_xdata()) > 0
