"""Whether two judges truly differ: every pair of them on the units that both were asked about."""

from itertools import combinations

import numpy as np

from analytics.data.label_arrays import JudgeRun
from analytics.judged.counting import notes_of
from analytics.judged.sides import Side
from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Cell, Column, Figure, Heatmap, Table
from charts.axes import steps
from infrastructure.wording.phrases import Phrase
from stats.judges.comparison import McNemar, accuracy_difference, holm, mcnemar, without_gain
from stats.results import Estimate

KEY = "judges-differ"
COLUMNS = (
    Column("one", Phrase("One judge")),
    Column("other", Phrase("The other")),
    Column("difference", Phrase("Difference of agreement"), "share"),
    Column("gain", Phrase("Only the one right"), "count"),
    Column("loss", Phrase("Only the other right"), "count"),
    Column("p", Phrase("McNemar’s p"), "p"),
    Column("p_holm", Phrase("p for all pairs together"), "p"),
    Column("without_gain", Phrase("Resamples in which the one gains nothing"), "share"),
)
NOTE = Phrase(
    "Exact two-sided McNemar tests on the units that one of two judges alone got right. “All pairs together” "
    "corrects them for how many pairs there are (Holm). Intervals of differences are over units, the same for both "
    "judges. The last column is the one-sided share that AudioJudge marks its tables by; it is no test."
)


def judges_differ(panel: Panel) -> Figure:
    side = panel.side
    title = Phrase("Do judges differ? %(aspect)s", aspect=side.title if side else "")
    if side is None or len(panel.runs) < 2:
        return Figure(KEY, title, instead=Phrase("It takes two judges with answers, and labels of people."))
    pairs = list(combinations(panel.runs, 2))
    tested = [_compared(side, *pair) for pair in pairs]
    corrected = holm([test.p.estimate for test, _ in tested])
    rows: list[tuple[Cell, ...]] = [
        (
            panel.link(one), panel.link(other), difference, test.gain, test.loss, test.p, p,
            without_gain(test.gain, test.loss, difference.n),
        )
        for (one, other), (test, difference), p in zip(pairs, tested, corrected, strict=True)
    ]  # fmt: skip
    return Figure(
        KEY, title, Table(COLUMNS, tuple(rows)), _picture(panel, pairs, tested), (*notes_of(side.counting), NOTE)
    )


def _compared(side: Side, one: JudgeRun, other: JudgeRun) -> tuple[McNemar, Estimate]:
    first, second = side.cast(one), side.cast(other)
    used = first.counts & second.counts
    at = first.at[used]
    table = side.labels(np.column_stack([first.codes[used], second.codes[used], side.reference[at]]))
    difference = accuracy_difference(table, bootstrap=side.bootstrap(at), unanswered=side.unanswered)
    return mcnemar(table), difference


def _picture(panel: Panel, pairs: list[tuple[JudgeRun, JudgeRun]], tested: list[tuple[McNemar, Estimate]]) -> Heatmap:
    """How much more often the judge of the row was right than that of the column."""
    at = {run.run.pk: place for place, run in enumerate(panel.runs)}
    values: list[list[float | None]] = [[None] * len(at) for _ in at]
    for (one, other), (_, difference) in zip(pairs, tested, strict=True):
        if difference.estimate is not None:
            values[at[one.run.pk]][at[other.run.pk]] = difference.estimate
            values[at[other.run.pk]][at[one.run.pk]] = -difference.estimate
    names = tuple(panel.names[run.run.pk] for run in panel.runs)
    reach = steps(0.0, max((abs(value) for row in values for value in row if value is not None), default=0.0))[-1]
    return Heatmap(
        names, names, tuple(map(tuple, values)), low=-reach, high=reach, middle=0.0, form="share",
        x_title=Phrase("than this judge"), y_title=Phrase("this judge is right more often"),
    )  # fmt: skip
