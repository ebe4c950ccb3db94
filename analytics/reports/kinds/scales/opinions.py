"""Mean opinion scores of systems, and how often each was chosen as the best."""

from collections.abc import Iterator

import numpy as np

from analytics.data.ratings import Ratings, ratings_of
from analytics.reports.kinds.scales.panel import Panel
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Form, Table
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from stats import reasons
from stats.design_effects import design_effects
from stats.proportions import proportion
from stats.results import Ends, Estimate
from stats.systems.means import two_way_mean

_MOS = "mean opinion score"
_NOT_RATED = reasons.NOBODY_RATED()
_MOST_IN_PICTURE = 3
_SYSTEM = Column("system", Phrase("System"))
_OVER_BOTH = Phrase(
    "Intervals are over items and raters at once: what other items and other raters would say is in them. Fewer than "
    "three raters say too little of others: such an interval is over items alone, about these raters, and its cell "
    "says so. It is likewise with fewer than three items. They are taken on the logit of the scale, so that none "
    "goes beyond its ends."
)


def opinions(panel: Panel) -> Iterator[Figure]:
    yield _by_question(panel)
    if panel.categories:
        yield _by_category(panel)
    if panel.sources:
        yield _by_source(panel)
    yield from _chosen(panel)


def means(panel: Panel, given: Ratings) -> list[Estimate]:
    """A mean for each system, in their order."""
    found = []
    for place in range(len(panel.frame.systems)):
        own = given.where(given.systems == place)
        if len(own.values):
            found.append(two_way_mean(own.values, own.items, own.raters, method=_MOS, ends=own.ends))
        else:
            found.append(Estimate(None, 0, _MOS, reason=_NOT_RATED))
    return found


def _by_question(panel: Panel) -> Figure:
    columns = {aspect.title: means(panel, panel.ratings(aspect)) for aspect in panel.aspects}
    heads = [Column(f"mos_{aspect.name}", aspect.title, _form(aspect)) for aspect in panel.aspects]
    kept = panel.aspects if len(columns) <= _MOST_IN_PICTURE else [panel.main]
    shown = {aspect.title: columns[aspect.title] for aspect in kept}
    notes = [_OVER_BOTH]
    if panel.main.scale.kind.is_signed:
        notes.append(
            Phrase("A comparison counts for both responses: what is said of one, and the opposite of the other.")
        )
    if any(head.form == "share" for head in heads):
        notes.append(Phrase("Of questions with yes and no, the share of yes; words of a scale count from 1 on."))
    return _figure(panel, "mos", Phrase("Mean opinion scores"), columns, heads, shown, _common(kept), tuple(notes))


def _by_category(panel: Panel) -> Figure:
    given = panel.ratings(panel.main)
    columns = {
        category: means(panel, given.where(panel.in_category(category)[given.items])) for category in panel.categories
    }
    title = Phrase("%(question)s by category", question=panel.main.title)
    return _split(panel, "mos-categories", title, columns, (_OVER_BOTH,))


def _by_source(panel: Panel) -> Figure:
    places = panel.places(panel.main)
    columns = {
        title: means(panel, ratings_of(group, panel.main, panel.frame, places))
        for title, group in panel.sources.items()
    }
    title = Phrase("%(question)s by where raters came from", question=panel.main.title)
    note = Phrase("A source is an invitation link; people who came by several count for the first.")
    return _split(panel, "mos-sources", title, columns, (note, _OVER_BOTH))


def _split(panel: Panel, key: str, title: str, columns: dict[str, list[Estimate]], notes: tuple[str, ...]) -> Figure:
    heads = [Column(f"mos_{place}", name, _form(panel.main)) for place, name in enumerate(columns, 1)]
    return _figure(panel, key, title, columns, heads, columns, panel.main.scale.kind.ends, notes)


def _figure(
    panel: Panel,
    key: str,
    title: str,
    columns: dict[str, list[Estimate]],
    heads: list[Column],
    shown: dict[str, list[Estimate]],
    ends: Ends | None,
    notes: tuple[str, ...],
) -> Figure:
    cells = zip(*columns.values(), strict=True)
    order = best_first(panel)
    rows: list[tuple[Cell, ...]] = [(system, *row) for system, row in zip(panel.frame.systems, cells, strict=True)]
    form: Form = heads[0].form if len({it.form for it in heads}) == 1 else "number"
    picture = Dots(
        tuple(panel.frame.systems[place] for place in order),
        {name: [found[place] for place in order] for name, found in shown.items()},
        form=form,
        x_title=Phrase("Share of yes") if form == "share" else Phrase("Mean opinion score"),
        ends=ends,
    )
    table = Table((_SYSTEM, *heads), tuple(rows[place] for place in order))
    return Figure(key, title, table, picture, (*notes, *_alone(columns)))


def best_first(panel: Panel) -> list[int]:
    """The places of the systems, by their mean of the main question, those without one last."""
    scores = [it.estimate for it in means(panel, panel.ratings(panel.main))]
    return sorted(range(len(scores)), key=lambda place: (scores[place] is None, -(scores[place] or 0.0), place))


def _common(aspects: list[Aspect]) -> Ends | None:
    """The ends of their scales, where those are the same."""
    found = {aspect.scale.kind.ends for aspect in aspects}
    return found.pop() if len(found) == 1 else None


def _alone(columns: dict[str, list[Estimate]]) -> Iterator[str]:
    """How many of the intervals are about the raters, or items, that there are."""
    there = [it for column in columns.values() for it in column if it.interval]
    if about := sum(bool(it.reason) for it in there):
        yield Phrase(
            "%(n)s of these %(all)s intervals say nothing of other raters, or of other items.",
            n=about,
            all=len(there),
        )


def _form(aspect: Aspect) -> Form:
    return "share" if aspect.scale.kind.is_yes_no else "number"


def _chosen(panel: Panel) -> Iterator[Figure]:
    """How often raters named each system where they had to name one of all (COMPASS Tables 13 to 15)."""
    asked = [it for it in panel.source.campaign.protocol.aspects if it.scale.kind.any_response]
    if not asked:
        return
    columns = (_SYSTEM, *(Column(f"share_{it.name}", it.title, "share") for it in asked))
    shares, order = [_shares(panel, aspect) for aspect in asked], best_first(panel)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (panel.frame.systems[at], *(share[at] for share in shares)) for at in order
    )
    series = {it.title: [share[at] for at in order] for it, share in zip(asked, shares, strict=True)}
    picture = Dots(
        tuple(panel.frame.systems[at] for at in order), series, form="share", x_title=Phrase("Share of answers"),
        ends=(0.0, 1.0),
    )  # fmt: skip
    note = Phrase(
        "Of the answers to items that the system responded to; Wilson’s interval of as many answers as these are "
        "worth where raters, and items, make them alike."
    )
    yield Figure("chosen", Phrase("How often each was chosen"), Table(columns, rows), picture, (note,))


def _shares(panel: Panel, aspect: Aspect) -> list[Estimate]:
    place = {name: at for at, name in enumerate(panel.frame.systems)}
    facts = panel.frame.units
    said = [
        (place[name], name == facts[unit].systems[value], rater, facts[unit].item)
        for rater, of_rater in enumerate(panel.group.raters)
        for (unit, _slot), value in of_rater.said.get(aspect.name, {}).items()
        for name in dict.fromkeys(facts[unit].systems.values())
    ]
    systems, named, raters, items = np.array(said, dtype=np.int64).reshape(-1, 4).T
    clusters = (np.unique(it, return_inverse=True)[1].reshape(-1) for it in (raters, items))
    effects = design_effects(named.astype(np.float64), systems, len(place), *clusters)
    asked, hits = (np.bincount(systems, weights=of, minlength=len(place)) for of in (np.ones(len(named)), named))
    return [
        proportion(int(hit), int(n), method="share of answers", reason=_NOT_RATED, effect=float(effect))
        for hit, n, effect in zip(hits, asked, effects, strict=True)
    ]
