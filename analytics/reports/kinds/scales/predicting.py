"""How well metrics and judges predict people's ratings, of systems and of single responses (COMPASS App. F.4)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from analytics.data.label_arrays import Group, JudgeRun, answers_of
from analytics.data.ratings import ratings_of, response_at
from analytics.measured.table import likelihood_table
from analytics.reports.kinds.scales.panel import Panel
from analytics.reports.output.figures import Cell, Column, Dots, Figure, Heatmap, Table
from analytics.reports.source import RESAMPLES, SEED
from infrastructure.wording.phrases import Phrase, phrased
from measurements.likelihood.nll import DELTA
from protocols import Aspect
from protocols.kinds.agreement import alpha_title
from stats.arrays import Bools, Floats, Ints, ratio
from stats.intervals import Bootstrap
from stats.results import Estimate
from stats.systems.correlation import correlation, interval_alpha, linear_spearman
from stats.systems.means import cluster_mean

#: Up to so many ratings × resamples over all metrics, responses themselves are resampled.
_MOST_CELLS = 2 * 10**7
TOP = 10
#: How the keys of judges among the predictors begin.
JUDGED = "run "
_NOTHING = Phrase("No metric was measured on these systems, and no judge has rated them.")
_MEANS = Phrase(
    "People’s ratings are averaged per response, then per system (COMPASS App. F.4). Metrics of which less is better "
    "correlate negatively."
)
_TRUE = Phrase(
    "Intervals are about these systems’ true means, those over all items like these: as means over finitely many "
    "items correlate less, an interval may lie higher than its coefficient. It needs five systems that lie apart by "
    "more than noise. n counts systems."
)


@dataclass(frozen=True, eq=False)
class Predictor:
    """A metric or a judge: its values by place of a question, or by system where it has no others (`is_whole`)."""

    key: str
    title: str
    axis: str
    values: Floats
    is_whole: bool = False


def predictors(panel: Panel, aspect: Aspect) -> list[Predictor]:
    """Everything that says something of these responses or systems, in the order of the registry, judges last."""
    return [*_metrics(panel, aspect), *_likelihoods(panel), *_judges(panel, aspect)]


def predicting(panel: Panel) -> Iterator[Figure]:
    if panel.main.scale.kind.is_signed:
        reason = Phrase("Comparisons rate no response by itself, so metrics of responses cannot be put beside them.")
        yield Figure("metrics-systems", Phrase("Metrics and people: systems"), instead=reason)
        return
    found = predictors(panel, panel.main)
    if not found:
        yield Figure("metrics-systems", Phrase("Metrics and people: systems"), instead=_NOTHING)
        return
    levels = {aspect.name: _Level(panel, aspect) for aspect in panel.aspects}
    yield _systems(panel, levels[panel.main.name])
    yield _questions(panel, list(levels.values()))
    yield _responses(panel, levels[panel.main.name])
    yield _errors(levels[panel.main.name])
    yield _top(panel, list(levels.values()))


class _Level:
    """One question: what people say of each response, and means of systems over resampled items."""

    def __init__(self, panel: Panel, aspect: Aspect, group: Group | None = None) -> None:
        self.panel, self.aspect = panel, aspect
        self.items = panel.items_of_places(aspect)
        given = (
            panel.ratings(aspect) if group is None else ratings_of(group, aspect, panel.frame, panel.places(aspect))
        )
        n = len(self.items)
        self.people = _means(given.places, given.values, n)
        at = {name: place for place, name in enumerate(panel.frame.systems)}
        self.systems = np.array(
            [
                at[facts.systems[slot or next(iter(facts.systems))]]
                for facts, slot in ((panel.frame.units[unit], slot) for unit, slot in panel.places(aspect))
            ],
            dtype=np.int64,
        )
        self.predictors = predictors(panel, aspect)

    def human(self) -> Floats:
        return self.panel.over_items.means(self.people, self.items, self.systems)

    def predicted(self, one: Predictor) -> Floats:
        over = self.panel.over_items
        return over.constant(one.values) if one.is_whole else over.means(one.values, self.items, self.systems)

    def point(self, one: Predictor, kept: Bools) -> float | None:
        """ρ of systems over these items alone, without an interval."""
        here, n = kept[self.items], len(self.panel.frame.systems)
        human = _system_means(self.people, self.systems, here, n)
        predicted = one.values if one.is_whole else _system_means(one.values, self.systems, here, n)
        return correlation(_known(human), _known(predicted)).estimate


def _systems(panel: Panel, level: _Level) -> Figure:
    columns = (
        Column("predictor", Phrase("Metric or judge")),
        Column("axis", Phrase("Axis")),
        Column("spearman", Phrase("Spearman’s ρ"), "coefficient"),
        Column("pearson", Phrase("Pearson’s r"), "coefficient"),
        Column("reliable", Phrase("|ρ| surely above .5")),
    )
    over, human = panel.over_items, level.human()
    rows: list[tuple[Cell, ...]] = []
    rhos = []
    for one in level.predictors:
        predicted = level.predicted(one)
        rho = over.correlate(human, predicted)
        rhos.append(rho)
        rows.append((one.title, one.axis, rho, over.correlate(human, predicted, kind="pearson"), _reliable(rho)))
    notes = (
        _MEANS,
        _TRUE,
        Phrase("Reliable is what has |ρ| above .5 at both ends of its interval (COMPASS §6)."),
    )
    picture = Dots(tuple(one.title for one in level.predictors), {Phrase("Spearman’s ρ"): rhos}, mark=0.0)
    title = Phrase("Metrics and people: systems, by %(question)s", question=panel.main.title)
    return Figure("metrics-systems", title, Table(columns, tuple(rows)), picture, notes)


def _questions(panel: Panel, levels: list[_Level]) -> Figure:
    over = panel.over_items
    titles = {one.key: one.title for level in levels for one in level.predictors}
    cells: dict[str, list[Estimate | None]] = {key: [] for key in titles}
    for level in levels:
        human, there = level.human(), {one.key: one for one in level.predictors}
        for key, row in cells.items():
            row.append(over.correlate(human, level.predicted(there[key])) if key in there else None)
    columns = (
        Column("predictor", Phrase("Metric or judge")),
        *(Column(f"rho_{level.aspect.name}", level.aspect.title, "coefficient") for level in levels),
    )
    rows = tuple((titles[key], *row) for key, row in cells.items())
    values = tuple(tuple(it.estimate if it else None for it in row) for row in cells.values())
    picture = Heatmap(
        tuple(titles.values()), tuple(level.aspect.title for level in levels), values, -1.0, 1.0, 0.0,
        y_title=Phrase("Metric or judge"), x_title=Phrase("Question"), title=Phrase("Spearman’s ρ"),
    )  # fmt: skip
    title = Phrase("Metrics and people: every question")
    return Figure(
        "metrics-questions", title, Table(columns, rows), picture, (Phrase("Spearman’s ρ of systems."), _MEANS, _TRUE)
    )


def _responses(panel: Panel, level: _Level) -> Figure:
    columns = (
        Column("predictor", Phrase("Metric or judge")),
        Column("spearman", Phrase("Spearman’s ρ"), "coefficient"),
        Column("pearson", Phrase("Pearson’s r"), "coefficient"),
    )
    own = [one for one in level.predictors if not one.is_whole]
    key, title = (
        "metrics-responses",
        Phrase("Metrics and people: responses, by %(question)s", question=panel.main.title),
    )
    if not own:
        return Figure(key, title, instead=Phrase("All metrics are of systems as a whole."))
    linear = len(level.people) * RESAMPLES * len(own) > _MOST_CELLS
    rows, rhos, people = [], [], _known(level.people)
    for one in own:
        said = _known(one.values)
        taken = linear_spearman if linear else correlation
        rho = taken(people, said, bootstrap=_bootstrap(level))
        rows.append((one.title, rho, correlation(people, said, kind="pearson", bootstrap=_bootstrap(level))))
        rhos.append(rho)
    notes = [Phrase("Each response counts once, with the mean of its ratings; intervals are over items.")]
    if linear:
        notes.append(
            Phrase("There are too many responses to rank them in every resample: ρ is resampled in its linear form.")
        )
    picture = Dots(tuple(one.title for one in own), {Phrase("Spearman’s ρ"): rhos}, mark=0.0)
    return Figure(key, title, Table(columns, tuple(rows)), picture, tuple(notes))


def _errors(level: _Level) -> Figure:
    """How far off judges' ratings are, who rate on people's own scale (AudioJudge Table 10)."""
    key, title = "judges-errors", Phrase("How far off judges are: %(question)s", question=level.aspect.title)
    judges = [one for one in level.predictors if one.key.startswith(JUDGED)]
    if not judges:
        return Figure(key, title, instead=Phrase("No judge has rated these responses on people’s scale."))
    columns = (
        Column("judge", Phrase("Judge")),
        Column("squared_error", Phrase("Mean squared error"), "number"),
        Column("absolute_error", Phrase("Mean absolute error"), "number"),
        Column("bias", Phrase("Higher than people by"), "number"),
        Column("alpha", alpha_title("interval"), "coefficient"),
    )
    off = {one.title: one.values - level.people for one in judges}
    bias = {name: _mean(it, level.items) for name, it in off.items()}
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (name, _mean(it**2, level.items), _mean(np.abs(it), level.items), bias[name], _alpha(level, it))
        for name, it in off.items()
    )
    picture = Dots(tuple(off), {Phrase("Higher than people by"): list(bias.values())}, form="number", mark=0.0)
    note = Phrase(
        "A judge’s rating less the mean of people’s, of each response; intervals are over items. α takes both as "
        "two raters: 1 is the same rating everywhere, and below 0 is worse than ratings drawn by lot."
    )
    return Figure(key, title, Table(columns, rows), picture, (note,))


def _alpha(level: _Level, off: Floats) -> Estimate:
    """Of a judge and the mean of people."""
    return interval_alpha(_known(level.people + off), _known(level.people), bootstrap=_bootstrap(level))


def _mean(values: Floats, items: Ints) -> Estimate:
    return cluster_mean(_known(values), items.tolist())


def _top(panel: Panel, levels: list[_Level]) -> Figure:
    """The metrics with the largest mean |ρ| over questions, by category and by where raters came from (Table 12)."""
    columns = (
        Column("domain", Phrase("Items and raters")),
        Column("rank", Phrase("Rank"), "count"),
        Column("predictor", Phrase("Metric or judge")),
        Column("mean_rho", Phrase("Mean |ρ|"), "coefficient"),
        Column("questions", Phrase("Questions"), "count"),
    )
    rows: list[tuple[Cell, ...]] = []
    for category in ("", *panel.categories):
        rows += _ranked(category or Phrase("All items"), levels, panel.in_category(category))
    for title, group in panel.sources.items():
        theirs = [_Level(panel, aspect, group) for aspect in panel.aspects]
        rows += _ranked(title, theirs, panel.in_category(""))
    if not rows:
        why = Phrase("Ranks of systems need three systems that people rated and a metric or a judge distinguishes.")
        return Figure("top-metrics", Phrase("Metrics that go with people best"), instead=why)
    notes = (
        Phrase("Spearman’s ρ of systems, its size averaged over the questions (COMPASS Table 12)."),
        Phrase("The best of many metrics looks better than it is: choose on other items than you report on."),
    )
    return Figure("top-metrics", Phrase("Metrics that go with people best"), Table(columns, tuple(rows)), notes=notes)


def _ranked(title: str, levels: list[_Level], kept: Bools) -> Iterator[tuple[Cell, ...]]:
    sizes: dict[str, list[float]] = {}
    titles: dict[str, str] = {}
    for level in levels:
        for one in level.predictors:
            rho = level.point(one, kept)
            titles[one.key] = one.title
            if rho is not None:
                sizes.setdefault(one.key, []).append(abs(rho))
    best = sorted(sizes, key=lambda key: (-round(float(np.mean(sizes[key])), 12), list(titles).index(key)))
    for rank, key in enumerate(best[:TOP], 1):
        yield title, rank, titles[key], float(np.mean(sizes[key])), len(sizes[key])


def _metrics(panel: Panel, aspect: Aspect) -> Iterator[Predictor]:
    places = panel.places(aspect)
    responses = [response_at(panel.frame, place) for place in places]
    whole = not panel.source.settings.reading.category
    for column in panel.metrics.columns:
        of_responses = panel.metrics.of_responses.get(column, {})
        values = np.array([_value(of_responses, response) for response in responses], dtype=np.float64)
        title, axis = panel.metric_titles[column], phrased(str(column.metric.axis))
        key = f"{column.metric.name} {column.version} {column.source}"
        if not np.isnan(values).all():
            yield Predictor(key, title, axis, values)
        elif whole and (of_systems := panel.metrics.of_systems.get(column)):
            yield Predictor(key, title, axis, _by_system(panel, of_systems), is_whole=True)


def _likelihoods(panel: Panel) -> Iterator[Predictor]:
    """Of models that are systems here: how often they found the right one of two likelier (SLM perplexity §5.3)."""
    if panel.source.settings.reading.category:
        return
    kinds, rows = likelihood_table(panel.source.campaign.dataset, delta=DELTA)
    for place, kind in enumerate(kinds):
        right: dict[str, list[tuple[float, int]]] = {}
        for model, _category, cells in rows:
            cell = cells[place]
            if cell.estimate is not None:
                right.setdefault(model, []).append((cell.estimate, cell.n))
        shares = {model: sum(share for share, _ in found) / len(found) for model, found in right.items()}
        values = _by_system(panel, shares)
        if not np.isnan(values).all():
            title = Phrase("Pairs preferred rightly, %(kind)s likelihood", kind=kind)
            yield Predictor(f"likelihood {kind}", title, Phrase("Likelihood"), values, is_whole=True)


def _judges(panel: Panel, aspect: Aspect) -> Iterator[Predictor]:
    places, categories = panel.places(aspect), panel.source.arrays.categories(aspect)
    known = [aspect.scale.kind.number(category) for category in categories]
    numbers = np.array([np.nan if it is None else it for it in (*known, None)])
    for run in panel.source.arrays.runs:
        values = numbers[answers_of(run, aspect.name, places, categories).codes]
        if not np.isnan(values).all():
            yield Predictor(f"{JUDGED}{run.run.pk}", _of_run(run), Phrase("The judge"), values)


def _of_run(run: JudgeRun) -> str:
    return f"{run.run.judge.title} ({run.run.pk})"


def _by_system(panel: Panel, values: Mapping[str, float]) -> Floats:
    shown = {panel.source.names[name]: value for name, value in values.items() if name in panel.source.names}
    return np.array([shown.get(name, np.nan) for name in panel.frame.systems], dtype=np.float64)


def _value(values: Mapping[int, float], response: int | None) -> float:
    return np.nan if response is None else values.get(response, np.nan)


def _system_means(values: Floats, systems: Ints, kept: Bools, n: int) -> Floats:
    there = kept & ~np.isnan(values)
    return _means(systems[there], values[there], n)


def _means(groups: Ints, values: Floats, n: int) -> Floats:
    total = np.bincount(groups, weights=values, minlength=n).astype(np.float64)
    return ratio(total, np.bincount(groups, minlength=n).astype(np.float64))


def _known(values: Floats) -> list[float | None]:
    return [None if missing else value for value, missing in zip(values.tolist(), np.isnan(values), strict=True)]


def _bootstrap(level: _Level) -> Bootstrap:
    return Bootstrap(np.random.default_rng(SEED), resamples=RESAMPLES, clusters=level.items)


def _reliable(rho: Estimate) -> str:
    end = rho.interval
    return Phrase("yes") if end and (end.low > 0.5 or end.high < -0.5) else Phrase("no")
