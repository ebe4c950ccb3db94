"""From many metrics to a few: the selection of COMPASS (§3.4, App. D) over a dataset's table of metrics."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import scipy
from django.db.models import Max

from analytics.data.ratings import frame_of, rated_aspects, ratings_of
from analytics.data.votes.of_people import pair_aspects, votes_of_group
from analytics.measured.table import MetricValues, metric_values, titles_of
from analytics.reports.contract import Option, ReportKind
from analytics.reports.output.figures import Cell, Column, Figure, Heatmap, Table
from analytics.reports.references import reference_of
from analytics.reports.source import Source
from campaigns.models import Campaign
from corpus.models import Item, Response
from infrastructure.wording.phrases import Phrase, phrased
from infrastructure.wording.reasons import Reason
from measurements.models import MetricScore
from measurements.scores.evidence import LANGUAGE_FACTS
from stats import reasons
from stats.arrays import Floats, Ints, ratio
from stats.metrics.selection import (
    LEAST_SILHOUETTE,
    MOST_CORRELATED,
    MetricSelection,
    MetricTable,
    mean_over,
    select_metrics,
)
from stats.ratings.acceptability import win_rates
from stats.systems.correlation import correlation

_METRIC = Column("metric", Phrase("Metric"))
_AXIS = Column("axis", Phrase("Axis"))
_TITLE = Phrase("Which metrics say the same")
LANGUAGES = (
    ("category", Phrase("the item’s category")),
    ("language", Phrase("the item’s language")),
    ("none", Phrase("nothing: all items together")),
)


@dataclass(frozen=True, eq=False)
class Scored:
    """The table of the dataset, and what people say of the same systems, by question."""

    table: MetricTable
    systems: tuple[str, ...]
    people: dict[str, Floats]


def figures(source: Source) -> Iterator[Figure]:
    scored = _scored(source)
    found = select_metrics(scored.table) if len(scored.table.metrics) else None
    if found is None or len(found.metrics) < 2:
        reason = Phrase(
            "At least two metrics that distinguish three systems are needed; compute some, or import a table."
        )
        yield Figure("correlations", _TITLE, instead=reason)
        return
    yield _correlations(found)
    yield _scores(found, scored)
    yield _groups(found)
    yield _merged(found)
    yield _left_out(found)


def why_not(campaign: Campaign) -> Reason | None:
    if MetricScore.objects.filter(system__dataset=campaign.dataset_id).exists():
        return None
    return reasons.NO_METRIC()


def options(_campaign: Campaign) -> tuple[Option, ...]:
    return (Option("languages", Phrase("Stability is taken over"), LANGUAGES),)


def more_stamps(source: Source) -> tuple[object, ...]:
    return (MetricScore.objects.filter(system__dataset=source.campaign.dataset_id).aggregate(last=Max("pk"))["last"],)


def _scored(source: Source) -> Scored:
    values = metric_values(source.campaign.dataset)
    systems = tuple(source.names)
    responses, n_languages = _responses(source, systems)
    titles = titles_of(values.columns)
    scores = np.full((len(values.columns), n_languages, len(systems)), np.nan)
    for place in range(len(values.columns)):
        scores[place] = _of_metric(values, place, responses, systems, n_languages)
    whole = values.columns if not source.settings.reading.category else ()
    for place, column in enumerate(whole):
        if np.isnan(scores[place]).all() and (of_systems := values.of_systems.get(column)):
            scores[place, 0] = [of_systems.get(name, np.nan) for name in systems]
    table = MetricTable(
        tuple(titles[column] for column in values.columns),
        tuple(phrased(str(column.metric.axis)) for column in values.columns),
        scores,
    )
    return Scored(table, systems, _people(source, systems))


def _responses(source: Source, systems: tuple[str, ...]) -> tuple[dict[int, tuple[int, int]], int]:
    """The language and the system of each response by number, and how many languages there are."""
    category, by = source.settings.reading.category, source.option("languages") or LANGUAGES[0][0]
    items = Item.objects.filter(dataset=source.campaign.dataset_id)
    items = items.filter(category=category) if category else items
    named = {pk: _language(by, of, facts) for pk, of, facts in items.values_list("pk", "category", "facts")}
    languages = {name: place for place, name in enumerate(sorted(set(named.values())))}
    at = {name: place for place, name in enumerate(systems)}
    rows = Response.objects.filter(item__in=items.values("pk")).values_list("pk", "item", "system__name")
    return {pk: (languages[named[item]], at[name]) for pk, item, name in rows}, max(1, len(languages))


def _language(by: str, category: str, facts: dict[str, object]) -> str:
    if by == "language":
        return next((str(facts[name]) for name in LANGUAGE_FACTS if facts.get(name)), "")
    return category if by == "category" else ""


def _of_metric(
    values: MetricValues,
    place: int,
    responses: dict[int, tuple[int, int]],
    systems: tuple[str, ...],
    n_languages: int,
) -> Floats:
    """Means over responses, shape (languages, systems)."""
    scores = values.of_responses.get(values.columns[place], {})
    known = [(*responses[pk], value) for pk, value in scores.items() if pk in responses]
    cells: Ints = np.array([language * len(systems) + system for language, system, _ in known], dtype=np.int64)
    size = n_languages * len(systems)
    total = np.bincount(cells, weights=[value for *_, value in known], minlength=size).astype(np.float64)
    n = np.bincount(cells, minlength=size).astype(np.float64)
    return ratio(total, n).reshape(n_languages, len(systems))


def _people(source: Source, systems: tuple[str, ...]) -> dict[str, Floats]:
    """What people say of each system: means of ratings by question, or win rates."""
    group = reference_of(source)
    if group is None:
        return {}
    frame = frame_of(source.arrays, source.units)
    shown = [source.names[name] for name in systems]
    at = [frame.systems.index(name) if name in frame.systems else -1 for name in shown]
    found: dict[str, Floats] = {}
    for aspect in rated_aspects(source.campaign.protocol):
        if not aspect.scale.kind.is_signed:
            given = ratings_of(group, aspect, frame, source.arrays.places(aspect.name))
            total, n = (
                np.bincount(given.systems, weights=weights, minlength=len(frame.systems)).astype(np.float64)
                for weights in (given.values, np.ones(len(given.values)))
            )
            found[aspect.title] = np.append(ratio(total, n), np.nan)[at]
    for aspect in pair_aspects(source.campaign.protocol)[:1]:
        rates = win_rates(votes_of_group(group, aspect, frame).counts(frame.systems))
        exact = np.array([np.nan if it.rate.estimate is None else it.rate.estimate for it in rates] + [np.nan])
        found[Phrase("win rate: %(question)s", question=aspect.title)] = exact[at]
    return found


def _correlations(found: MetricSelection) -> Figure:
    """|ρ| of every two, in the order of the tree that Ward's clustering makes."""
    order = _leaves(found.correlations)
    names = [found.metrics[place].metric for place in order]
    rho = found.correlations[np.ix_(order, order)]
    values = tuple(tuple(None if np.isnan(it) else float(it) for it in row) for row in rho)
    columns = (_METRIC, *(Column(f"rho_{place}", name, "coefficient") for place, name in enumerate(names, 1)))
    rows: list[tuple[Cell, ...]] = [(name, *row) for name, row in zip(names, values, strict=True)]
    notes = (
        Phrase("The size of Spearman’s ρ between the systems’ scores; metrics stand beside those that say the same."),
        Phrase("Empty where two metrics have fewer than three systems in common."),
    )
    picture = Heatmap(
        tuple(names),
        tuple(names),
        values,
        0.0,
        1.0,
        x_title=Phrase("Metric"),
        y_title=Phrase("Metric"),
        title="|ρ|",
    )
    return Figure("correlations", _TITLE, Table(columns, tuple(rows)), picture, notes)


def _leaves(rho: Floats) -> list[int]:
    distance = 1 - np.where(np.isnan(rho), 0.0, rho)
    np.fill_diagonal(distance, 0.0)
    tree = scipy.cluster.hierarchy.linkage(scipy.spatial.distance.squareform(distance, checks=False), "ward")
    return [int(place) for place in scipy.cluster.hierarchy.leaves_list(tree)]


def _scores(found: MetricSelection, scored: Scored) -> Figure:
    columns = (
        _METRIC,
        _AXIS,
        Column("discriminability", Phrase("Discriminability"), "coefficient"),
        Column("stability", Phrase("Stability"), "coefficient"),
        Column("independence", Phrase("Independence"), "coefficient"),
        Column("adoption", Phrase("Adoption"), "coefficient"),
        Column("score", Phrase("Score"), "coefficient"),
        Column("group", Phrase("Group"), "count"),
        Column("cluster", Phrase("Cluster"), "count"),
        Column("chosen", Phrase("Chosen")),
        *(
            Column(f"people_{place}", Phrase("ρ with people: %(question)s", question=title), "coefficient")
            for place, title in enumerate(scored.people, 1)
        ),
    )
    system_level = mean_over(scored.table.scores, 1)
    at = {name: place for place, name in enumerate(scored.table.metrics)}
    rows: list[tuple[Cell, ...]] = []
    for it in sorted(found.metrics, key=lambda it: (it.group, -it.score)):
        own = _known(system_level[at[it.metric]])
        people = [correlation(own, _known(said)) for said in scored.people.values()]
        chosen = Phrase("yes") if it.is_chosen else Phrase("no")
        rows.append(
            (it.metric, it.dimension, *it.criteria.values(), it.score, it.group + 1, it.cluster + 1, chosen, *people)
        )
    notes = [
        Phrase(
            "Each criterion is between 0 (the least of all metrics) and 1; the score is the mean of those that a "
            "metric has. A cluster is of metrics that carry the same signal: Ward’s clusters at 1 − |ρ| of 0.15."
        ),
        Phrase("How much a metric is used in the literature is not known here, so adoption does not count."),
    ]
    if found.robustness is not None:
        note = Phrase(
            "With one weight changed by a fifth, Spearman’s ρ with this ranking is at least %(rho)s.",
            rho=f"{found.robustness:.2f}",
        )
        notes.append(note)
    return Figure("scores", Phrase("Scores of metrics"), Table(columns, tuple(rows)), notes=tuple(notes))


def _groups(found: MetricSelection) -> Figure:
    columns = (
        Column("group", Phrase("Group"), "count"),
        Column("axes", Phrase("Axes")),
        Column("chosen", Phrase("Stand for it")),
        Column("others", Phrase("Left aside")),
    )
    rows = []
    for place, axes in enumerate(found.groups):
        members = [it for it in found.metrics if it.group == place]
        chosen = ", ".join(it.metric for it in members if it.is_chosen)
        others = ", ".join(it.metric for it in members if not it.is_chosen)
        rows.append((place + 1, ", ".join(axes), chosen, others))
    notes = [
        Phrase("A group keeps one metric of up to four, two of up to ten, else three, each from another cluster."),
        Phrase(
            "Groups are merged while their silhouette is below %(least)s or two of them correlate above %(most)s.",
            least=LEAST_SILHOUETTE, most=MOST_CORRELATED,
        ),
    ]  # fmt: skip
    if found.silhouette is not None:
        notes.append(Phrase("The silhouette of what was chosen is %(value)s.", value=f"{found.silhouette:.2f}"))
    if found.most_correlated is not None:
        note = Phrase("The two closest groups correlate at %(value)s.", value=f"{found.most_correlated:.2f}")
        notes.append(note)
    return Figure(
        "groups", Phrase("Groups, and what stands for them"), Table(columns, tuple(rows)), notes=tuple(notes)
    )


def _merged(found: MetricSelection) -> Figure:
    title = Phrase("Groups that were merged")
    if not found.merged:
        return Figure("merged", title, instead=Phrase("None had to be: all groups stand apart."))
    columns = (
        Column("step", Phrase("Step"), "count"),
        Column("one", Phrase("Group")),
        Column("other", Phrase("Merged with")),
        Column("correlation", Phrase("Mean |ρ| of the two"), "coefficient"),
        Column("silhouette", Phrase("Silhouette before"), "coefficient"),
    )
    rows = tuple(
        (step, ", ".join(it.one), ", ".join(it.other), it.correlation, it.silhouette)
        for step, it in enumerate(found.merged, 1)
    )
    return Figure("merged", title, Table(columns, rows))


def _left_out(found: MetricSelection) -> Figure:
    title = Phrase("Metrics that were left out")
    if not found.left_out:
        return Figure("left-out", title, instead=Phrase("No metric was left out."))
    columns = (_METRIC, Column("reason", Phrase("Why")))
    rows = tuple((metric, why) for metric, why in found.left_out)
    return Figure("left-out", title, Table(columns, rows))


def _known(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


KIND = ReportKind(
    name="metrics",
    title=Phrase("Choosing metrics"),
    lead=Phrase("Which metrics of the dataset say the same, and which few say all of it."),
    claims=Phrase(
        "It may be claimed which metrics rank these systems alike; not that a metric measures quality, which only "
        "a comparison with people can show."
    ),
    version="4",
    figures=figures,
    why_not=why_not,
    options=options,
    more_stamps=more_stamps,
)
