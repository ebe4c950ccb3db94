"""Mean opinion scores of systems, and how often each was chosen as the best."""

from collections.abc import Iterator

from analytics.ratings_given import Ratings, ratings_of
from analytics.reports.figures import Cell, Column, Dots, Figure, Form, Table
from analytics.reports.kinds.scales.panel import Panel
from analytics.stats.intervals import proportion
from analytics.stats.means import two_way_mean
from analytics.stats.results import Estimate
from campaigns.phrases import Phrase
from campaigns.protocols import Aspect

_MOS = "mean opinion score"
_NOBODY = "nobody rated this system"
_MOST_IN_PICTURE = 3
_SYSTEM = Column("system", Phrase("System"))
_OVER_BOTH = Phrase(
    "Intervals are over items and raters at once: what other items and other raters would say is in them. Fewer than "
    "three raters say too little of others: such an interval is over items alone, about these raters, and its cell "
    "says so. It is likewise with fewer than three items."
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
            found.append(two_way_mean(own.values, own.items, own.raters, method=_MOS))
        else:
            found.append(Estimate(None, 0, _MOS, reason=_NOBODY))
    return found


def _by_question(panel: Panel) -> Figure:
    columns = {aspect.title: means(panel, panel.ratings(aspect)) for aspect in panel.aspects}
    forms = [_form(aspect) for aspect in panel.aspects]
    names = [f"mos_{aspect.name}" for aspect in panel.aspects]
    shown = columns if len(columns) <= _MOST_IN_PICTURE else {panel.main.title: columns[panel.main.title]}
    notes = [_OVER_BOTH]
    if panel.main.scale.frame == "signed":
        notes.append(
            Phrase("A comparison counts for both responses: what is said of one, and the opposite of the other.")
        )
    if any(form == "share" for form in forms):
        notes.append(Phrase("Of questions with yes and no, the share of yes; words of a scale count from 1 on."))
    return _figure(panel, "mos", Phrase("Mean opinion scores"), columns, names, forms, shown, tuple(notes))


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
    note = Phrase("A source is an invitation link; somebody who came by several counts for the first.")
    return _split(panel, "mos-sources", title, columns, (note, _OVER_BOTH))


def _split(panel: Panel, key: str, title: str, columns: dict[str, list[Estimate]], notes: tuple[str, ...]) -> Figure:
    names = [f"mos_{place}" for place, _ in enumerate(columns, 1)]
    forms = [_form(panel.main)] * len(columns)
    return _figure(panel, key, title, columns, names, forms, columns, notes)


def _figure(
    panel: Panel,
    key: str,
    title: str,
    columns: dict[str, list[Estimate]],
    names: list[str],
    forms: list[Form],
    shown: dict[str, list[Estimate]],
    notes: tuple[str, ...],
) -> Figure:
    heads = [Column(name, head, form) for name, head, form in zip(names, columns, forms, strict=True)]
    cells = zip(*columns.values(), strict=True)
    rows: list[tuple[Cell, ...]] = [(system, *row) for system, row in zip(panel.frame.systems, cells, strict=True)]
    picture = Dots(panel.frame.systems, shown, form=forms[0] if len(set(forms)) == 1 else "number")
    return Figure(key, title, Table((_SYSTEM, *heads), tuple(rows)), picture, (*notes, *_alone(columns)))


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
    return "share" if {option.value for option in aspect.scale.options} == {"yes", "no"} else "number"


def _chosen(panel: Panel) -> Iterator[Figure]:
    """How often raters named each system where they had to name one of all (COMPASS Tables 13 to 15)."""
    asked = [it for it in panel.source.campaign.protocol.aspects if it.scale.any_response]
    if not asked:
        return
    columns = (_SYSTEM, *(Column(f"share_{it.name}", it.title, "share") for it in asked))
    shares = [_shares(panel, aspect) for aspect in asked]
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (system, *(share[at] for share in shares)) for at, system in enumerate(panel.frame.systems)
    )
    picture = Dots(
        panel.frame.systems, {it.title: share for it, share in zip(asked, shares, strict=True)}, form="share"
    )
    note = Phrase("Of the answers to items that the system responded to; Wilson’s interval, each answer for itself.")
    yield Figure("chosen", Phrase("How often each was chosen"), Table(columns, rows), picture, (note,))


def _shares(panel: Panel, aspect: Aspect) -> list[Estimate]:
    named = dict.fromkeys(panel.frame.systems, 0)
    asked = dict.fromkeys(panel.frame.systems, 0)
    for rater in panel.group.raters:
        for (unit, _slot), value in rater.said.get(aspect.name, {}).items():
            systems = panel.frame.units[unit].systems
            for name in set(systems.values()):
                asked[name] += 1
            named[systems[value]] += 1
    return [
        proportion(named[name], asked[name], method="share of answers", reason=_NOBODY)
        for name in panel.frame.systems
    ]
