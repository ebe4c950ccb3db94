"""How often each label was given, and how far two passes over the same units agree (TRACE/HCoT Tables 2 and 6)."""

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from analytics.data.label_arrays import table_of
from analytics.data.label_words import TITLES
from analytics.reports.coefficients import DISTANCE, MERGED, Measuring, krippendorff, landis_koch, measuring
from analytics.reports.kinds.hcot.study import LABELS, Study, named
from analytics.reports.label_sets import Labelled
from analytics.reports.output.figures import Bars, Cell, Column, Dots, Figure, Heatmap, Link, Table
from infrastructure.wording.phrases import Phrase
from protocols.fusion import OVERALL
from protocols.kinds.agreement import DISTANCES, alpha_title
from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import merged_ties

#: A list is for reading; the table of answers contains all.
MOST_LISTED = 200
SAME = Phrase("Choose another label set to compare with: there is nothing in two passes that are the same.")
NOTHING = Phrase("The two have labelled no unit in common.")


def label_counts(study: Study) -> Figure:
    columns = (
        Column("aspect", Phrase("Aspect")),
        Column("both_bad", Phrase("Both bad"), "count"),
        Column("winner", Phrase("A winner"), "count"),
        Column("both_good", Phrase("Both good"), "count"),
        Column("a", Phrase("of these a"), "count"),
        Column("b", Phrase("of these b"), "count"),
        Column("undecided", Phrase("No majority"), "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, aspect in study.aspects.items():
        counts = Counter(study.labels[name].values())
        labelled = study.sets.labelled(aspect, study.key).table.codes
        undecided = int((labelled >= 0).any(axis=1).sum()) - counts.total()
        winners = counts["a"] + counts["b"]
        rows.append(
            (aspect.title, counts["both_bad"], winners, counts["both_good"], counts["a"], counts["b"], undecided)
        )
    series: dict[str, list[float]] = {
        TITLES[label]: [_share(study.labels[name].values(), label) for name in study.aspects] for label in LABELS
    }
    titles = tuple(aspect.title for aspect in study.aspects.values())
    notes = (
        Phrase("Labels of %(who)s, one per unit: of several raters, what most of them say.", who=named(study.title)),
    )
    picture = Bars(titles, series, "share")
    return Figure("counts", Phrase("How often each label was given"), Table(columns, tuple(rows)), picture, notes)


def _share(labels: Iterable[str], label: str) -> float:
    counts = Counter(labels)
    return counts[label] / counts.total() if counts else 0.0


def agreement_of_passes(study: Study) -> Iterator[Figure]:
    """By aspect, then what the overall labels became of each other, then the units where they differ."""
    key, title = "passes", Phrase("Agreement with %(other)s", other=named(study.other_title))
    if study.key == study.other_key:
        yield Figure(key, title, instead=SAME)
        return
    measures = {name: it for name in study.other_labels if (it := _measured(study, name)) is not None}
    if not measures:
        yield Figure(key, title, instead=NOTHING)
        return
    yield _agreement(study, title, measures)
    if OVERALL in measures:
        yield _confusion(study, measures[OVERALL])
        yield _disagreements(study)


def _measured(study: Study, name: str) -> Measuring | None:
    """The labels of this set before those of the other, None where no unit has both."""
    aspect, columns = study.aspects[name], (study.labels[name], study.other_labels[name])
    places = [place for place in study.source.arrays.places(name) if any(place in column for column in columns)]
    categories = study.source.arrays.categories(aspect)
    others = {value for column in columns for value in column.values()}.difference(categories)
    table = table_of(columns, places, (*categories, *sorted(others)))
    if not (table.codes >= 0).all(axis=1).any():
        return None
    units = np.array([unit for unit, _slot in places], dtype=np.int64)
    return measuring(study.source, aspect, Labelled(("", ""), 2, places, units, table), by_item=False)


def _agreement(study: Study, title: str, measures: dict[str, Measuring]) -> Figure:
    columns = (
        Column("aspect", Phrase("Aspect")),
        Column("winners", Phrase("Winners only (2-way)"), "share"),
        Column("ties_merged", Phrase("All ties alike (3-way)"), "share"),
        Column("as_given", Phrase("Labels as given (4-way)"), "share"),
        Column("cohen_kappa", Phrase("Cohen’s κ"), "coefficient"),
        Column("kappa_words", Phrase("In words")),
        Column("kappa_ties_merged", Phrase("Cohen’s κ, all ties alike"), "coefficient"),
        Column("alpha", alpha_title(it.own_level for it in measures.values()), "coefficient"),
        DISTANCE,
        Column("alpha_words", Phrase("In words")),
    )
    rows, kappas = [], []
    for name, it in measures.items():
        kappa, alpha = it.cohen_kappa(), it.alpha().found
        merged = cohen_kappa(merged_ties(it.table), bootstrap=it.bootstrap())
        percent = (it.percent(2), it.percent(3), it.percent(4))
        kappas.append(kappa)
        title_of, distance = study.aspects[name].title, DISTANCES[it.own_level]
        rows.append((title_of, *percent, kappa, landis_koch(kappa), merged, alpha, distance, krippendorff(alpha)))
    titles = tuple(study.aspects[name].title for name in measures)
    notes = (
        Phrase(
            "%(one)s beside %(other)s, on the units that both have labelled.",
            one=named(study.title),
            other=named(study.other_title),
        ),
        Phrase(
            "Winners only are units in which both named one. Shares have Wilson’s interval, κ and α a bootstrap’s."
        ),
        *((MERGED,) if any(it.merged for it in measures.values()) else ()),
    )
    return Figure(
        "passes", title, Table(columns, tuple(rows)), Dots(titles, {Phrase("Cohen’s κ"): kappas}, mark=0.0), notes
    )


def _confusion(study: Study, measures: Measuring) -> Figure:
    codes = measures.table.codes
    size = len(measures.table.categories)
    both = codes[(codes >= 0).all(axis=1)]
    counts = np.bincount(both[:, 0] * size + both[:, 1], minlength=size * size).reshape(size, size)
    titles = tuple(TITLES.get(label, label) for label in measures.table.categories)
    columns = (
        Column("label", study.title),
        *(
            Column(f"other_{label}", title, "count")
            for label, title in zip(measures.table.categories, titles, strict=True)
        ),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (title, *map(int, row)) for title, row in zip(titles, counts, strict=True)
    )
    values = tuple(tuple(float(n) for n in row) for row in counts)
    picture = Heatmap(
        titles, titles, values, 0.0, float(counts.max(initial=1)), form="count", x_title=study.other_title,
        y_title=study.title,
    )  # fmt: skip
    title = Phrase("Overall label: %(one)s against %(other)s", one=named(study.title), other=named(study.other_title))
    notes = (
        Phrase(
            "Rows are labels of %(one)s, columns those of %(other)s.",
            one=named(study.title),
            other=named(study.other_title),
        ),
    )
    return Figure(
        "confusion", title, Table(columns, rows), picture, (*notes, *((MERGED,) if measures.merged else ()))
    )


def _disagreements(study: Study) -> Figure:
    title = Phrase("Units with another overall label")
    other = study.other_labels[OVERALL]
    found = [
        unit
        for unit in study.source.arrays.units
        if (unit, "") in other and _differ(study.labels[OVERALL].get((unit, "")), other[unit, ""])
    ]
    return listed(study, "disagreements", title, found, {Phrase("Other overall label"): other_labels(study)})


def other_labels(study: Study) -> dict[int, str]:
    return {unit: label for (unit, _), label in study.other_labels[OVERALL].items()}


def _differ(label: str | None, other: str) -> bool:
    """A tie without a type is no other label than one with."""
    ties = {"tie", "both_good", "both_bad"}
    return label is not None and label != other and not ("tie" in (label, other) and {label, other} <= ties)


def listed(study: Study, key: str, title: str, units: list[int], more: dict[str, dict[int, str]]) -> Figure:
    """Units with their labels, each with the page where its clips are heard; by number, for keys may name systems."""
    units = sorted(units, key=lambda unit: study.reviewed_as[unit])
    if not units:
        return Figure(key, title, instead=Phrase("There are none."))
    columns = (
        Column("unit", Phrase("Unit")),
        Column("item", Phrase("Item")),
        *(Column(name, aspect.title) for name, aspect in study.aspects.items()),
        *(Column(f"more_{at}", name) for at, name in enumerate(more)),
    )
    slug, facts = study.source.campaign.slug, study.source.units
    rows: list[tuple[Cell, ...]] = []
    for unit in units[:MOST_LISTED]:
        number, row = study.reviewed_as[unit]
        heard = Link(Phrase("Unit %(n)s", n=number), "review-unit", (slug, row))
        said = [study.labels[name].get((unit, "")) for name in study.aspects]
        said += [labels.get(unit) for labels in more.values()]
        rows.append((heard, facts[unit].item_key, *(None if it is None else TITLES.get(it, it) for it in said)))
    n = len(units)
    first = Phrase("The first %(most)s of %(n)s units, in the order of the campaign.", most=MOST_LISTED, n=n)
    whole = Phrase("%(n)s units, in the order of the campaign. Reviewers can play them by their links.", n=n)
    return Figure(key, title, Table(columns, tuple(rows)), notes=(first if n > MOST_LISTED else whole,))
