"""The one look of all charts, of pages and of reports: letters, lines, colours. Plain constants.

Matplotlib takes them from here (`analytics/reports/output/style.py`), and pages from `static/css/chart_look.css`,
which `python -m charts.look` writes.

A picture is as wide as a column of a paper (88 mm) and has that size in print, so that no letter is below 7 pt. The
colours get lighter one by one and series differ in more than colour, so that they can be told apart in grey.
"""

from pathlib import Path

#: Inches: the width of a column, and of a page's two columns.
WIDTH, WIDE = 88 / 25.4, 180 / 25.4
#: Points.
LETTERS, SMALL = 7.5, 7.0
#: Points: of axes and their ticks, of grids, of lines to compare with, of series, of the marks of values and of what
#: is kept free around the letters in a hatched cell.
FRAME, GRID, REFERENCE, SERIES, MARK, HALO = 0.6, 0.5, 0.8, 1.2, 4.0, 3.5
INK, QUIET, LINE = "#1b2333", "#4d566b", "#d0d3dd"
#: Told apart with any colour vision (after Okabe & Ito 2008), from dark to light.
COLOURS = ("#00456b", "#c04a00", "#008c66", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8a8d93")
#: From light to dark, in grey too: ColorBrewer's Blues.
SHADES = ("#f7fbff", "#deebf7", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#08519c", "#08306b")
#: Two ways from a neutral middle: Oranges from dark to light, then Blues, of ColorBrewer. Grey does not tell the two
#: sides apart, so what lies below the middle is hatched, too.
TWO_WAYS = ("#7f2704", "#b8450a", "#f08c3c", "#fdd0a2", "#f7f7f7", "#c6dbef", "#6baed6", "#2171b5", "#08306b")
#: Pixels of a page in an inch and in a point.
_INCH, _POINT = 96.0, 96 / 72
STYLESHEET = Path(__file__).parents[1] / "static" / "css" / "chart_look.css"


def pixels(points: float) -> float:
    """
    >>> pixels(7.5)
    10.0
    """
    return round(points * _POINT, 2)


def page_width(*, wide: bool = False) -> int:
    """Pixels of a chart that stands alone on a page, where its letters have the size that they have in print.

    >>> page_width(), page_width(wide=True)
    (333, 680)
    """
    return round((WIDE if wide else WIDTH) * _INCH)


def stylesheet() -> str:
    """The look as custom properties of CSS."""
    sizes = {
        "letters": LETTERS,
        "small": SMALL,
        "frame": FRAME,
        "grid": GRID,
        "reference": REFERENCE,
        "series": SERIES,
    }
    said = {
        "ink": INK,
        "quiet": QUIET,
        "line": LINE,
        **{f"{n}": colour for n, colour in enumerate(COLOURS, start=1)},
        **{f"shade-{n}": colour for n, colour in enumerate(SHADES)},
        **{name: f"{pixels(points):g}px" for name, points in sizes.items()},
    }
    lines = (f"  --chart-{name}: {value};\n" for name, value in said.items())
    return f"/* Written by `python -m charts.look`. */\n:root {{\n{''.join(lines)}}}\n"


if __name__ == "__main__":
    STYLESHEET.write_text(stylesheet())
