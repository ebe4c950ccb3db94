"""What each judge answers where people gave which label; every number leads to the units behind it."""

from collections.abc import Iterator

from analytics.data.label_arrays import JudgeRun
from analytics.data.label_words import label_words
from analytics.judged.counting import AS_USUAL, notes_of
from analytics.judged.sides import Side
from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Column, Figure, Heatmap, Link, Table
from infrastructure.wording.phrases import Phrase
from stats.judges.comparison import Confusion, confusion_matrix

JUDGE = "judge"
#: In addresses, for a unit without an answer.
NOTHING = "-"
NOTE = Phrase(
    "Rows are the label of most people, columns the answer of the judge. Colours are shares of a row. A number leads "
    "to its units, where one can hear both responses."
)


def confusion_figures(panel: Panel) -> Iterator[Figure]:
    """Of the chosen judge, else of every one, in the chosen aspect."""
    side, chosen = panel.side, panel.source.option(JUDGE)
    if side is None:
        return
    for run in panel.runs:
        if chosen in ("", str(run.run.pk)):
            yield _figure(panel, side, run)


def _figure(panel: Panel, side: Side, run: JudgeRun) -> Figure:
    labels = side.labels(side.beside(run)[0])
    in_table = side.scale.kind.in_table
    found = confusion_matrix(labels.recoded({category: in_table(category) for category in labels.categories}))
    key = f"confusion-{run.run.pk}"
    parts = {"judge": panel.names[run.run.pk], "aspect": side.title}
    title = Phrase("What %(judge)s answers: %(aspect)s", **parts)
    if not found.n:
        return Figure(key, title, instead=Phrase("None of its units has a label of people."))
    words = tuple(label_words(side.scale, label) for label in found.categories)
    answers = (*words, Phrase("(no answer)"))
    heads = (*found.categories, NOTHING)
    columns = (
        Column("people", Phrase("People")),
        *(
            Column(f"said_{head}" if head != NOTHING else "no_answer", answer, "count")
            for head, answer in zip(heads, answers, strict=True)
        ),
        Column("n", Phrase("Units"), "count"),
    )
    rows = tuple(
        (said, *(_link(panel, side, run, label, *it) for it in zip(heads, row, strict=True)), int(row.sum()))
        for said, label, row in zip(words, found.categories, found.counts, strict=True)
    )
    picture = Heatmap(
        words, answers, _shares(found), low=0.0, high=1.0, form="share",
        x_title=Phrase("The judge"), y_title=Phrase("People"),
    )  # fmt: skip
    return Figure(key, title, Table(columns, rows), picture, (*notes_of(side.counting), NOTE))


def _link(panel: Panel, side: Side, run: JudgeRun, label: str, said: str, n: int) -> Link | int:
    if side.counting != AS_USUAL:  # the page of disagreements counts as usual
        return int(n)
    if not n or panel.group is None or not side.scale.kind.has_few_values:
        return int(n)
    reading = panel.source.settings.reading
    query = {
        "reference": panel.group.key, "aspect": side.aspect, "judge": str(run.run.pk), "people": label, "said": said,
        "category": reading.category, "group": reading.group, "order": reading.order,
    }  # fmt: skip
    query |= {"excluded": "1"} if reading.with_excluded else {}
    parameters = {name: value for name, value in query.items() if value}
    return Link(str(n), "disagreements", (panel.source.campaign.slug,), parameters)


def _shares(found: Confusion) -> tuple[tuple[float | None, ...], ...]:
    return tuple(
        tuple(float(n / row.sum()) for n in row) if row.sum() else (None,) * len(row) for row in found.counts
    )
