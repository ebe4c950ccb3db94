"""How often judges agree with people: κ first, then percent, with baselines and what people reach themselves."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from analytics.data.label_arrays import JudgeRun
from analytics.data.label_words import label_words
from analytics.judged.comparison import (
    INCONSISTENT,
    NOT_JUDGED,
    RaterRow,
    by_kappa,
    together_rows,
)
from analytics.judged.counting import AS_USUAL, notes_of
from analytics.judged.sides import Baselines, Measured, Side
from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Table
from infrastructure.wording.phrases import Phrase
from stats.agreement.coefficients import percent_agreement
from stats.agreement.labels import LabelTable
from stats.judges.comparison import accuracy_with_half_ties, soft_accuracy
from stats.judges.judged import NO_ANSWER
from stats.proportions import proportion
from stats.results import Estimate

COLUMNS = (
    Column("who", Phrase("Who")),
    Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
    Column("accuracy", Phrase("Agreement"), "share"),
    Column("half", Phrase("Agreement, ties as half right"), "share"),
    Column("above_most_frequent", Phrase("Above the most frequent label"), "share"),
    Column("soft", Phrase("Chance that a person agrees"), "share"),
    Column("missing", Phrase("Missing"), "count"),
    Column("inconsistent", Phrase("Inconsistent"), "share"),
    Column("note", Phrase("Note")),
)
NOTES = (
    Phrase(
        "The reference is the label that most raters gave; units without a majority are left out. What a judge "
        "failed to answer is wrong, and in κ a label that agrees with nobody."
    ),
    Phrase(
        "Intervals are percentiles of 1,000 resamples of units. All judges, and the most frequent label, are taken "
        "on the same resamples. With fewer than twenty units each is left out in turn instead."
    ),
    Phrase(
        "“Chance that a person agrees” compares with how people’s answers are distributed: how often a rater drawn "
        "by lot gave this answer. Its ceiling is the row of the people."
    ),
)

WHY_MISSING: dict[str, Callable[[int], Phrase]] = {
    "unparsed": lambda n: Phrase("%(n)s could not be read", n=n),
    "refused": lambda n: Phrase("%(n)s refused", n=n),
    "error": lambda n: Phrase("%(n)s failed", n=n),
    NOT_JUDGED: lambda n: Phrase("%(n)s never judged", n=n),
    INCONSISTENT: lambda n: Phrase("%(n)s depend on the order", n=n),
}


def accuracy_figures(panel: Panel) -> Iterator[Figure]:
    """One for each aspect, and κ of all of them side by side."""
    if panel.group is None:
        why = Phrase("Nobody has labelled these units: there is nothing to compare judges with.")
        yield Figure("agreement", Phrase("Agreement with people"), instead=why)
        return
    rows = together_rows(panel.source.arrays, panel.group, panel.sides)
    if len(panel.sides) > 1:
        yield _all_aspects(panel, rows)
    for side in panel.sides.values():
        yield _of_aspect(panel, side, rows)


def _of_aspect(panel: Panel, side: Side, rows: tuple[RaterRow, ...]) -> Figure:
    runs = {run.run.pk: run for run in panel.source.arrays.runs}
    rows = tuple(by_kappa(rows, side.aspect))
    cells = [_row(panel, side, row, runs.get(row.run or 0)) for row in rows]
    found = [(_name(panel, row), row.by_aspect[side.aspect].kappa) for row in rows if row.run not in panel.refused]
    title = Phrase("Agreement with %(people)s: %(aspect)s", people=panel.people, aspect=side.title)
    picture = Dots(
        tuple(name for name, _ in found), {Phrase("Cohen’s κ"): [kappa for _, kappa in found]},
        mark=0.0, x_title=Phrase("Cohen’s κ, 0 is chance"),
    )  # fmt: skip
    table = Table(COLUMNS, (*cells, *_baseline_rows(side, side.baselines())))
    merged = (Phrase("Ties have a type on one side only, so all of them are taken as ties without one."),)
    return Figure(
        f"agreement-{side.aspect}",
        title,
        table,
        picture,
        notes_of(side.counting) + NOTES + (merged if side.merges_ties else ()),
    )


def _row(panel: Panel, side: Side, row: RaterRow, run: JudgeRun | None) -> tuple[Cell, ...]:
    who: Cell = panel.link(run) if run else _name(panel, row)
    if row.run in panel.refused:
        return (who, *[None] * 7, panel.refused[row.run])
    found = row.by_aspect[side.aspect]
    half = half_of_judge(side, run) if run else None
    figures = (found.kappa, found.accuracy, half, found.gain, _soft(side, row, run))
    return (who, *figures, found.n_missing if run else None, _inconsistent(found), _note(found))


def _name(panel: Panel, row: RaterRow) -> str:
    if row.run:
        return panel.names[row.run]
    if row.kind == "humans" and row.title:
        return Phrase("%(name)s, each against the others", name=row.title)
    if row.kind == "humans":
        return Phrase("People, each against the others")
    return Phrase("The campaign’s people") if row.kind == "people" else row.title


def _soft(side: Side, row: RaterRow, run: JudgeRun | None) -> Estimate | None:
    """Of a judge; of people the chance that two of them agree. Groups of labels have none."""
    if run:
        return soft_of_judge(side, run)
    if row.kind != "humans":
        return None
    used = np.ones(len(side.places), dtype=bool)
    return percent_agreement(side.labels(side.people.codes), bootstrap=side.bootstrap(used))


def soft_of_judge(side: Side, run: JudgeRun) -> Estimate:
    """The judge's answers beside all of the reference's raters; a missing answer matches none.

    Units on which they are divided have no label of most, and count here unless something else than the usual counts.
    """
    asked = ((side.people.codes >= 0).any(axis=1)) & ~side.to_do(run)
    cast = side.cast(run)
    used = asked[cast.at] & (cast.counts | (side.reference[cast.at] < 0) & (side.counting == AS_USUAL))
    at = cast.at[used]
    table = side.labels(np.column_stack([cast.codes[used], side.people.codes[at]]))
    codes = table.codes.copy()
    codes[codes[:, 0] < 0, 0] = len(table.categories)
    return soft_accuracy(LabelTable(codes, (*table.categories, NO_ANSWER)), bootstrap=side.bootstrap(at))


def half_of_judge(side: Side, run: JudgeRun) -> Estimate | None:
    """Where people named winners alone and the judge may say that both are equal."""
    codes, at = side.beside(run)
    found = accuracy_with_half_ties(side.labels(codes), bootstrap=side.bootstrap(at), unanswered=side.unanswered)
    return None if found.estimate is None else found


def _inconsistent(found: Measured) -> Estimate | None:
    if not found.both:
        return None
    return proportion(found.inconsistent, found.both, method="answers that hang on the order")


def _note(found: Measured) -> str:
    parts: list[str] = [WHY_MISSING[why](n) for why, n in found.missing]
    if found.to_do:
        parts.append(Phrase("%(n)s still to do, left out", n=found.to_do))
    return _listed(parts)


def _listed(parts: list[str]) -> str:
    said = parts[0] if parts else ""
    for part in parts[1:]:
        said = Phrase("%(one)s; %(other)s", one=said, other=part)
    return said


def _baseline_rows(side: Side, found: Baselines) -> list[tuple[Cell, ...]]:
    chance = Phrase("Chance, all labels alike")
    frequent = Phrase("Always the most frequent label: %(label)s", label=label_words(side.scale, found.label))
    rows = [(chance, found.random)] + ([(frequent, found.majority)] if found.label else [])
    return [(name, None, replace(rate, interval=None), *[None] * 5, "") for name, rate in rows]


def _all_aspects(panel: Panel, rows: tuple[RaterRow, ...]) -> Figure:
    first = next(iter(panel.sides))
    used = [row for row in by_kappa(rows, first) if row.run not in panel.refused]
    columns = tuple(Column(name, side.title, "coefficient") for name, side in panel.sides.items())
    table = Table(
        (Column("who", Phrase("Who")), *columns),
        tuple((_name(panel, row), *(row.by_aspect[name].kappa for name in panel.sides)) for row in used),
    )
    picture = Heatmap(
        tuple(_name(panel, row) for row in used),
        tuple(side.title for side in panel.sides.values()),
        tuple(tuple(row.by_aspect[name].kappa.estimate for name in panel.sides) for row in used),
        low=-1.0, high=1.0, middle=0.0, x_title=Phrase("Aspect"), y_title=Phrase("Who"), title=Phrase("Cohen’s κ"),
    )  # fmt: skip
    return Figure("kappa", Phrase("κ by aspect"), table, picture)
