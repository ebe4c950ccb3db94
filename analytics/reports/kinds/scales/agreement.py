"""How far raters agree on each question, and about which response is the better one (COMPASS App. F.3)."""

from collections.abc import Iterator

import numpy as np

from analytics.data.ratings import label_codes
from analytics.reports.kinds.scales.panel import Panel
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Table
from analytics.reports.source import RESAMPLES, SEED
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from protocols.kinds.agreement import DISTANCES, alpha_title
from protocols.kinds.kind import Level
from stats.agreement.bands import krippendorff
from stats.agreement.coefficients import krippendorff_alpha
from stats.agreement.labels import LabelTable
from stats.arrays import Bools, Floats, Ints
from stats.intervals import Bootstrap
from stats.results import Estimate
from stats.systems.preferring import mean_pairwise_kappa, preferences

#: From here on conclusions may be drawn tentatively (Krippendorff 2004).
TENTATIVE = 0.667
#: Imported means of ratings are too fine for ranks.
MOST_RANKS = 64
_BANDS = {
    "reliable": Phrase("reliable"),
    "tentative": Phrase("tentative"),
    "unreliable": Phrase("unreliable"),
}
_ALL = Phrase("All items")


def alpha(panel: Panel) -> Figure:
    """α of every question, over all items and by category."""
    alpha_name = alpha_title(_level(aspect, panel.labels(aspect)) for aspect in panel.aspects)
    columns = (
        Column("question", Phrase("Question")),
        Column("category", Phrase("Category")),
        Column("level", Phrase("Distance")),
        Column("alpha", alpha_name, "coefficient"),
        Column("alpha_interval", alpha_title("interval"), "coefficient"),
        Column("band", Phrase("Customary word")),
    )
    rows: list[tuple[Cell, ...]] = []
    overall: list[Estimate | None] = []
    for aspect in panel.aspects:
        table, items = panel.labels(aspect), panel.items_of_places(aspect)
        for category in ("", *panel.categories):
            row = _alpha_row(aspect, category, table, items, panel.in_category(category)[items])
            rows.append(row)
            if not category and isinstance(row[3], Estimate):
                overall.append(row[3])
    titles = tuple(aspect.title for aspect in panel.aspects)
    notes = (
        Phrase(
            "Every label of every rater counts; intervals are from resamples of items with all that belongs to them, "
            "or, with fewer than twenty items, from leaving out each in turn."
        ),
        Phrase(
            "The line stands at .667, below which Krippendorff (2004) draws no conclusions; .800 is called reliable."
        ),
    )
    return Figure(
        "alpha",
        Phrase("Agreement by question"),
        Table(columns, tuple(rows)),
        Dots(titles, {alpha_name: overall}, mark=TENTATIVE),
        notes,
    )


def _alpha_row(aspect: Aspect, category: str, table: LabelTable, items: Ints, kept: Bools) -> tuple[Cell, ...]:
    level = _level(aspect, table)
    labels, items = LabelTable(table.codes[kept], table.categories), items[kept]
    steps = _alpha(_numbered(labels, aspect), items, "interval") if level != "nominal" else None
    found = steps if steps and level == "interval" else _alpha(labels, items, level)
    band = _BANDS[krippendorff(found.estimate)] if found.estimate is not None else ""
    return aspect.title, category or _ALL, DISTANCES[level], found, steps, band


def _level(aspect: Aspect, table: LabelTable) -> Level:
    """By which distance α is taken: with too many values to rank, equal steps."""
    if len(table.categories) > MOST_RANKS:
        return "interval"
    return aspect.scale.kind.level


def _alpha(table: LabelTable, items: Ints, level: Level) -> Estimate:
    rng = np.random.default_rng(SEED)
    return krippendorff_alpha(table, level=level, bootstrap=Bootstrap(rng, resamples=RESAMPLES, clusters=items))


def _numbered(table: LabelTable, aspect: Aspect) -> LabelTable:
    """Words of a scale as their places on it, so that steps have a size."""
    numbers = {category: aspect.scale.kind.number(category) for category in table.categories}
    return table.recoded({category: None if it is None else str(it) for category, it in numbers.items()})


def preferred(panel: Panel) -> Figure:
    """Mean pairwise κ of what raters prefer: derived from their ratings, and as they said it."""
    columns = (
        Column("what", Phrase("Preference")),
        Column("category", Phrase("Category")),
        Column("kappa", Phrase("Mean pairwise κ"), "coefficient"),
    )
    rows = tuple(_preference_rows(panel))
    key, title = "preference-kappa", Phrase("Agreement on the better one")
    if not rows:
        reason = Phrase("Raters compare responses themselves here; their agreement stands in the figure above.")
        return Figure(key, title, instead=reason)
    notes = (
        Phrase(
            "Of two responses to an item, a rater prefers the one with the higher rating; equal ratings are a tie."
        ),
        Phrase(
            "κ is taken for every two raters and averaged over the pairs of raters that have one; n counts pairs."
        ),
    )
    return Figure(key, title, Table(columns, rows), notes=notes)


def _preference_rows(panel: Panel) -> Iterator[tuple[Cell, ...]]:
    main = panel.main
    if not main.scale.kind.is_signed:
        table, items = _derived(panel, main)
        yield from _kappa_rows(panel, Phrase("from ratings: %(question)s", question=main.title), table, items)
    for aspect in (it for it in panel.source.campaign.protocol.aspects if it.scale.kind.any_response):
        places = panel.source.arrays.places(aspect.name)
        if places:
            said = label_codes(panel.group, aspect, places, panel.source.arrays.categories(aspect))
            item = {item: at for at, item in enumerate(panel.frame.items)}
            items = np.array([item[panel.frame.units[unit].item] for unit, _ in places], dtype=np.int64)
            yield from _kappa_rows(panel, Phrase("as chosen: %(question)s", question=aspect.title), said, items)


def _derived(panel: Panel, aspect: Aspect) -> tuple[LabelTable, Ints]:
    given = panel.ratings(aspect)
    ratings: Floats = np.full((len(panel.places(aspect)), len(panel.group.raters)), np.nan)
    ratings[given.places, given.raters] = given.values
    return preferences(ratings, panel.items_of_places(aspect))


def _kappa_rows(panel: Panel, what: str, table: LabelTable, items: Ints) -> Iterator[tuple[Cell, ...]]:
    for category in ("", *panel.categories):
        kept = panel.in_category(category)[items]
        part = LabelTable(table.codes[kept], table.categories)
        bootstrap = Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, clusters=items[kept])
        yield what, category or _ALL, mean_pairwise_kappa(part, bootstrap=bootstrap)
