"""How far raters agree with each other and with themselves, aspect by aspect, beyond chance and not."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analytics.data.intra_rater import Again, said_again
from analytics.reports.coefficients import DISTANCE, MERGED, Measuring, krippendorff, landis_koch, measuring
from analytics.reports.contract import Option, ReportKind
from analytics.reports.label_sets import ALL_RATERS, Labelled, LabelSets, chosen
from analytics.reports.output.figures import AXES, Cell, Column, Dots, Figure, Table
from analytics.reports.references import group_choices
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from protocols.kinds.agreement import DISTANCES, alpha_title
from stats.agreement.labels import LabelTable
from stats.judges.ceiling import human_ceiling
from stats.results import Estimate

OVER = Option("over", Phrase("Intervals over"), (("units", Phrase("Units")), ("items", Phrase("Items"))))
BANDS = Phrase(
    "The words for the size are conventions: of Landis and Koch (1977) for κ, of Krippendorff (2004) for α."
)
NO_REPEATS = Phrase("Nobody of these has answered a unit twice: the campaign needs repeats.")
NO_COMMON_UNITS = Phrase("No unit has labels from two of these raters.")


def label_set(campaign: Campaign) -> Option:
    all_raters = (ALL_RATERS, Phrase("Everybody: people, imported labels and judges"))
    return Option("labels", Phrase("Labels of"), (*group_choices(campaign), all_raters))


def options(campaign: Campaign) -> tuple[Option, ...]:
    return (label_set(campaign), OVER)


@dataclass
class _Report:
    """What the figures share: the aspects with the labels that are chosen."""

    source: Source

    @cached_property
    def key(self) -> str:
        return chosen(self.source, label_set(self.source.campaign))

    @cached_property
    def by_item(self) -> bool:
        return chosen(self.source, OVER) == "items"

    @cached_property
    def labelled(self) -> dict[str, Labelled]:
        sets = LabelSets(self.source)
        return {aspect.name: sets.labelled(aspect, self.key) for aspect in self.source.aspects}

    @cached_property
    def measures(self) -> dict[str, Measuring]:
        return {
            aspect.name: measuring(self.source, aspect, self.labelled[aspect.name], by_item=self.by_item)
            for aspect in self.source.aspects
        }

    def notes(self, *more: str) -> tuple[str, ...]:
        drawn = (
            Phrase(
                "Intervals of 95 %% draw items with all their units, 1,000 times; with fewer than twenty items each "
                "is left out in turn."
            )
            if self.by_item
            else Phrase(
                "Intervals of 95 %% draw units with everything that was said of them, 1,000 times; with fewer than "
                "twenty units each is left out in turn."
            )
        )
        merged = any(it.merged for it in self.measures.values())
        return (drawn, *((MERGED,) if merged else ()), *more)


def figures(source: Source) -> Iterator[Figure]:
    report = _Report(source)
    if not any((found.table.codes >= 0).sum(axis=1).max(initial=0) > 1 for found in report.labelled.values()):
        yield Figure("agreement", Phrase("Agreement"), instead=NO_COMMON_UNITS)
        yield _repeats(report)
        return
    yield _summary(report)
    yield _percent(report)
    for aspect in source.aspects:
        yield _coefficients(report, aspect)
    for aspect in source.aspects:
        yield _by_category(report, aspect)
    yield _repeats(report)


def _summary(report: _Report) -> Figure:
    alpha_name = alpha_title(report.measures[aspect.name].own_level for aspect in report.source.aspects)
    columns = (
        Column("aspect", Phrase("Aspect")),
        Column("raters", Phrase("Raters"), "count"),
        Column("alpha", alpha_name, "coefficient"),
        DISTANCE,
        Column("alpha_words", Phrase("In words")),
        Column("fleiss_kappa", Phrase("Fleiss’ κ"), "coefficient"),
        Column("kappa_words", Phrase("In words")),
        Column("gwet_ac1", Phrase("Gwet’s AC1"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    found: list[tuple[Estimate, ...]] = []
    for aspect in report.source.aspects:
        measures, n = report.measures[aspect.name], report.labelled[aspect.name].table.n_raters
        alpha, kappa, ac1 = measures.alpha().found, measures.fleiss().found, measures.gwet().found
        distance = DISTANCES[measures.own_level]
        rows.append((aspect.title, n, alpha, distance, krippendorff(alpha), kappa, landis_koch(kappa), ac1))
        found.append((alpha, kappa, ac1))
    titles = tuple(aspect.title for aspect in report.source.aspects)
    names = (alpha_name, Phrase("Fleiss’ κ"), Phrase("Gwet’s AC1"))
    series: dict[str, list[Estimate]] = {name: [them[at] for them in found] for at, name in enumerate(names)}
    notes = report.notes(Phrase("α is taken at the level at which each scale measures; 0 is chance."), BANDS)
    return Figure(
        "agreement", Phrase("Agreement by aspect"), Table(columns, tuple(rows)),
        Dots(titles, series, mark=0.0), notes,
    )  # fmt: skip


def _percent(report: _Report) -> Figure:
    columns = (
        Column("aspect", Phrase("Aspect")),
        Column("as_given", Phrase("Labels as given"), "share"),
        Column("ties_merged", Phrase("All ties alike (3-way)"), "share"),
        Column("winners", Phrase("Winners only (2-way)"), "share"),
        Column("ceiling", Phrase("People against the others"), "share"),
    )
    found: list[tuple[Estimate | None, ...]] = []
    for aspect in report.source.aspects:
        it = report.measures[aspect.name]
        found.append((it.percent(4), it.percent(3), it.percent(2), _ceiling(report, aspect)))
    titles = tuple(aspect.title for aspect in report.source.aspects)
    rows: tuple[tuple[Cell, ...], ...] = tuple((title, *them) for title, them in zip(titles, found, strict=True))
    series = {
        column.title: [them[at] for them in found]
        for at, column in enumerate(columns[1:])
        if any(them[at] for them in found)
    }
    notes = report.notes(
        Phrase("A share of pairs of raters, averaged over units. Chance agrees, too: read it beside κ or α."),
        Phrase(
            "People against the others: each person’s label beside what most of the others said, which is how well a "
            "judge could do at most."
        ),
    )
    return Figure(
        "percent", Phrase("Agreement in percent"), Table(columns, rows), Dots(titles, series, "share"), notes
    )


def _ceiling(report: _Report, aspect: Aspect) -> Estimate | None:
    """Of people and imported raters; judges are what it is the ceiling of."""
    measures, n_humans = report.measures[aspect.name], report.labelled[aspect.name].n_humans
    if n_humans < 2:
        return None
    return human_ceiling(measures.table.raters(*range(n_humans)), bootstrap=measures.bootstrap())


def _coefficients(report: _Report, aspect: Aspect) -> Figure:
    columns = (
        Column("coefficient", Phrase("Coefficient")),
        Column("value", Phrase("Value"), "coefficient"),
        Column("landis_koch", Phrase("After Landis and Koch")),
        Column("krippendorff", Phrase("After Krippendorff")),
    )
    found = report.measures[aspect.name].coefficients()
    rows: tuple[tuple[Cell, ...], ...] = tuple((it.title, it.found, it.landis_koch, it.krippendorff) for it in found)
    title = Phrase("Coefficients: %(aspect)s", aspect=aspect.title)
    picture = Dots(
        tuple(it.title for it in found),
        {aspect.title: [it.found for it in found]},
        mark=0.0,
        x_title=AXES["coefficient"],
    )
    more = Phrase("Cohen’s κ is of two raters; of more, see pairs of raters.")
    return Figure(f"coefficients-{aspect.name}", title, Table(columns, rows), picture, report.notes(BANDS, more))


def _by_category(report: _Report, aspect: Aspect) -> Figure:
    key, title = f"categories-{aspect.name}", Phrase("Agreement by category: %(aspect)s", aspect=aspect.title)
    units = report.labelled[aspect.name].units
    names = np.array([report.source.units[int(unit)].category for unit in units], dtype=object)
    categories = sorted(set(names.tolist()))
    if len(categories) < 2:
        return Figure(key, title, instead=Phrase("The items are of one category, or of none."))
    columns = (
        Column("category", Phrase("Category")),
        Column("as_given", Phrase("Agreement"), "share"),
        Column("alpha", alpha_title(report.measures[aspect.name].own_level), "coefficient"),
        DISTANCE,
        Column("alpha_words", Phrase("In words")),
        Column("fleiss_kappa", Phrase("Fleiss’ κ"), "coefficient"),
        Column("kappa_words", Phrase("In words")),
    )
    whole, rows, alphas = report.measures[aspect.name], [], []
    for name in categories:
        part = whole.where(np.asarray(names == name))
        alpha, kappa = part.alpha().found, part.fleiss().found
        alphas.append(alpha)
        percent = part.percent(3 if part.merged else 4)
        shown = name or Phrase("no category")
        rows.append(
            (shown, percent, alpha, DISTANCES[part.own_level], krippendorff(alpha), kappa, landis_koch(kappa))
        )
    labels = tuple(str(row[0]) for row in rows)
    picture = Dots(labels, {columns[2].title: alphas}, mark=0.0)
    return Figure(key, title, Table(columns, tuple(rows)), picture, report.notes(BANDS))


def _repeats(report: _Report) -> Figure:
    key, title = "repeats", Phrase("Agreement of raters with themselves")
    again = answers_again(report.source, report.key)
    repeated = [(aspect, again[aspect.name]) for aspect in report.source.aspects if again.get(aspect.name)]
    if not repeated:
        return Figure(key, title, instead=NO_REPEATS)
    measured = [(it, pairs, twice(report.source, it, pairs, by_item=report.by_item)) for it, pairs in repeated]
    columns = (
        Column("aspect", Phrase("Aspect")),
        Column("raters", Phrase("Raters"), "count"),
        Column("same", Phrase("Same answer"), "share"),
        Column("cohen_kappa", Phrase("Cohen’s κ"), "coefficient"),
        Column("kappa_words", Phrase("In words")),
        Column("alpha", alpha_title(it.own_level for *_, it in measured), "coefficient"),
        DISTANCE,
        Column("alpha_words", Phrase("In words")),
    )
    rows: list[tuple[Cell, ...]] = []
    for aspect, pairs, both in measured:
        kappa, alpha = both.cohen_kappa(), both.alpha().found
        same = both.percent(3 if both.merged else 4)
        n = len({it.rater for it in pairs})
        distance = DISTANCES[both.own_level]
        rows.append((aspect.title, n, same, kappa, landis_koch(kappa), alpha, distance, krippendorff(alpha)))
    picture = Dots(
        tuple(str(row[0]) for row in rows),
        {Phrase("Cohen’s κ"): [_estimate(row[3]) for row in rows]},
        mark=0.0,
    )
    notes = (Phrase("First and second answers of the same raters to the same units, all raters together."), BANDS)
    return Figure(key, title, Table(columns, tuple(rows)), picture, notes)


def answers_again(source: Source, key: str) -> dict[str, list[Again]]:
    """By aspect, of the groups that this label set consists of."""
    found: dict[str, list[Again]] = {}
    for group in source.arrays.groups:
        if key in (group.key, ALL_RATERS):
            again = said_again(source.arrays, group=group.key, with_excluded=source.settings.reading.with_excluded)
            for aspect, pairs in again.items():
                found.setdefault(aspect, []).extend(pairs)
    return found


def _estimate(cell: Cell) -> Estimate | None:
    return cell if isinstance(cell, Estimate) else None


def twice(source: Source, aspect: Aspect, pairs: list[Again], *, by_item: bool) -> Measuring:
    """First answers in one column, second ones in the other."""
    categories = source.arrays.categories(aspect)
    others = {it.second for it in pairs}.difference(categories)
    categories = (*categories, *sorted(others))
    place = {category: at for at, category in enumerate(categories)}
    codes = np.array([[place[it.first], place[it.second]] for it in pairs], dtype=np.int64)
    units = np.array([it.place[0] for it in pairs], dtype=np.int64)
    table = LabelTable(codes, categories)
    labelled = Labelled(("", ""), 2, [it.place for it in pairs], units, table)
    return measuring(source, aspect, labelled, by_item=by_item)


KIND = ReportKind(
    name="agreement",
    title=Phrase("Agreement"),
    lead=Phrase("How far raters agree with each other and with themselves, by aspect and by category."),
    claims=Phrase(
        "It may be claimed how far these raters agree on these items with this protocol; not that they are right, "
        "and not that other raters, or the same ones on other items, would agree as much."
    ),
    version="5",
    figures=figures,
    options=options,
)
