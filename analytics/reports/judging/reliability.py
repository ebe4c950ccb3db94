"""How far judges agree among themselves, and each with itself when the order is turned or it is asked again."""

from itertools import combinations

import numpy as np

from analytics.data.label_arrays import table_of
from analytics.judged.sides import Side
from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Cell, Column, Figure, Heatmap, Table
from infrastructure.wording.phrases import Phrase
from protocols.kinds.agreement import alpha_title
from stats.agreement.coefficients import cohen_kappa, krippendorff_alpha
from stats.agreement.coincidences import Level
from stats.agreement.labels import LabelTable
from stats.arrays import Ints

#: More would make the table unreadable.
MOST_COLUMNS = 16
NOTE = Phrase(
    "Every judge in every order, as it is stored, is one rater; what has no answer is missing. The first row is α "
    "(nominal) of all of them together, the others κ of two. Intervals are over units."
)
OF_MANY_VALUES = Phrase(
    "Every judge in every order, as it is stored, is one rater; what has no answer is missing. The first row is α of "
    "all of them together, the others κ of two. Intervals are over units."
)


def reliability(panel: Panel) -> Figure:
    side = panel.side_of_judges
    key, title = (
        "reliability",
        Phrase("Do judges agree with each other? %(aspect)s", aspect=side.title if side else ""),
    )
    names, codes = _raters(panel, side) if side else ((), np.zeros((0, 0), dtype=np.int64))
    if side is None or len(names) < 2:
        return Figure(key, title, instead=Phrase("It takes two judges, or one that was asked more than once."))
    table = LabelTable(codes, side.categories)
    everywhere = np.ones(len(codes), dtype=bool)
    few = side.scale.kind.has_few_values
    level: Level = "nominal" if few else side.scale.kind.distance
    alpha = krippendorff_alpha(table, level=level, bootstrap=side.bootstrap(everywhere))
    rows: list[tuple[Cell, ...]] = [(Phrase("All of them"), "", None, alpha)]
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    for one, other in combinations(range(len(names)), 2):
        kappa = cohen_kappa(table.raters(one, other), bootstrap=side.bootstrap(everywhere))
        rows.append((names[one], names[other], kappa, None))
        values[one][other] = values[other][one] = kappa.estimate
    picture = Heatmap(
        names,
        names,
        tuple(map(tuple, values)),
        low=-1.0,
        high=1.0,
        middle=0.0,
        x_title=Phrase("Who"),
        y_title=Phrase("Who"),
        title=Phrase("Cohen’s κ"),
    )
    columns = (
        Column("one", Phrase("One")),
        Column("other", Phrase("The other")),
        Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
        Column("alpha", alpha_title(level), "coefficient"),
    )
    return Figure(key, title, Table(columns, tuple(rows)), picture, (NOTE if few else OF_MANY_VALUES,))


def _raters(panel: Panel, side: Side) -> tuple[tuple[str, ...], Ints]:
    names, columns = [], []
    for run in panel.runs:
        for (order, sample), said in run.said.items():
            again = f" {sample + 1}" if run.run.samples > 1 else ""
            names.append(f"{panel.names[run.run.pk]}, {order.upper()}{again}")
            columns.append(said.get(side.aspect, {}))
    used = columns[:MOST_COLUMNS]
    return tuple(names[:MOST_COLUMNS]), table_of(used, side.places, side.categories).codes
