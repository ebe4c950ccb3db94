"""What judges cost and how long they take, per 1,000 units, and what became of their verdicts."""

from collections import Counter

from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Bars, Cell, Column, Figure, Table
from infrastructure.wording.phrases import Phrase
from judges.models import Verdict

KEY, TITLE = "spending", Phrase("Cost, time and what could be read")
STATES = (
    (Verdict.Status.OK, Phrase("Read")),
    (Verdict.Status.REPAIRED, Phrase("Read, with words around it")),
    (Verdict.Status.UNPARSED, Phrase("Could not be read")),
    (Verdict.Status.REFUSED, Phrase("Refused")),
    (Verdict.Status.ERROR, Phrase("Failed")),
    (Verdict.Status.WAITING, Phrase("To do")),
)
NOTE = Phrase(
    "Cost and time are those of the whole run, in every order and sample, divided by its units; they stand empty "
    "where they were not recorded, as for imported verdicts."
)


def spending(panel: Panel) -> Figure:
    runs = panel.source.arrays.runs
    columns = (
        Column("judge", Phrase("Judge")),
        Column("usd_per_1000", Phrase("US dollars per 1,000 units"), "number"),
        Column("seconds_per_1000", Phrase("Seconds per 1,000 units"), "number"),
        Column("units", Phrase("Units"), "count"),
        *(Column(str(state), title, "count") for state, title in STATES),
    )
    counted = [Counter(state for states in run.states.values() for state in states) for run in runs]
    rows: list[tuple[Cell, ...]] = [
        (
            panel.link(run), run.per_thousand(run.cost_usd), run.per_thousand(run.seconds), run.n_units,
            *(counts[state] for state, _ in STATES),
        )
        for run, counts in zip(runs, counted, strict=True)
    ]  # fmt: skip
    picture = Bars(
        tuple(panel.names[run.run.pk] for run in runs),
        {title: [counts[state] / max(counts.total(), 1) for counts in counted] for state, title in STATES},
        form="share",
    )
    return Figure(KEY, TITLE, Table(columns, tuple(rows)), picture, (NOTE,))
