"""Pictures drawn by Matplotlib, as SVG, PNG or PDF. This module is imported when the first one is asked for."""

import io
import math
from collections.abc import Sequence
from functools import singledispatch
from threading import Lock
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import Normalize, TwoSlopeNorm
from matplotlib.figure import Figure as Drawing

from analytics.reports.figures import Bars, Curves, Dots, Figure, Heatmap, Scatter
from analytics.reports.wording import number, text, tick, wrapped
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
#: Beyond so many columns a heat map has no room for numbers.
WRITTEN = 16
CONTENT_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}
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
    drawing.set_size_inches(max(WIDTH, 2.2 + 0.5 * len(picture.columns)), EDGE + 0.6 + ROW * len(picture.rows))
    axes = drawing.subplots()
    values = [[math.nan if it is None else it for it in row] for row in picture.values]
    if picture.middle is None:
        colours, norm = "Blues", Normalize(picture.low, picture.high)
    else:
        colours, norm = "RdBu", TwoSlopeNorm(picture.middle, picture.low, picture.high)
    image = axes.imshow(values, cmap=colours, norm=norm, aspect="auto")
    axes.set_xticks(range(len(picture.columns)), [wrapped(it, 14) for it in picture.columns])
    axes.tick_params(axis="x", labelrotation=0 if len(picture.columns) <= 8 else 90, length=0)
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
    axes.set_xlabel(text(picture.x_title))
    axes.xaxis.set_major_formatter(lambda value, _at: tick(value, picture.form))
    _legend(axes, several)


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
    _legend(axes, len(picture.series))


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
    _legend(axes, len(picture.curves))


@_draw.register
def _scatter(picture: Scatter, drawing: Drawing) -> None:
    drawing.set_size_inches(WIDTH, 5.0)
    axes = drawing.subplots()
    axes.plot(picture.x, picture.y, "o", color=COLOURS[0])
    named = picture.names if len(picture.names) <= MOST_NAMES else ()  # more lie over each other; the table has them
    for name, x, y in zip(named, picture.x, picture.y, strict=False):
        axes.annotate(text(name), (x, y), xytext=(5, 4), textcoords="offset points", fontsize=8, color=QUIET)
    _plane(axes, picture)


def _plane(axes: Axes, picture: Curves | Scatter) -> None:
    if picture.diagonal:
        axes.axline((0, 0), slope=1, color=QUIET, linewidth=1, linestyle="--", zorder=0)
    axes.set(xlabel=text(picture.x_title), ylabel=text(picture.y_title))
    axes.grid(color=LINE, linewidth=0.6)
    axes.set_axisbelow(True)


def _legend(axes: Axes, n: int) -> None:
    if n > 1:
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=min(n, 4))
