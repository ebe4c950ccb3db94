"""What a chart is made of: paths of SVG, each with the name of its look in `static/css/charts.css`."""

from collections.abc import Iterable
from dataclasses import dataclass

Place = tuple[float, float]
#: Half the width of the mark of a value, in pixels.
SIZE = 4.0
#: The looks of several lines in one drawing: they differ in how they are broken, too.
LINES = ("line-1", "line-2", "line-3", "line-4")


@dataclass(frozen=True)
class Shape:
    """`look` is its class, `d` its path and `title` what it says under a pointer."""

    look: str
    d: str
    title: str = ""


def line(look: str, places: Iterable[Place]) -> Shape:
    """
    >>> line("series", [(0, 1), (2.5, 3)]).d
    'M0 1L2.5 3'
    """
    return Shape(look, "M" + "L".join(f"{x:g} {y:g}" for x, y in places))


def across(look: str, x: float, low: float, high: float) -> Shape:
    """A line straight up, at `x`."""
    return Shape(look, f"M{x:g} {low:g}V{high:g}")


def box(look: str, x: float, y: float, width: float, height: float, title: str = "") -> Shape:
    return Shape(look, f"M{x:g} {y:g}h{width:g}v{height:g}h{-width:g}z", title)


def whisker(look: str, low: float, high: float, y: float, *, reach: float = SIZE) -> Shape:
    """An interval with a stroke at either end."""
    ends = "".join(f"M{x:g} {y - reach:g}v{2 * reach:g}" for x in (low, high))
    return Shape(look, f"M{low:g} {y:g}H{high:g}{ends}")


def _circle(x: float, y: float, r: float) -> str:
    return f"M{x - r:g} {y:g}a{r:g} {r:g} 0 1 0 {2 * r:g} 0a{r:g} {r:g} 0 1 0 {-2 * r:g} 0z"


def _diamond(x: float, y: float, r: float) -> str:
    reach = 1.3 * r
    return f"M{x - reach:g} {y:g}l{reach:g} {-reach:g}l{reach:g} {reach:g}l{-reach:g} {reach:g}z"


def _triangle(x: float, y: float, r: float) -> str:
    return f"M{x - r:g} {y + r:g}h{2 * r:g}l{-r:g} {-2 * r:g}z"


def _cross(x: float, y: float, r: float) -> str:
    return f"M{x - r:g} {y - r:g}l{2 * r:g} {2 * r:g}m{-2 * r:g} 0l{2 * r:g} {-2 * r:g}"


#: Each differs from the others in its form too. Others are circles.
_FORMS = {"flagged": _diamond, "passed": _triangle, "failed": _cross}


def point(look: str, x: float, y: float, title: str = "") -> Shape:
    """The mark of a value."""
    return Shape(look, _FORMS.get(look, _circle)(x, y, SIZE), title)
