"""How often each label was given, by aspect and by who gave it (TRACE/HCoT Table 6)."""

from collections import Counter
from collections.abc import Iterator

from analytics.data.label_arrays import PEOPLE, JudgeRun
from analytics.data.label_words import label_words
from analytics.reports.contract import ReportKind
from analytics.reports.output.figures import Bars, Cell, Column, Figure, Table
from analytics.reports.source import Source
from infrastructure.wording.phrases import Phrase
from judges.models import Verdict
from protocols import Aspect

_NOTE = Phrase("Every answer counts for itself. The picture has shares of the labels that were given.")

_SLOTS = Phrase("a and b are the two responses of a pair as they are stored, whichever was heard first.")


def figures(source: Source) -> Iterator[Figure]:
    for aspect in source.aspects:
        yield _counts(source, aspect)


def _counts(source: Source, aspect: Aspect) -> Figure:
    in_table = aspect.scale.kind.in_table
    found: dict[str, Counter[str]] = {}
    for group in source.arrays.groups:
        title = Phrase("The campaign’s people") if group.key == PEOPLE else group.title
        found[title] = Counter(
            in_table(value) for rater in group.raters for value in rater.said.get(aspect.name, {}).values()
        )
    for run in source.arrays.runs:
        found[_title(run)] = Counter(
            in_table(value) for said in run.said.values() for value in said.get(aspect.name, {}).values()
        )
    found = {title: counts for title, counts in found.items() if counts}
    key, title = f"counts-{aspect.name}", Phrase("Labels: %(aspect)s", aspect=aspect.title)
    if not found:
        return Figure(key, title, instead=Phrase("Nobody has said anything about it yet."))
    labels = tuple(dict.fromkeys(map(in_table, source.arrays.categories(aspect))))
    words = {label: label_words(aspect.scale, label) for label in labels}
    columns = [Column("who", Phrase("Who")), *(Column(f"label_{label}", words[label], "count") for label in labels)]
    rows: list[tuple[Cell, ...]] = [(title, *(counts[label] for label in labels)) for title, counts in found.items()]
    if source.arrays.runs and not aspect.per_response:
        columns.append(Column("none", Phrase("No answer"), "count"))
        asked = {_title(run): sum(it != Verdict.Status.WAITING for its in run.states.values() for it in its)
                 for run in source.arrays.runs}  # fmt: skip
        rows = [
            (*row, asked[title] - counts.total() if title in asked else None)
            for row, (title, counts) in zip(rows, found.items(), strict=True)
        ]
    shares = {words[label]: [counts[label] / counts.total() for counts in found.values()] for label in labels}
    notes = (_NOTE, _SLOTS) if {"a", "b"} & set(labels) else (_NOTE,)
    return Figure(key, title, Table(tuple(columns), tuple(rows)), Bars(tuple(found), shares, form="share"), notes)


def _title(run: JudgeRun) -> str:
    return f"{run.run.judge.title} ({run.run.pk})"


KIND = ReportKind(
    name="labels",
    title=Phrase("Labels"),
    lead=Phrase("How often each label was given, by aspect and by who gave it."),
    claims=Phrase(
        "It may be claimed how often each label was given here; not that shares differ between groups, because "
        "counts have no intervals and raters gave unequally many."
    ),
    version="3",
    figures=figures,
)
