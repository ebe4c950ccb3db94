"""Ratings: plain means beside adjusted ones, severities, intraclass correlations, components and a D study."""

from collections.abc import Iterator

import numpy as np

from analytics.data.ratings import frame_of
from analytics.reports.label_sets import Labelled
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Table
from analytics.reports.source import Source
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from protocols import Aspect
from stats import reasons
from stats.arrays import Ints
from stats.rater_models.components import Components, variance_components
from stats.rater_models.decision import Size, expected
from stats.rater_models.intraclass import intraclass
from stats.rater_models.rated import Rated
from stats.rater_models.severity import Adjusted, adjusted_means
from stats.results import Ends, Estimate
from stats.systems.means import two_way_mean

_NOBODY = Phrase("Nobody has rated anything.")
_FACETS = {
    "system": Phrase("System"),
    "item": Phrase("Item"),
    "rater": Phrase("Rater (severity)"),
    "response": Phrase("Response (system × item)"),
    "system_rater": Phrase("System × rater (taste)"),
    "item_rater": Phrase("Item × rater"),
    "residual": Phrase("Rest"),
}
_ITEMS, _PER_RESPONSE = (10, 20, 50, 100, 200), (1, 2, 3, 5, 8)


def severity_and_reliability(source: Source, aspect: Aspect, labelled: Labelled) -> Iterator[Figure]:
    frame = frame_of(source.arrays, source.units)
    rated, responses = _rated(source, aspect, labelled, frame.systems, frame.items)
    if not len(rated):
        yield Figure(f"means-{aspect.name}", _title(Phrase("Means"), aspect), instead=_NOBODY)
        return
    ends = _ends(aspect, rated)
    found = adjusted_means(rated, n_systems=len(frame.systems), n_raters=len(labelled.titles), ends=ends)
    yield _means(aspect, rated, frame.systems, found, ends)
    yield _severities(aspect, labelled.titles, found)
    yield _reliability(aspect, rated, responses)
    components = variance_components(rated)
    yield _components(aspect, components)
    yield _plan(aspect, components, len(np.unique(rated.raters)))


def _title(what: str, aspect: Aspect) -> str:
    return Phrase("%(what)s: %(aspect)s", what=what, aspect=aspect.title)


def _rated(
    source: Source, aspect: Aspect, labelled: Labelled, systems: tuple[str, ...], items: tuple[int, ...]
) -> tuple[Rated, Ints]:
    """The ratings of single responses, and the place of each; what is no number is left out."""
    number = [aspect.scale.kind.number(category) for category in labelled.table.categories]
    system_at, item_at = ({it: at for at, it in enumerate(them)} for them in (systems, items))
    about: list[tuple[int, int] | None] = []
    for unit, slot in labelled.places:
        facts = source.units[unit]
        name = facts.systems.get(slot) if slot else None
        if not slot and len(facts.systems) == 1:
            name = next(iter(facts.systems.values()))
        about.append(None if name is None else (system_at[name], item_at[facts.item]))
    rows: list[tuple[float, int, int, int, int]] = []
    for place, rater in np.argwhere(labelled.table.codes >= 0).tolist():
        value, where = number[int(labelled.table.codes[place, rater])], about[place]
        if value is not None and where is not None:
            rows.append((value, *where, rater, place))
    found = np.array(rows, dtype=np.float64).reshape(-1, 5)
    system, item, who, place_of = (np.ascontiguousarray(found[:, at], dtype=np.int64) for at in range(1, 5))
    return Rated(found[:, 0], system, item, who), place_of


def _ends(aspect: Aspect, rated: Rated) -> Ends | None:
    """Those of the scale; None where imported ratings lie beyond them."""
    ends = aspect.scale.kind.ends
    return ends if ends and ends[0] <= rated.values.min() and rated.values.max() <= ends[1] else None


def _means(aspect: Aspect, rated: Rated, systems: tuple[str, ...], found: Adjusted, ends: Ends | None) -> Figure:
    plain = []
    for system in range(len(systems)):
        own = rated.where(rated.systems == system)
        if len(own):
            plain.append(two_way_mean(own.values, own.items, own.raters, method="mean", ends=ends))
        else:
            plain.append(Estimate(None, 0, "mean", reason=reasons.NOBODY_RATED()))
    adjusted = [found.mean(it) for it in range(len(systems))]
    order = sorted(range(len(systems)), key=lambda at: (plain[at].estimate is None, -(plain[at].estimate or 0.0)))
    columns = (
        Column("system", Phrase("System")),
        Column("plain", Phrase("Plain mean"), "number"),
        Column("adjusted", Phrase("Adjusted for severity"), "number"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple((systems[at], plain[at], adjusted[at]) for at in order)
    series = {columns[1].title: [plain[at] for at in order], columns[2].title: [adjusted[at] for at in order]}
    picture = Dots(tuple(systems[at] for at in order), series, "number", x_title=Phrase("Mean"), ends=ends)
    notes = (
        Phrase("In the order of plain means. Intervals of both are over items and raters at once."),
        Phrase(
            "Adjusted means are what the model expects if raters of average severity had rated all responses alike; "
            "a rater with few ratings is adjusted little."
        ),
    )
    return Figure(f"means-{aspect.name}", _title(Phrase("Means"), aspect), Table(columns, rows), picture, notes)


def _severities(aspect: Aspect, titles: tuple[str, ...], found: Adjusted) -> Figure:
    severities = [found.severity_of(it) for it in range(len(titles))]
    columns = (
        Column("rater", Phrase("Rater")),
        Column("ratings", Phrase("Ratings"), "count"),
        Column("severity", Phrase("Severity"), "number"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (title, it.n, it) for title, it in zip(titles, severities, strict=True)
    )
    picture = Dots(titles, {columns[2].title: severities}, "number", mark=0.0)
    notes = (
        Phrase("By how much lower a rater rates than raters on average; above 0 is more severe. Shrunk towards 0."),
    )
    return Figure(
        f"severity-{aspect.name}", _title(Phrase("Severity of raters"), aspect), Table(columns, rows), picture, notes
    )


def _reliability(aspect: Aspect, rated: Rated, responses: Ints) -> Figure:
    found = intraclass(rated.values, responses, rated.raters)
    columns = (
        Column("icc", Phrase("Intraclass correlation")),
        Column("of", Phrase("Of")),
        Column("value", Phrase("Reliability"), "coefficient"),
    )
    one, mean = Phrase("one rating"), Phrase("the mean of %(k)s ratings", k=f"{found.k:.1f}")
    rows: tuple[tuple[Cell, ...], ...] = (
        ("ICC(1,1)", one, found.one_way),
        ("ICC(1,k)", mean, found.one_way_mean),
        ("ICC(2,1)", one, found.two_way),
        ("ICC(2,k)", mean, found.two_way_mean),
    )
    series = {columns[2].title: [found.one_way, found.one_way_mean, found.two_way, found.two_way_mean]}
    picture = Dots(tuple(str(row[0]) for row in rows), series, "coefficient")
    notes = (
        Phrase(
            "How far ratings tell responses apart (Shrout & Fleiss 1979). ICC(1) is of different raters for each "
            "response; ICC(2) is of the same raters, and counts their severity as error, too."
        ),
    )
    title = _title(Phrase("Reliability"), aspect)
    return Figure(f"reliability-{aspect.name}", title, Table(columns, rows), picture, notes)


def _components(aspect: Aspect, found: Components) -> Figure:
    key, title = f"components-{aspect.name}", _title(Phrase("Where ratings vary"), aspect)
    if found.reason:
        return Figure(key, title, instead=_because(found.reason))
    total = sum(map(found.at_least_zero, found.variances))
    columns = (
        Column("source", Phrase("Source")),
        Column("variance", Phrase("Variance"), "number"),
        Column("share", Phrase("Share"), "share"),
    )
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (_FACETS[name], value, found.at_least_zero(name) / total if total else None)
        for name, value in found.variances.items()
    )
    notes = [
        Phrase("By Henderson’s first method, without intervals; a negative estimate counts as 0 in shares."),
        *(
            Phrase("%(one)s cannot be separated from %(other)s here.", one=_FACETS[one], other=_FACETS[other])
            for one, other in found.within.items()
        ),
    ]
    return Figure(key, title, Table(columns, rows), notes=tuple(notes))


def _plan(aspect: Aspect, found: Components, raters: int) -> Figure:
    """How many raters per response and how many items, from these components."""
    key, title = f"plan-{aspect.name}", _title(Phrase("How many raters, how many items"), aspect)
    if found.reason:
        return Figure(key, title, instead=_because(found.reason))
    columns = (
        Column("items", Phrase("Items"), "count"),
        Column("per_response", Phrase("Raters per response"), "count"),
        Column("ratings", Phrase("Ratings per system"), "count"),
        Column("difference", Phrase("Difference, adjusted: ±"), "number"),
        Column("plain", Phrase("Difference, plain: ±"), "number"),
        Column("mean", Phrase("Mean: ±"), "number"),
        Column("reliability", Phrase("Eρ²"), "coefficient"),
        Column("dependability", Phrase("Φ"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    for items in _ITEMS:
        for per_response in (it for it in _PER_RESPONSE if it <= raters):
            size = Size(items, raters, per_response)
            it = expected(found, size)
            rows.append((
                items, per_response, size.per_system, it.difference, it.plain_difference, it.mean, it.reliability,
                it.dependability,
            ))  # fmt: skip
    notes = (
        Phrase(
            "What a further study with as many raters (%(n)s) can be expected to bring, if these components are "
            "right: half widths of 95 %% intervals, and the coefficients of generalizability.",
            n=raters,
        ),
        Phrase("Components of a pilot with few raters or items are themselves uncertain."),
    )
    return Figure(key, title, Table(columns, tuple(rows)), notes=notes)


def _because(reason: Reason) -> str:
    return Phrase("Undefined: %(why)s.", why=reason)
