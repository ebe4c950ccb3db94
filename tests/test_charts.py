"""Charts have one look, whatever draws them, and nothing of them lies beyond its axis."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from matplotlib.colors import to_rgb

from analytics.reports.output import charts, style
from charts import look
from charts.axes import Axis, holding, steps
from charts.marks import PARTED, dot, dot_axis, key, strip, strip_axis
from charts.planes import contour, curve
from tests.cases import each
from tests.paths import PROJECT

TEMPLATES = PROJECT / "templates"


def greys(colours: tuple[str, ...]) -> list[float]:
    """How light each is in grey, as Rec. 601 weighs."""
    return [0.299 * red + 0.587 * green + 0.114 * blue for red, green, blue in map(to_rgb, colours)]


def test_style_sheet_is_that_of_the_look() -> None:
    """`python -m charts.look` writes it."""
    assert look.STYLESHEET.read_text() == look.stylesheet()


def test_charts_have_no_colour_and_no_width_of_their_own() -> None:
    """In CSS each is a variable of the look or the card behind; Matplotlib has the constants."""
    rules = (PROJECT / "static" / "css" / "charts.css").read_text()
    said = re.findall(r"(?:fill|stroke|color): ([^;}]+)", rules)

    assert {it.strip() for it in said if not it.strip().startswith("var(--chart-")} == {"none", "var(--card)"}
    assert not re.search(r"#[0-9a-f]{3,8}\b", rules)
    assert style.RC["lines.linewidth"] == look.SERIES
    drawing = "".join(path.read_text() for path in Path(charts.__file__).parent.glob("*.py"))
    assert not re.search(r"[\"']#[0-9a-f]+|(?:line)?width=[1-9]|width=0\.\d", drawing)


def test_names_of_the_style_sheet_are_those_of_the_look() -> None:
    used = re.compile(r"var\((--chart-[\w-]+)\)")
    sheets = [path.read_text() for path in (PROJECT / "static" / "css").glob("*.css")]

    assert {name for sheet in sheets for name in used.findall(sheet)} <= set(
        re.findall(r"(--chart-[\w-]+):", look.stylesheet())
    )


def test_values_are_drawn_by_the_templates_of_charts_alone() -> None:
    """A picture elsewhere is a sign, or marks on a recording."""
    drawn = re.compile(r"<svg[^>]*>(?:(?!</svg>).)*(?:points|d|x|cx|width)=\"{{.*?</svg>", re.DOTALL)
    found = {str(path.relative_to(TEMPLATES)) for path in TEMPLATES.rglob("*.html") if drawn.search(path.read_text())}

    assert found == {"charts/mark.html", "charts/plane.html", "analytics/review/review_unit.html"}


def test_colours_can_be_told_apart_in_grey() -> None:
    shades = greys(look.SHADES)
    below, above = greys(look.TWO_WAYS[:5]), greys(look.TWO_WAYS[4:])
    parts = greys((look.COLOURS[0], look.COLOURS[4], look.LINE))

    assert shades == sorted(shades, reverse=True)
    assert all(before - after > 0.04 for before, after in pairwise(shades))
    assert all(after - before > 0.04 for before, after in pairwise(below))
    assert all(before - after > 0.04 for before, after in pairwise(above))
    assert all(after - before > 0.15 for before, after in pairwise(parts))


def test_marks_of_values_differ_in_form_too() -> None:
    looks = ("point", "flagged", "passed", "failed")

    assert len({key(it).shapes[0].d for it in looks}) == len(looks)
    assert len({key(it).shapes[0].look for it in PARTED}) == 3


def test_value_beyond_its_axis_is_refused() -> None:
    with pytest.raises(ValueError, match=r"1\.5 is not between 0 and 1"):
        Axis(0, 1, 0, 10).at(1.5)
    with pytest.raises(ValueError, match=r"-0\.1 is not between 0 and 1"):
        dot(dot_axis(0, 1), 0.5, -0.1, 0.9)


@each("values", [[0.2], [-3.0, 0.5], [7.5], [-0.51, 1.49], [1e-9, 1e6]])
def test_scale_reaches_as_far_as_its_values_and_no_less_than_usual(values: list[float]) -> None:
    low, high = holding(-0.5, 1.5, values)

    assert low <= min(-0.5, *values)
    assert high >= max(1.5, *values)
    assert strip(strip_axis(low, high), values[0], values, tolerated=0.5, interval=(min(values), max(values)))


@each("low,high", [(0, 1), (-27.3, -14.1), (0, 240), (0.001, 0.0023), (1e5, 3e7), (5, 5)])
def test_steps_hold_both_ends_and_are_few(low: float, high: float) -> None:
    found = steps(low, high)

    assert found[0] <= low <= high <= found[-1]
    assert 3 <= len(found) <= 7
    apart = [after - before for before, after in pairwise(found)]
    assert max(apart) == pytest.approx(min(apart))


def test_planes_write_both_ends_of_both_axes() -> None:
    for found in (
        curve([None, 0.55, 0.41], x_title="Answers", y_title="Width"),
        contour([150.0, None, 212.5], 5.9, x_title="Time (s)", y_title="Pitch (Hz)"),
    ):
        assert found is not None
        assert (found.x_ticks[0].at, found.x_ticks[-1].at) == (found.left, found.right)
        assert found.y_ticks[0].at == found.bottom
        assert f"M{found.left} {found.y_ticks[-1].at:g}V" in found.frame
