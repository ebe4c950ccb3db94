"""Who agrees with whom: every pair of raters, each rater beside the others, and each with themselves."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import cast

from analytics.data.intra_rater import Again
from analytics.reports.coefficients import MERGED, Measuring, krippendorff, landis_koch, measuring
from analytics.reports.contract import Option, ReportKind
from analytics.reports.kinds.agreement import (
    BANDS,
    NO_COMMON_UNITS,
    NO_REPEATS,
    OVER,
    answers_again,
    label_set,
    twice,
)
from analytics.reports.label_sets import Labelled, LabelSets, chosen
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Table
from analytics.reports.source import Source
from campaigns.models import Campaign
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from protocols.kinds.agreement import alpha_title
from stats import reasons
from stats.agreement.cells import Weights
from stats.agreement.coefficients import cohen_kappa, krippendorff_alpha
from stats.agreement.rater_pairs import alphas, kappas
from stats.judges.judged import against_the_others
from stats.proportions import proportion
from stats.results import Estimate

MOST_RATERS = 60
#: Of so many raters and fewer, each pair has a bootstrap of its own.
FEW_RATERS = 10
COEFFICIENT = Option(
    "coefficient",
    Phrase("Coefficient"),
    (
        ("kappa", Phrase("Cohen’s κ")),
        ("weighted", Phrase("Cohen’s κ with the weights of the scale")),
        ("alpha", alpha_title(())),
    ),
)
#: How intervals were taken, by whether there are few raters, and whether items are drawn.
HOW = {
    (True, False): Phrase(
        "Intervals of 95 %% draw the units of each pair anew, 1,000 times; with fewer than twenty units each is left "
        "out in turn."
    ),
    (True, True): Phrase(
        "Intervals of 95 %% draw the items of each pair anew, 1,000 times; with fewer than twenty items each is left "
        "out in turn."
    ),
    (False, False): Phrase(
        "Intervals of 95 %% leave out one unit after the other (jackknife), as there are more than ten raters."
    ),
    (False, True): Phrase(
        "Intervals of 95 %% leave out one item after the other (jackknife), as there are more than ten raters."
    ),
}


def options(campaign: Campaign) -> tuple[Option, ...]:
    return (label_set(campaign), COEFFICIENT, OVER)


def figures(source: Source) -> Iterator[Figure]:
    sets, key = LabelSets(source), chosen(source, label_set(source.campaign))
    by_item = chosen(source, OVER) == "items"
    again = answers_again(source, key)
    for aspect in source.aspects:
        labelled = sets.labelled(aspect, key)
        measures = measuring(source, aspect, labelled, by_item=by_item)
        yield _pairs(source, aspect, labelled, measures)
        yield _others(aspect, labelled, measures)
        yield _themselves(source, aspect, again.get(aspect.name, []))


@dataclass(frozen=True)
class _Pair:
    first: int
    second: int
    found: Estimate


def _pairs(source: Source, aspect: Aspect, labelled: Labelled, measures: Measuring) -> Figure:
    key, title = f"pairs-{aspect.name}", Phrase("Pairs of raters: %(aspect)s", aspect=aspect.title)
    n = measures.table.n_raters
    if n > MOST_RATERS:
        why = Phrase("%(n)s raters are too many to compare; the limit is %(most)s.", n=n, most=MOST_RATERS)
        return Figure(key, title, instead=why)
    coefficient = chosen(source, COEFFICIENT) if aspect.scale.kind.has_few_values else "alpha"
    words = krippendorff if coefficient == "alpha" else landis_koch
    by_item = chosen(source, OVER) == "items"
    pairs = _few(measures, coefficient) if n <= FEW_RATERS else _many(measures, coefficient)
    met = [pair for pair in pairs if pair.found.n]
    if not met:
        return Figure(key, title, instead=NO_COMMON_UNITS)
    names = labelled.titles
    name = alpha_title(measures.own_level) if coefficient == "alpha" else dict(COEFFICIENT.values)[coefficient]
    columns = (
        Column("first", Phrase("Rater")),
        Column("second", Phrase("Other rater")),
        Column(coefficient, name, "coefficient"),
        Column("words", Phrase("In words")),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (names[pair.first], names[pair.second], pair.found, words(pair.found)) for pair in met
    )
    return Figure(
        key, title, Table(columns, rows), _matrix(names, met), _notes(measures, n, len(pairs) - len(met), by_item)
    )


def _few(measures: Measuring, coefficient: str) -> list[_Pair]:
    """Each pair as the coefficient of two raters, with its bootstrap."""
    found = []
    for first, second in combinations(range(measures.table.n_raters), 2):
        table, bootstrap = measures.table.raters(first, second), measures.bootstrap()
        if coefficient == "alpha":
            estimate = krippendorff_alpha(table, level=measures.own_level, bootstrap=bootstrap)
        else:
            estimate = cohen_kappa(table, weights=_weights(measures, coefficient), bootstrap=bootstrap)
        found.append(_Pair(first, second, estimate))
    return found


def _many(measures: Measuring, coefficient: str) -> list[_Pair]:
    """All pairs at once."""
    if coefficient == "alpha":
        cells, found = alphas(measures.table, measure=measures.own_level, clusters=measures.clusters)
    else:
        weights = _weights(measures, coefficient)
        cells, found = kappas(measures.table, weights=weights, clusters=measures.clusters)
    return [_Pair(int(a), int(b), it) for a, b, it in zip(cells.first, cells.second, found, strict=True)]


def _weights(measures: Measuring, coefficient: str) -> Weights:
    return measures.own_weights if coefficient == "weighted" else "none"


def _matrix(names: tuple[str, ...], pairs: list[_Pair]) -> Heatmap:
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    for pair in pairs:
        values[pair.first][pair.second] = values[pair.second][pair.first] = pair.found.estimate
    return Heatmap(
        names,
        names,
        tuple(map(tuple, values)),
        low=-1.0,
        high=1.0,
        middle=0.0,
        x_title=Phrase("Rater"),
        y_title=Phrase("Rater"),
        title=Phrase("Cohen’s κ"),
    )


def _notes(measures: Measuring, n_raters: int, never_met: int, by_item: bool) -> tuple[str, ...]:
    how = HOW[n_raters <= FEW_RATERS, by_item]
    apart = Phrase("%(n)s pairs have no unit in common and are left out.", n=never_met)
    return (how, BANDS, *((apart,) if never_met else ()), *((MERGED,) if measures.merged else ()))


def _others(aspect: Aspect, labelled: Labelled, measures: Measuring) -> Figure:
    key, title = f"others-{aspect.name}", Phrase("Raters beside the others: %(aspect)s", aspect=aspect.title)
    if measures.table.n_raters < 2:
        return Figure(key, title, instead=Phrase("One rater has no others."))
    columns = (
        Column("rater", Phrase("Rater")),
        Column("same", Phrase("As most others"), "share"),
        Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
        Column("words", Phrase("In words")),
    )
    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(labelled.titles):
        own = measures.where(measures.table.codes[:, place] >= 0)
        beside = against_the_others(own.table, place).table
        both = Measuring(aspect, beside, own.clusters, own.merged).where(beside.codes[:, 1] >= 0)
        kappa = both.cohen_kappa()
        same = both.table.codes[:, 0] == both.table.codes[:, 1]
        reason = reasons.NO_MAJORITY()
        share = proportion(int(same.sum()), len(same), method="as most of the others", reason=reason)
        rows.append((name, share, kappa, landis_koch(kappa)))
    picture = Dots(labelled.titles, {Phrase("Cohen’s κ"): [cast("Estimate", row[2]) for row in rows]}, mark=0.0)
    notes = (Phrase("Each label beside what most of the others said of the same unit, where they had a majority."),)
    return Figure(key, title, Table(columns, tuple(rows)), picture, notes)


def _themselves(source: Source, aspect: Aspect, pairs: list[Again]) -> Figure:
    key, title = f"themselves-{aspect.name}", Phrase("Raters beside themselves: %(aspect)s", aspect=aspect.title)
    if not pairs:
        return Figure(key, title, instead=NO_REPEATS)
    columns = (
        Column("rater", Phrase("Rater")),
        Column("same", Phrase("Same answer"), "share"),
        Column("kappa", Phrase("Cohen’s κ"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    for rater in dict.fromkeys(it.rater for it in pairs):
        own = [it for it in pairs if it.rater == rater]
        same = proportion(sum(it.first == it.second for it in own), len(own), method="same answer")
        rows.append((own[0].title, same, twice(source, aspect, own, by_item=False).cohen_kappa()))
    picture = Dots(
        tuple(str(row[0]) for row in rows),
        {Phrase("Same answer"): [cast("Estimate", row[1]) for row in rows]},
        "share",
    )
    notes = (Phrase("First and second answers of each rater to the same units."),)
    return Figure(key, title, Table(columns, tuple(rows)), picture, notes)


KIND = ReportKind(
    name="raters",
    title=Phrase("Pairs of raters"),
    lead=Phrase("Who agrees with whom, with the others, and with themselves."),
    claims=Phrase(
        "It may be claimed that two raters agree more or less than chance on units they share; not that one of "
        "them works badly, since few shared units leave a wide interval and many pairs make some extreme by "
        "chance."
    ),
    version="4",
    figures=figures,
    options=options,
    about_people=True,
)
