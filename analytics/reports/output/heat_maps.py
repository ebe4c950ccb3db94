"""Heat maps: values by row and column as shades, with a key of what they mean.

One ramp from light to dark, or two ways from a middle; what lies below the middle is hatched, so that a picture
without colours tells both sides apart.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure as Drawing
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from analytics.reports.output import style
from analytics.reports.output.figures import AXES, Heatmap
from analytics.reports.output.sizes import row_height, steps_of, width_of
from analytics.reports.output.wording import number, text, tick, wrapped
from charts import look

_SHADES = LinearSegmentedColormap.from_list("shades", look.SHADES)
_TWO_WAYS = LinearSegmentedColormap.from_list("two ways", look.TWO_WAYS)
#: Cells and keys show so many; a value that they show as the middle is at it.
_DECIMALS = 2
#: Darker than this in grey, letters on it are white.
_DARK = 0.55
#: Inches: a cell with decimals, one with a whole number and one without, and what is beside cells and labels of rows.
_CELL, _WHOLE_CELL, _SMALL_CELL, _BESIDE = 0.29, 0.24, 0.16, 1.15
#: Characters in a line of the label of a row.
_LABEL = 18


@dataclass(frozen=True)
class Shade:
    """The colour of a cell, and those of what is drawn on it."""

    colour: tuple[float, float, float, float]

    @property
    def is_dark(self) -> bool:
        red, green, blue, _alpha = self.colour
        return 0.299 * red + 0.587 * green + 0.114 * blue < _DARK

    @property
    def letters(self) -> str:
        return "white" if self.is_dark else look.INK

    @property
    def hatch(self) -> str:
        return look.TWO_WAYS[3] if self.is_dark else look.TWO_WAYS[1]


def draw_heat_map(picture: Heatmap, drawing: Drawing) -> None:
    """As wide as a column of a paper, or as both where its columns have no room in one."""
    labels = [wrapped(it, _LABEL) for it in picture.rows]
    width, room = _widths(picture, width_of(labels))
    heads, upright = _heads(picture.columns, room)
    below = 0.0 if upright else width_of(heads)
    row = row_height(picture.rows, _LABEL) if len(picture.rows) <= style.WRITTEN else _SMALL_CELL
    drawing.set_size_inches(width, style.EDGE + 0.4 + below + row * len(picture.rows))
    axes = drawing.subplots()
    values = [[math.nan if it is None else it for it in row] for row in picture.values]
    shades = _SHADES if picture.middle is None else _TWO_WAYS
    image = axes.imshow(values, cmap=shades, norm=Normalize(picture.low, picture.high), aspect="auto")
    axes.set_xticks(range(len(picture.columns)), heads)
    axes.tick_params(axis="x", labelrotation=0 if upright else 90, length=0)
    axes.set_yticks(range(len(picture.rows)), labels)
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel=text(picture.x_title), ylabel=text(picture.y_title))
    axes.spines[:].set_visible(False)
    _hatch_below(axes, picture, image)
    if len(picture.columns) <= style.WRITTEN:
        _write_cells(axes, picture, image)
    _key(drawing, axes, picture, image)


def _widths(picture: Heatmap, labels: float) -> tuple[float, float]:
    """Inches of the picture, and of each of its columns."""
    n = max(1, len(picture.columns))
    cell = _WHOLE_CELL if picture.form in ("share", "count") else _CELL
    needed = labels + _BESIDE + n * (cell if n <= style.WRITTEN else _SMALL_CELL)
    width = next((it for it in (look.WIDTH, look.WIDE) if needed <= it), needed)
    return width, (width - labels - _BESIDE) / n


def _heads(names: Sequence[str], room: float) -> tuple[list[str], bool]:
    """The heads of columns of this width in inches, and whether they stand upright: else they lie on their side."""
    letters = int(room / style.LETTER) - 1
    upright = [wrapped(it, max(1, letters)) for it in names]
    if max((len(line) for it in upright for line in it.split("\n")), default=0) <= letters:
        return upright, True
    return [wrapped(it, 24) for it in names], False


def _key(drawing: Drawing, axes: Axes, picture: Heatmap, image: AxesImage) -> None:
    """What the shades mean, from end to end; hatched and with a line at the middle as the cells are."""
    bar = drawing.colorbar(image, ax=axes, shrink=0.9, aspect=20, label=text(picture.title or AXES[picture.form]))
    bar.set_ticks(steps_of(picture.low, picture.high))
    bar.ax.yaxis.set_major_formatter(lambda value, _at: tick(round(value, _DECIMALS), picture.form))
    bar.outline.set_visible(False)
    if picture.middle is not None:
        _hatch(bar.ax, (0, picture.low), 1, picture.middle - picture.low, look.TWO_WAYS[1])
        bar.ax.axhline(picture.middle, color=look.INK, linewidth=look.FRAME)


def _cells(picture: Heatmap, image: AxesImage) -> Iterator[tuple[int, int, float, Shade]]:
    """The place of each value, the value and its colours."""
    for y, row in enumerate(picture.values):
        for x, value in enumerate(row):
            if value is not None:
                red, green, blue, alpha = image.to_rgba(np.array([value]))[0]
                yield x, y, value, Shade((red, green, blue, alpha))


def _is_below(picture: Heatmap, value: float) -> bool:
    return picture.middle is not None and round(value, _DECIMALS) < picture.middle


def _hatch_below(axes: Axes, picture: Heatmap, image: AxesImage) -> None:
    for x, y, value, shade in _cells(picture, image):
        if _is_below(picture, value):
            _hatch(axes, (x - 0.5, y - 0.5), 1, 1, shade.hatch)


def _hatch(axes: Axes, corner: tuple[float, float], width: float, height: float, colour: str) -> None:
    with mpl.rc_context({"hatch.linewidth": look.GRID}):
        axes.add_patch(Rectangle(corner, width, height, fill=False, linewidth=0, edgecolor=colour, hatch=style.BELOW))


def _write_cells(axes: Axes, picture: Heatmap, image: AxesImage) -> None:
    """The numbers, without the sign of percent that the key has: a cell has room for a whole percentage."""
    at: dict[str, Any] = {"ha": "center", "va": "center"}
    for y, row in enumerate(picture.values):
        for x, value in enumerate(row):
            if value is None:
                axes.text(x, y, "–", color=look.QUIET, **at)
    for x, y, value, shade in _cells(picture, image):
        shown = tick(round(value, _DECIMALS), "share") if picture.form == "share" else number(value, picture.form)
        written = axes.text(x, y, shown.removesuffix(" %"), color=shade.letters, fontsize=look.SMALL, **at)
        if _is_below(picture, value):
            written.set_path_effects([withStroke(linewidth=look.HALO, foreground=shade.colour)])
