"""Labels: the majority beside Dawid–Skene and GLAD, how often each rater is right, and what each confuses."""

from collections.abc import Iterator

import numpy as np

from analytics.data.label_words import label_words
from analytics.reports.label_sets import Labelled
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Table
from analytics.reports.source import Source
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from stats import reasons
from stats.arrays import Floats
from stats.judges.judged import against_the_others, majority
from stats.proportions import proportion
from stats.rater_models.dawid_skene import (
    DawidSkene,
    Said,
    WithIntervals,
    dawid_skene,
    said_of,
    with_intervals,
)
from stats.rater_models.glad import Glad, glad
from stats.results import Estimate

#: Beyond so many labels GLAD takes minutes.
MOST_LABELS = 20_000
#: So many raters have their confusion in the picture.
MOST_IN_PICTURE = 10
#: So many units are listed, those of which Dawid–Skene is least sure.
MOST_UNITS = 2_000
_MODEL = Phrase(
    "The models take labels of a unit as independent, given the true one; raters who share an error are believed."
)


def latent_labels(source: Source, aspect: Aspect, labelled: Labelled) -> Iterator[Figure]:
    said = said_of(labelled.table)
    found = dawid_skene(said)
    key, title = f"latent-{aspect.name}", Phrase("Labels by majority and by model: %(aspect)s", aspect=aspect.title)
    if found.reason:
        yield Figure(key, title, instead=Phrase("Undefined: %(why)s.", why=found.reason))
        return
    items = np.array([source.units[int(unit)].item for unit in labelled.units], dtype=np.int64)
    intervals = with_intervals(said, found, items)
    other = glad(said) if len(said.units) <= MOST_LABELS else None
    words = tuple(label_words(aspect.scale, label) for label in labelled.table.categories)
    yield _shares(key, title, labelled, words, found, intervals, other)
    yield _accuracies(aspect, labelled, said, intervals, other)
    yield _confusions(aspect, labelled, words, found, said)
    yield _units(source, aspect, labelled, words, found, other)


def _shares(
    key: str, title: str, labelled: Labelled, words: tuple[str, ...], found: DawidSkene, intervals: WithIntervals,
    other: Glad | None,
) -> Figure:  # fmt: skip
    plain = majority(labelled.table)
    decided = int((plain >= 0).sum())
    shares = [
        proportion(int((plain == at).sum()), decided, method="majority", reason=reasons.NO_MAJORITY())
        for at in range(len(words))
    ]
    columns = [
        Column("label", Phrase("Label")),
        Column("majority", Phrase("By majority"), "share"),
        Column("dawid_skene", Phrase("Dawid–Skene"), "share"),
        Column("glad", Phrase("GLAD"), "share"),
    ]
    of_glad = _of_glad(other, len(words))
    rows: tuple[tuple[Cell, ...], ...] = tuple(zip(words, shares, intervals.prevalence, of_glad, strict=True))
    series = {columns[1].title: shares, columns[2].title: list(intervals.prevalence)}
    picture = Dots(words, series, "share", x_title=Phrase("Share of units"), ends=(0.0, 1.0))
    labelled_units = (labelled.table.codes >= 0).any(axis=1)
    changed = int(((found.labels != plain) & (plain >= 0)).sum())
    notes = [
        Phrase(
            "%(decided)s of %(n)s units have a majority; on %(changed)s of them Dawid–Skene finds another label most "
            "probable.",
            decided=decided,
            n=int(labelled_units.sum()),
            changed=changed,
        ),
        _MODEL,
        Phrase(
            "Intervals of Dawid–Skene leave out twenty groups of items in turn; those of majorities are Wilson’s."
        ),
    ]
    if other is None:
        notes.append(Phrase("GLAD is left out: more than %(n)s labels take minutes.", n=MOST_LABELS))
    return Figure(key, title, Table(tuple(columns), rows), picture, tuple(notes))


def _of_glad(other: Glad | None, n: int) -> list[float | None]:
    if other is None or other.reason:
        return [None] * n
    found: list[float | None] = list(other.posterior.mean(axis=0).tolist())
    return found


def _accuracies(
    aspect: Aspect, labelled: Labelled, said: Said, intervals: WithIntervals, other: Glad | None
) -> Figure:
    columns = (
        Column("rater", Phrase("Rater")),
        Column("labels", Phrase("Labels"), "count"),
        Column("others", Phrase("As most of the others"), "share"),
        Column("accuracy", Phrase("Accuracy by Dawid–Skene"), "share"),
        Column("ability", Phrase("Ability by GLAD"), "number"),
    )
    counts = np.bincount(said.raters, minlength=said.n_raters).tolist()
    others = [_as_others(labelled, at) for at in range(said.n_raters)]
    ability = [None] * said.n_raters if other is None or other.reason else other.ability.tolist()
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        zip(labelled.titles, counts, others, intervals.accuracy, ability, strict=True)
    )
    series = {columns[2].title: others, columns[3].title: list(intervals.accuracy)}
    picture = Dots(labelled.titles, series, "share", x_title=Phrase("Share of labels"), ends=(0.0, 1.0))
    notes = (Phrase("An ability of 0 is a guess; people and judges are raters of one model where both are chosen."),)
    title = Phrase("How often raters are right: %(aspect)s", aspect=aspect.title)
    return Figure(f"accuracy-{aspect.name}", title, Table(columns, rows), picture, notes)


def _as_others(labelled: Labelled, rater: int) -> Estimate:
    codes = against_the_others(labelled.table, rater).table.codes
    known = codes[codes[:, 1] >= 0]
    same = int((known[:, 0] == known[:, 1]).sum())
    return proportion(same, len(known), method="as most of the others", reason=reasons.NO_OTHERS())


def _confusions(aspect: Aspect, labelled: Labelled, words: tuple[str, ...], found: DawidSkene, said: Said) -> Figure:
    """A row per rater and true label; none where the rater labelled no unit that probably has it."""
    weight = _true_labels(said, found)
    columns = (
        Column("rater", Phrase("Rater")),
        Column("true", Phrase("Probable label")),
        *(
            Column(f"said_{label}", word, "share")
            for label, word in zip(labelled.table.categories, words, strict=True)
        ),
    )
    rows: list[tuple[Cell, ...]] = []
    names: list[str] = []
    values: list[tuple[float | None, ...]] = []
    for rater, title in enumerate(labelled.titles):
        for true, word in enumerate(words):
            if weight[rater, true] >= 0.5:
                shares = tuple(found.confusion[rater, true].tolist())
                rows.append((title, word, *shares))
                if rater < MOST_IN_PICTURE:
                    names.append(Phrase("%(rater)s: %(label)s", rater=title, label=word))
                    values.append(shares)
    picture = Heatmap(
        tuple(names), words, tuple(values), 0.0, 1.0, form="share", x_title=Phrase("Label given"),
        y_title=Phrase("Rater and probable label"),
    )  # fmt: skip
    notes = (
        Phrase("How often each rater gives each label where a label is probably the true one."),
        *((Phrase("The picture has the first ten raters."),) if len(labelled.titles) > MOST_IN_PICTURE else ()),
    )
    title = Phrase("What raters confuse: %(aspect)s", aspect=aspect.title)
    return Figure(f"confusion-{aspect.name}", title, Table(columns, tuple(rows)), picture, notes)


def _units(
    source: Source, aspect: Aspect, labelled: Labelled, words: tuple[str, ...], found: DawidSkene, other: Glad | None
) -> Figure:
    """The label of each unit by majority and by both models, the least certain first."""
    columns = (
        Column("item", Phrase("Item")),
        Column("systems", Phrase("Systems")),
        Column("labels", Phrase("Labels"), "count"),
        Column("majority", Phrase("By majority")),
        Column("dawid_skene", Phrase("Dawid–Skene")),
        Column("dawid_skene_probability", Phrase("Its probability"), "share"),
        Column("glad", Phrase("GLAD")),
        Column("glad_probability", Phrase("Its probability by GLAD"), "share"),
    )
    n_labels, plain = (labelled.table.codes >= 0).sum(axis=1), majority(labelled.table)
    certain = found.posterior.max(axis=1)
    there = np.flatnonzero(n_labels)
    order = there[np.argsort(certain[there], kind="stable")][:MOST_UNITS].tolist()
    fitted = other if other is not None and not other.reason else None
    rows: list[tuple[Cell, ...]] = []
    for at in order:
        unit, slot = labelled.places[at]
        facts = source.units[unit]
        systems = facts.systems[slot] if slot else " / ".join(facts.systems.values())
        of_glad = (words[fitted.labels[at]], float(fitted.posterior[at].max())) if fitted else ("", None)
        rows.append((
            facts.item_key, systems, int(n_labels[at]), words[plain[at]] if plain[at] >= 0 else "",
            words[found.labels[at]], float(certain[at]), *of_glad,
        ))  # fmt: skip
    notes = [Phrase("The units of which Dawid–Skene is least sure come first; no majority is an empty cell.")]
    if len(there) > MOST_UNITS:
        notes.append(Phrase("Of %(all)s units the first %(n)s.", all=len(there), n=MOST_UNITS))
    title = Phrase("Probable label of each unit: %(aspect)s", aspect=aspect.title)
    return Figure(f"units-{aspect.name}", title, Table(columns, tuple(rows)), notes=tuple(notes))


def _true_labels(said: Said, found: DawidSkene) -> Floats:
    """How many units of each true label each rater labelled, as far as is known; shape (raters, categories)."""
    sums = np.zeros((said.n_raters, said.n_categories))
    np.add.at(sums, said.raters, found.posterior[said.units])
    return sums
