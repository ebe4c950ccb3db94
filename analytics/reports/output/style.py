"""The look of charts (`charts/look.py`) as Matplotlib draws it, with marks, dashes and hatches.

Series differ in shape, dash or hatch as well as in colour: any colour vision tells them apart, and so does grey.
"""

from typing import Any

from charts.look import COLOURS, FRAME, INK, LETTERS, MARK, QUIET, SERIES, SMALL

#: Inches: what a line of a list takes; what title and ticks of an axis take.
ROW, EDGE = 0.26, 0.8
#: Inches, of pictures with two axes.
PLANE, SQUARE = 2.5, 3.0
#: Of PNGs, as journals want them.
DPI = 300
MARKERS = "osD^vPX*"
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1)), (0, (8, 3)), "-", ":")
#: Of what lies below the middle of a scale.
BELOW = "///"
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "|||", "---", "+++")
#: Characters in a line beside a picture, of a reason within a row, and of a legend with the mark of each entry.
BESIDE, REASON, LEGEND, BEFORE = 22, 30, 50, 7
#: Beyond so many columns a heat map has no room for numbers.
WRITTEN = 16
#: Inches: a letter of a label, and a line of it.
LETTER, LINE_OF_LABEL = 0.062, 0.125
#: Of the height of a row, what its series take.
TOGETHER = 0.7
RC: Any = {
    "font.family": "DejaVu Sans", "font.size": LETTERS, "axes.labelsize": LETTERS, "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL, "legend.fontsize": SMALL, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": QUIET, "axes.linewidth": FRAME, "xtick.color": QUIET, "ytick.color": INK,
    "xtick.major.width": FRAME, "ytick.major.width": FRAME, "lines.linewidth": SERIES, "lines.markersize": MARK,
    "hatch.linewidth": FRAME, "axes.spines.top": False, "axes.spines.right": False, "axes.unicode_minus": True,
    "svg.hashsalt": "earshot", "pdf.fonttype": 42, "legend.frameon": False,
}  # fmt: skip


def of_series(at: int) -> dict[str, Any]:
    """Colour, mark and dash of the series at this place; the first eight differ from each other in all three.

    Those after them have the colours again, with other marks, which are hollow in every second round.

    >>> of_series(1)["marker"], of_series(9)["marker"], of_series(9)["color"] == of_series(1)["color"]
    ('s', '^', True)
    """
    n, again = at % len(COLOURS), at // len(COLOURS)
    marker = (n + 2 * again) % len(MARKERS)
    inside = "white" if again % 2 else COLOURS[n]
    return {
        "color": COLOURS[n],
        "marker": MARKERS[marker],
        "markerfacecolor": inside,
        "linestyle": DASHES[marker],
    }
