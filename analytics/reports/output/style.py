"""The one look of all pictures of reports: sizes, letters, colours, marks, lines and hatches. Plain constants.

A picture is as wide as a column of a paper (88 mm) and is printed at that size, so that no letter is below 7 pt.
Series differ in shape, dash or hatch as well as in colour, and the colours get lighter one by one: they can be told
apart with any colour vision, and in grey.
"""

from typing import Any

#: Inches: the width of a column; what a line of a list takes; what title and ticks of an axis take.
WIDTH, ROW, EDGE = 88 / 25.4, 0.26, 0.8
#: Inches, of pictures with two axes.
PLANE, SQUARE = 2.5, 3.0
#: Of PNGs, as journals want them.
DPI = 300
#: Points.
LETTERS, SMALL = 7.5, 7.0
INK, QUIET, LINE = "#1b2333", "#4d566b", "#d0d3dd"
#: Told apart with any colour vision (after Okabe & Ito 2008), from dark to light.
COLOURS = ("#00456b", "#c04a00", "#008c66", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8a8d93")
MARKERS = "osD^vPX*"
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1)), (0, (8, 3)), "-", ":")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "|||", "---", "+++")
#: From light to dark, in grey too: a scale with a middle has a line there in its key.
SHADES = "Blues"
#: Characters in a line beside a picture, and of a legend with the mark of each entry.
BESIDE, LEGEND, MARK = 22, 50, 7
#: Beyond so many columns a heat map has no room for numbers, and beyond so many none for upright heads.
WRITTEN, UPRIGHT = 16, 6
RC: Any = {
    "font.family": "DejaVu Sans", "font.size": LETTERS, "axes.labelsize": LETTERS, "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL, "legend.fontsize": SMALL, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": QUIET, "axes.linewidth": 0.6, "xtick.color": QUIET, "ytick.color": INK,
    "xtick.major.width": 0.6, "ytick.major.width": 0.6, "lines.linewidth": 1.2, "lines.markersize": 4,
    "hatch.linewidth": 0.6, "axes.spines.top": False, "axes.spines.right": False, "axes.unicode_minus": True,
    "svg.hashsalt": "earshot", "pdf.fonttype": 42, "legend.frameon": False,
}  # fmt: skip


def of_series(at: int) -> dict[str, Any]:
    """Colour, mark and dash of the series at this place; each differs from the others in all three.

    >>> of_series(1)["marker"], of_series(9) == of_series(1)
    ('s', True)
    """
    n = at % len(COLOURS)
    return {"color": COLOURS[n], "marker": MARKERS[n], "linestyle": DASHES[n]}
