"""What is kept of figures is all of them."""

import pytest

from analytics.reports.output.encoding import decoded_figures, encoded_figures
from analytics.reports.output.figures import Bars, Column, Curve, Curves, Dots, Figure, Heatmap, Link, Scatter, Table
from infrastructure.wording.phrases import Phrase
from stats import reasons
from stats.results import Estimate, Excluded, Interval
from tests.cases import each

KAPPA = Estimate(
    0.5523, 497, "Cohen's κ", Interval(0.48, 0.62, 0.95, "bootstrap"), (Excluded(3, reasons.NO_LABEL()),)
)
NOTHING = Estimate(None, 0, "Cohen's κ", reason=reasons.NO_OVERLAP())
TABLE = Table(
    (Column("who", Phrase("Who")), Column("kappa", "κ", "coefficient"), Column("units", "Units", "count")),
    (("ann, “first”", KAPPA, Link("12", "review", ("demo",), {"page": 2})), (Phrase("Everybody"), NOTHING, None)),
)
PICTURES = [
    None,
    Heatmap(("a", "b"), ("a", "b"), ((1.0, None), (0.25, 1.0)), -1.0, 1.0, middle=0.0, x_title="Said", y_title="Who"),
    Dots(("a", "b"), {"people": (KAPPA, NOTHING), Phrase("Judges"): (None, KAPPA)}, mark=0.0, x_title="κ"),
    Bars(("a", "b"), {"good": (1, 2), "bad": (3, 0)}),
    Curves((Curve("ann", (0.0, 1.0), (0.1, 0.9), (0.0, 0.8), (0.2, 1.0)),), "said", "was", diagonal=True),
    Scatter(("a", "b"), (1.0, 2.0), (2.0, 1.0), "people", "judge"),
]


@each("picture", PICTURES)
def test_figures_come_back_as_they_were(picture: object) -> None:
    figure = Figure("kappa", Phrase("κ of %(n)s raters", n=2), TABLE, picture, (Phrase("A note."),))
    (found,) = decoded_figures(encoded_figures([figure]))

    assert found == figure
    assert [it.reason.code for it in (found.table.rows[1][1],)] == ["no_overlap"]
    assert found.title.template == "κ of %(n)s raters"


def test_what_has_no_place_in_a_report_is_refused() -> None:
    table = Table((Column("who", "Who"),), ((object(),),))
    with pytest.raises(TypeError, match="object has no place"):
        encoded_figures([Figure("odd", "Odd", table)])


def test_a_figure_has_a_table_or_a_reason() -> None:
    with pytest.raises(ValueError, match="neither a table nor a reason"):
        Figure("empty", "Empty")


def test_a_row_has_a_cell_for_each_column() -> None:
    with pytest.raises(ValueError, match="not as many cells"):
        Table((Column("who", "Who"),), (("a", "b"),))
