"""Elo and rubric scores by evaluator and dimension, and how they go together (MTalk-Bench Tables 9, 12 and 13)."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from analytics.data.label_arrays import PEOPLE
from analytics.data.rubric_checks import said_by_group
from analytics.data.votes.of_people import votes_of_group
from analytics.monitoring.annotator_sources import by_source
from analytics.reports.kinds.arena_rubric.evaluators import INITIAL, Both, Evaluator, K
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Table
from infrastructure.wording.phrases import Phrase
from stats.ratings.acceptability import win_rates
from stats.results import Estimate
from stats.systems.correlation import drawn_correlation
from stats.systems.rubrics import SCALE

_SYSTEM = Column("system", Phrase("System"))
_EVALUATOR = Column("evaluator", Phrase("Evaluator"))
_DIMENSION = Column("dimension", Phrase("Dimension"))
_ALL = Phrase("all")
_OVER_SYSTEMS = Phrase(
    "Intervals are about all systems like these, of which these are a sample, with scores taken the same way; ρ has "
    "one from seven systems on, r from five."
)


def scores(both: Both) -> Iterator[Figure]:
    for one in both.evaluators:
        yield _of_evaluator(both, one)
    yield _together(both)
    if judges := [it for it in both.evaluators if it.key != PEOPLE]:
        yield _against_people(both, judges)
    yield from _sources(both)


def _of_evaluator(both: Both, one: Evaluator) -> Figure:
    rates = [it.rate for it in win_rates(one.votes.counts(both.systems))]
    columns = [_SYSTEM, Column("win_rate", Phrase("Win rate"), "share")]
    filled: list[Sequence[Cell]] = [rates]
    rubric: dict[str, list[Estimate]] = {}
    for place, dimension in enumerate(both.dimensions):
        title = dimension or _ALL
        columns.append(Column(f"elo_{place}", Phrase("Elo: %(dimension)s", dimension=title), "rating"))
        columns.append(Column(f"rubric_{place}", Phrase("Rubric: %(dimension)s", dimension=title), "share"))
        rubric[title] = both.scores(one.checks, dimension)
        filled += [both.elo(one.votes, dimension), rubric[title]]
    rows = [(system, *row) for system, *row in zip(both.systems, *filled, strict=True)]
    scores = values(rubric[_ALL])
    best = sorted(range(len(rows)), key=lambda place: (scores[place] is None, -(scores[place] or 0.0), place))
    order = (
        Phrase("in the order in which they were given")
        if one.key == PEOPLE
        else Phrase("in the order of the units’ keys")
    )
    notes = (
        Phrase(
            "Elo from %(initial)s with K = %(k)s, votes taken %(order)s.",
            initial=f"{INITIAL:g}",
            k=f"{K:g}",
            order=order,
        ),
        Phrase(
            "A rubric score is the share of criteria met in a response, averaged over responses; intervals are over "
            "items, taken on the logit, so that none goes beyond 0 and 100 %%. A criterion that did not arise "
            "because of an earlier no was not met."
        ),
    )
    title = Phrase("Elo and rubric: %(evaluator)s", evaluator=one.title)
    return Figure(
        f"scores-{one.key}",
        title,
        Table(tuple(columns), tuple(rows[place] for place in best)),
        Dots(
            tuple(both.systems[place] for place in best),
            {name: [found[place] for place in best] for name, found in rubric.items()},
            form="share",
            x_title=Phrase("Rubric score"),
            ends=SCALE,
        ),
        notes,
    )


def _together(both: Both) -> Figure:
    columns = (
        _EVALUATOR,
        _DIMENSION,
        Column("spearman", Phrase("Spearman’s ρ"), "coefficient"),
        Column("pearson", Phrase("Pearson’s r"), "coefficient"),
        Column("spearman_rate", Phrase("ρ of win rate and rubric"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    labels, rhos = [], []
    for one in both.evaluators:
        for dimension in both.dimensions:
            kept = one.votes.where(both.of_dimension(dimension)[one.votes.items])
            rated = [it.exact for it in win_rates(kept.counts(both.systems))]
            elo, rubric = values(both.elo(one.votes, dimension)), values(both.scores(one.checks, dimension))
            rho = correlated(elo, rubric)
            rows.append(
                (one.title, dimension or _ALL, rho, correlated(elo, rubric, "pearson"), correlated(rated, rubric))
            )
            labels.append(one.title if not dimension else f"{one.title} · {dimension}")
            rhos.append(rho)
    picture = Dots(tuple(labels), {Phrase("Spearman’s ρ"): rhos}, mark=0.0)
    title = Phrase("Does the rubric rank systems as the arena does?")
    note = Phrase("Elo and rubric score of the same systems by the same evaluator; equal win rates share a rank.")
    return Figure("correlation", title, Table(columns, tuple(rows)), picture, (note, _OVER_SYSTEMS))


def _against_people(both: Both, judges: list[Evaluator]) -> Figure:
    columns = (
        Column("judge", Phrase("The judge")),
        _DIMENSION,
        Column("arena", Phrase("ρ of Elo"), "coefficient"),
        Column("rubric", Phrase("ρ of rubric scores"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    for dimension in both.dimensions:
        elo = values(both.elo(both.people.votes, dimension))
        rubric = values(both.scores(both.people.checks, dimension))
        for one in judges:
            arena = correlated(elo, values(both.elo(one.votes, dimension)))
            rows.append(
                (one.title, dimension or _ALL, arena, correlated(rubric, values(both.scores(one.checks, dimension))))
            )
    title = Phrase("Do judges rank systems as people do?")
    note = Phrase("Spearman’s ρ with people’s own scores (MTalk-Bench Table 13).")
    return Figure("against-people", title, Table(columns, tuple(rows)), notes=(note, _OVER_SYSTEMS))


def _sources(both: Both) -> Iterator[Figure]:
    """One source of annotators against another (Table 12)."""
    arena = by_source(both.source.campaign, both.arena_people)
    rubric = by_source(both.rubric_campaign, both.rubric_people)
    if len(arena) < 2 and len(rubric) < 2:
        reason = Phrase("Everyone came by the same link. Sources are invitation links.")
        yield Figure("sources", Phrase("By where annotators came from"), instead=reason)
        return
    elo = {title: both.elo(votes_of_group(group, both.aspect, both.arena_frame)) for title, group in arena.items()}
    checked = {title: both.scores(both.rubric.checked(said_by_group(group))) for title, group in rubric.items()}
    columns = (
        _SYSTEM,
        *(Column(f"elo_{n}", Phrase("Elo: %(dimension)s", dimension=it), "rating") for n, it in enumerate(elo, 1)),
        *(
            Column(f"rubric_{n}", Phrase("Rubric: %(dimension)s", dimension=it), "share")
            for n, it in enumerate(checked, 1)
        ),
    )
    rows = tuple((system, *row) for system, *row in zip(both.systems, *elo.values(), *checked.values(), strict=True))
    note = Phrase("A source is an invitation link; people who came by several count for the first.")
    yield Figure("sources", Phrase("By where annotators came from"), Table(columns, rows), notes=(note,))
    yield _between_sources(elo, checked)


def _between_sources(elo: dict[str, list[Estimate]], rubric: dict[str, list[Estimate]]) -> Figure:
    columns = (
        Column("one", Phrase("Source")),
        Column("other", Phrase("Against")),
        Column("format", Phrase("Format")),
        Column("spearman", Phrase("Spearman’s ρ"), "coefficient"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, found in ((Phrase("arena"), elo), (Phrase("rubric"), rubric)):
        titles = list(found)
        for place, one in enumerate(titles):
            for other in titles[place + 1 :]:
                rows.append((one, other, name, correlated(values(found[one]), values(found[other]))))
    title = Phrase("Do annotators of one source rank systems as those of another?")
    return Figure("sources-correlation", title, Table(columns, tuple(rows)), notes=(_OVER_SYSTEMS,))


def values(estimates: Sequence[Estimate]) -> list[float | None]:
    return [it.estimate for it in estimates]


def correlated(
    one: Sequence[float | Fraction | None], other: Sequence[float | Fraction | None], kind: str = "spearman"
) -> Estimate:
    return drawn_correlation(one, other, kind="pearson" if kind == "pearson" else "spearman")
