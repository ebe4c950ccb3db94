"""Figures as CSV, JSON and LaTeX say the same as the page, and nothing is lost on the way."""

import csv
import io
import re
import shutil
import subprocess
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import matplotlib as mpl
import pytest
from django.utils.translation import override

from analytics.reports.output import style
from analytics.reports.output.charts import drawn, laid_out
from analytics.reports.output.figures import (
    Bars,
    Column,
    Curve,
    Curves,
    Dots,
    Figure,
    Heatmap,
    Picture,
    Scatter,
    Table,
)
from analytics.reports.output.files import csv_of, escaped, latex_of
from analytics.reports.output.wording import number, plain
from charts import look
from infrastructure.wording.phrases import Phrase
from stats import reasons
from stats.results import Estimate, Interval
from tests.analytics.reports.test_encoding import KAPPA, NOTHING, PICTURES, TABLE
from tests.cases import each

FIGURE = Figure("kappa", Phrase("κ of %(n)s raters", n=2), TABLE)


def test_a_csv_has_estimates_with_everything_about_them() -> None:
    one, other = csv.DictReader(io.StringIO(csv_of(FIGURE)))

    assert (one["kappa"], one["kappa_low"], one["kappa_high"], one["kappa_n"]) == ("0.5523", "0.48", "0.62", "497")
    assert one["kappa_left_out"] == "3 no label"
    assert one["units"] == "12"
    assert (other["kappa"], other["kappa_reason"]) == ("", "no unit has labels from two raters")


def test_a_csv_runs_nothing_in_a_spreadsheet() -> None:
    table = Table((Column("who", "Who"),), (("=cmd()",),))
    assert csv_of(Figure("odd", "Odd", table)).splitlines()[1] == "'=cmd()"


def test_files_are_in_english_whatever_the_language_of_the_page() -> None:
    with override("de"):
        assert r"$\kappa$ of 2 raters" in latex_of([FIGURE])
        assert "0.55 [0.48" in latex_of([FIGURE])


def test_latex_escapes_what_tex_would_run() -> None:
    assert escaped(r"\input{a} & 5 % of a_b #1 $x$ ~^") == (
        r"\textbackslash{}input\{a\} \& 5 \% of a\_b \#1 \$x\$ \textasciitilde{}\textasciicircum{}"
    )


def test_latex_says_of_whom_alone_an_interval_is() -> None:
    about = Estimate(3.5, 40, "mean", Interval(3.2, 3.8, 0.95, "t"), reason=reasons.ABOUT_THESE_RATERS())
    table = Table((Column("system", "System"), Column("mos", "MOS", "number")), (("A", about), ("B", KAPPA)))

    shown = latex_of([Figure("mos", "MOS", table)])

    assert "A & 3.50 [3.20 \\ldots{} 3.80]$^{a}$ \\\\\n" in shown
    assert "\\end{tabular}\n\n\\footnotesize $^{a}$ about these two raters alone\n\\caption" in shown
    assert shown.count("$^{a}$") == 2


def test_files_say_what_an_interval_is_over_and_why_there_is_none() -> None:
    over = Estimate(0.8, 6, "Kendall's τ-b", Interval(0.6, 1.0, 0.95, "shrunken bootstrap over 40 items"))
    none = Estimate(0.7, 4, "Kendall's τ-b", reason=reasons.FEW_FOR_INTERVAL(least=5, n=4))
    table = Table((Column("who", "Who"), Column("kendall", "τ", "coefficient")), (("A", over), ("B", none)))
    figure = Figure("alike", "Alike", table, notes=(Phrase("Intervals are over items."),))

    one, other = csv.DictReader(io.StringIO(csv_of(figure)))
    shown = latex_of([figure])

    assert (one["kendall_interval_method"], one["kendall_reason"]) == ("shrunken bootstrap over 40 items", "")
    assert (other["kendall_low"], other["kendall_interval_method"]) == ("", "")
    assert other["kendall_reason_code"] == "few_for_interval"
    assert other["kendall_reason"] == "an interval needs 5 systems, and there are 4"
    assert "B & 0.70$^{a}$ \\\\\n" in shown
    assert "$^{a}$ an interval needs 5 systems, and there are 4\n\n\\footnotesize Intervals are over items." in shown


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
def test_latex_compiles(tmp_path: Path) -> None:
    text = (
        f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}{latex_of([FIGURE])}\\end{{document}}"
    )
    (tmp_path / "report.tex").write_text(text, encoding="utf-8")
    subprocess.run(["pdflatex", "-interaction=batchmode", "-halt-on-error", "report.tex"], cwd=tmp_path, check=True)


@each(
    "value, form, shown",
    [
        (0.9418, "share", "94.2 %"),
        (-0.004, "coefficient", "0.00"),
        (-0.5, "coefficient", "−0.50"),
        (1234, "count", "1,234"),
        (0.0001, "p", "< 0.001"),
        (3.0, "number", "3"),
    ],
)
def test_numbers_are_written_by_their_form(value: float, form: str, shown: str) -> None:
    assert number(value, form) == shown


def test_a_cell_is_one_line() -> None:
    assert plain(KAPPA, "coefficient") == "0.55 [0.48 … 0.62]"
    assert plain(NOTHING, "coefficient") == "undefined"


@each("picture", PICTURES[1:])
@each("form, begins", [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_every_picture_can_be_drawn_in_every_form(picture: object, form: str, begins: bytes) -> None:
    figure = Figure("kappa", "κ", TABLE, picture)
    assert drawn(figure, form).startswith(begins)
    assert drawn(figure, form) == drawn(figure, form), "the same figure, the same picture"


def test_a_picture_says_its_numbers() -> None:
    """The values of a heat map are written in its cells, and those of another are not."""
    heat = Figure(
        "heat", "Heat", TABLE, Heatmap(("a",), ("a",), ((0.37,),), -1.0, 1.0, middle=0.0, x_title="", y_title="")
    )
    other = Figure("heat", "Heat", TABLE, PICTURES[2])
    assert b"<!-- 0.37 -->" in drawn(heat, "svg")
    assert b"<!-- 0.37 -->" not in drawn(other, "svg")


@each("picture", PICTURES[1:])
def test_every_picture_fits_a_column_in_letters_that_can_be_read(picture: object) -> None:
    """88 mm wide, and no letter below 7 points; axes have titles, and series differ without their colours."""
    shown = drawn(Figure("kappa", "κ", TABLE, picture), "svg").decode()

    assert float(re.search(r'width="([\d.]+)pt"', shown)[1]) <= 88 / 25.4 * 72 + 0.1
    assert min(style.RC["font.size"], style.RC["xtick.labelsize"], style.RC["legend.fontsize"], look.SMALL) >= 7
    series = [style.of_series(at) for at in range(len(look.COLOURS))]
    assert len({it["marker"] for it in series}) == len(series)
    many = [style.of_series(at) for at in range(2 * len(look.COLOURS))]
    assert len({(it["marker"], it["markerfacecolor"] == "white") for it in many}) == len(many)


def test_scales_of_shares_and_coefficients_are_drawn_from_end_to_end() -> None:
    shown = {
        form: drawn(Figure("k", "K", TABLE, Dots(("a",), {"κ": [Estimate(0.5, 9, "κ")]}, form)), "svg").decode()
        for form in ("share", "coefficient")
    }
    assert all(f"<!-- {end} -->" in shown["share"] for end in ("0 %", "100 %"))
    assert all(f"<!-- {end} -->" in shown["coefficient"] for end in ("0", "1"))


LONG = ("Both good", "Paralinguistics", "Simulated people · simulated-1", "Majority, else bad content stays bad")


@each(
    "picture",
    [
        Heatmap(LONG, LONG, ((0.1,) * 4,) * 4, 0.0, 1.0, x_title="", y_title=""),
        Heatmap(LONG[:1], ("a better", "b better"), ((0.1,) * 2,), 0.0, 1.0, x_title="", y_title=""),
        Dots(LONG, {"κ": [Estimate(0.5, 9, "κ")] * 4}),
        Bars(LONG, {"n": [1.0] * 4}),
    ],
)
def test_labels_of_lines_and_columns_do_not_cover_each_other(picture: Picture) -> None:
    with mpl.rc_context(style.RC):
        drawing = laid_out(Figure("k", "K", TABLE, picture))
        drawing.draw_without_rendering()
        axes = drawing.axes[0]
        for labels in (axes.get_xticklabels(), axes.get_yticklabels()):
            boxes = [it.get_window_extent() for it in labels]
            assert [
                (at, box.count_overlaps(boxes)) for at, box in enumerate(boxes) if box.count_overlaps(boxes) > 1
            ] == []


def test_key_of_a_heat_map_has_numbers_that_can_be_read() -> None:
    heat = Figure(
        "heat",
        "Heat",
        TABLE,
        Heatmap(("a",), ("a",), ((0.37,),), -1.0892, 1.0892, middle=0.0, x_title="", y_title=""),
    )

    shown = drawn(heat, "svg").decode()

    assert "<!-- 1.09 -->" in shown
    assert "1.0892" not in shown


def test_names_of_points_do_not_cover_each_other() -> None:
    """Of nine points in one place a few names are written, and all of points that lie apart."""
    names = tuple(f"System {n}" for n in range(9))
    crowd = Scatter(names, (1.0,) * 9, (1.0,) * 9, "x", "y")
    apart = Scatter(names, tuple(map(float, range(9))), tuple(map(float, range(9))), "x", "y")

    written = [
        sum(f"<!-- {name} -->".encode() in drawn(Figure("p", "P", TABLE, picture), "svg") for name in names)
        for picture in (crowd, apart)
    ]

    assert written[0] < 6
    assert written[1] == 9


def shown_legend(picture: Picture) -> list[str]:
    with mpl.rc_context(style.RC):
        drawing = laid_out(Figure("k", "K", TABLE, picture))
        return [it.get_text() for legend in drawing.legends for it in legend.get_texts()]


def test_legend_names_what_is_drawn_and_nothing_else() -> None:
    """Of several series the only one that is drawn is named, too."""
    curve, none = Curve("A", (1.0,), (0.5,)), Curve("B", (), ())

    assert shown_legend(Dots(("a",), {"Both": [NOTHING], "People": [KAPPA]})) == ["People"]
    assert shown_legend(Dots(("a",), {"Both": [KAPPA], "People": [KAPPA]})) == ["Both", "People"]
    assert shown_legend(Dots(("a",), {"People": [KAPPA]})) == []
    assert shown_legend(Bars(("a",), {"Read": [1.0], "Failed": [0.0]})) == ["Read"]
    assert shown_legend(Curves((curve, none), "x", "y")) == ["A"]


def test_row_without_a_point_says_why() -> None:
    """In its row, in two lines at most; a bar without a length says 0."""
    long = Estimate(None, 0, "κ", reason=reasons.SAVES_TOO_LITTLE(saved=3))
    shown = drawn(Figure("k", "K", TABLE, Dots(("a", "b", "c"), {"κ": [KAPPA, NOTHING, long]})), "svg").decode()
    bars = drawn(Figure("k", "K", TABLE, Bars(("a", "b"), {"n": [3.0, 0.0]})), "svg").decode()

    assert "<!-- no unit has labels from two -->" in shown
    assert "<!-- raters -->" in shown
    assert "…" in shown
    assert "<!--  0 -->" in bars


def test_row_without_an_interval_says_why_below_its_points() -> None:
    """In the picture; a row with one, or one of which none was asked for, says nothing."""
    bare = replace(KAPPA, interval=None)
    without = replace(bare, reason=reasons.NO_OVERLAP())
    picture = Dots(("a", "b", "c"), {"Random": [without, KAPPA, bare], "Other": [without, without, bare]})
    with mpl.rc_context(style.RC):
        drawing = laid_out(Figure("k", "K", TABLE, picture))
        drawing.draw_without_rendering()
    (axes,) = drawing.axes
    (said,) = axes.texts
    points = [axes.transData.transform(point) for line in axes.lines for point in line.get_xydata()]

    assert " ".join(said.get_text().split()) == "no unit has labels from two raters"
    assert -0.5 < said.get_position()[1] < 0.5
    assert points
    assert not any(said.get_window_extent().padded(look.MARK).contains(*point) for point in points)


def test_row_of_which_nothing_is_said_is_refused() -> None:
    with pytest.raises(ValueError, match="nothing is said of 'b'"):
        Dots(("a", "b"), {"One": [KAPPA, None], "Other": [NOTHING, None]})
    with pytest.raises(ValueError, match="as many estimates"):
        Dots(("a", "b"), {"One": [KAPPA]})


def test_series_of_a_row_are_nearer_to_each_other_than_to_the_next_row() -> None:
    for n in range(2, 7):
        with mpl.rc_context(style.RC):
            axes = laid_out(Figure("k", "K", TABLE, Dots(("a", "b"), {f"{at}": [KAPPA] * 2 for at in range(n)}))).axes
            places = sorted(
                it.get_ydata()[0] for it in axes[0].lines if len(it.get_ydata()) == 2 and it.get_marker() == "|"
            )
        apart = [after - before for before, after in pairwise(places)]
        assert apart[n - 1] > 1.5 * max(apart[: n - 1])


TWO_WAYS = Heatmap(("a", "b"), ("a", "b"), ((-0.4, 0.4), (0.0, None)), -1.0, 1.0, middle=0.0, x_title="", y_title="")


def test_scale_with_a_middle_sets_it_apart_in_colour_and_in_grey() -> None:
    """Alike values on both sides are as dark as each other nearly, so what is below the middle is hatched."""
    with mpl.rc_context(style.RC):
        cells, key = laid_out(Figure("k", "K", TABLE, TWO_WAYS)).axes
    (image,) = cells.images
    below, at, above = (image.cmap(image.norm(value))[:3] for value in (-0.4, 0.0, 0.4))

    assert below[0] > below[2]
    assert above[2] > above[0]
    assert max(at) - min(at) < 0.02
    assert min(at) > 0.9
    assert [(it.get_xy(), it.get_hatch()) for it in cells.patches] == [((-0.5, -0.5), style.BELOW)]
    assert [(it.get_y(), it.get_height()) for it in key.patches if it.get_hatch()] == [(-1.0, 1.0)]


def test_one_way_scale_has_no_hatch() -> None:
    with mpl.rc_context(style.RC):
        heat = Heatmap(("a",), ("a",), ((0.4,),), 0.0, 1.0, x_title="", y_title="")
        assert [it.get_hatch() for it in laid_out(Figure("k", "K", TABLE, heat)).axes[0].patches] == []


def test_scale_that_crosses_zero_has_it_as_its_middle() -> None:
    with pytest.raises(ValueError, match="crosses 0"):
        Heatmap(("a",), ("a",), ((0.4,),), -1.0, 1.0, x_title="", y_title="")
    with pytest.raises(ValueError, match="halfway"):
        Heatmap(("a",), ("a",), ((0.4,),), -0.5, 1.0, middle=0.0, x_title="", y_title="")


@each("n, wide", [(4, look.WIDTH), (8, look.WIDE), (16, look.WIDE)])
def test_heat_map_is_as_wide_as_a_column_or_a_page(n: int, wide: float) -> None:
    names = tuple(f"A system of {at}" for at in range(n))
    heat = Heatmap(names, names, ((-0.25,) * n,) * n, -1.0, 1.0, middle=0.0, x_title="", y_title="")
    with mpl.rc_context(style.RC):
        drawing = laid_out(Figure("k", "K", TABLE, heat))
        drawing.draw_without_rendering()
        cell = drawing.axes[0].get_window_extent().width / n
        assert drawing.get_figwidth() == wide
        assert all(it.get_window_extent().width <= cell for it in drawing.axes[0].texts)


def test_axes_are_of_whole_turns_and_shares_in_percent() -> None:
    curve = Curve("A", (1.0, 2.0, 3.0), (0.25, 0.5, 1.0))

    picture = drawn(Figure("p", "P", TABLE, Curves((curve,), "Turn", "Share", y_form="share")), "svg")

    assert b"<!-- 2 -->" in picture
    assert b"<!-- 1.5 -->" not in picture
    assert b"<!-- 100 % -->" in picture
    assert b"<!-- 110 % -->" not in picture
