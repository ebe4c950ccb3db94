"""Scores of metrics as a table, systems by metrics; and how often likelihoods preferred the right one of two."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from corpus.models import Dataset
from infrastructure.files.csv_files import csv_line
from infrastructure.wording.reasons import Reason
from measurements.likelihood.pairs import likelihoods, preferred
from measurements.likelihood.tables import pairs_of
from measurements.metrics.contract import Metric, own_metric
from measurements.metrics.registry import METRICS
from measurements.models import MetricScore
from stats.proportions import proportion
from stats.reasons import INPUTS_MISSING
from stats.results import Estimate, left_out
from stats.systems.means import cluster_mean

OF_SYSTEM = "over all responses at once"
OF_RESPONSES = "mean over responses"
CSV_COLUMNS = (
    "system", "metric", "title", "source", "version", "direction", "method", "value", "n", "n_without_value", "low",
    "high", "level", "interval", "reason", "reason_code",
)  # fmt: skip


@dataclass(frozen=True)
class Column:
    """A metric of one version, computed here or imported."""

    metric: Metric
    version: str
    source: str


@dataclass(frozen=True)
class MetricTable:
    """An estimate for each system (in name order) and column; None where there is no score at all."""

    columns: list[Column]
    rows: list[tuple[str, list[Estimate | None]]]


def metric_table(dataset: Dataset) -> MetricTable:
    """Means over responses with intervals over items; for metrics of whole texts, the system's own value."""
    scores: dict[tuple[str, Column], list[tuple[float | None, object]]] = defaultdict(list)
    reasons: dict[tuple[str, Column], Counter[Reason]] = defaultdict(Counter)
    of_systems: dict[tuple[str, Column], Estimate] = {}
    held = MetricScore.objects.filter(system__dataset=dataset).values_list(
        "system__name", "metric", "version", "source", "response__item", "value", "reason", "n", "made_of"
    )
    known: dict[tuple[str, str, str], Column] = {}
    for system, name, version, source, item, value, reason, n, made_of in held.iterator():
        column = known.setdefault((name, version, source), _column(name, version, source, made_of))
        if not item:
            of_systems[system, column] = Estimate(value, n, OF_SYSTEM, reason=reason)
        else:
            scores[system, column].append((value, item))
            reasons[system, column].update([reason] if reason else [])
    columns = _in_order({column for _, column in [*scores, *of_systems]})
    cells = {key: of_systems.get(key) or _mean(scores[key], reasons[key]) for key in {*scores, *of_systems}}
    for key, estimate in of_systems.items():  # how many responses it could not use
        if key[1].source == MetricScore.Source.COMPUTED:
            cells[key] = _with_left_out(estimate, len(scores.get(key, [])))
    systems = dataset.systems.order_by("name").values_list("name", flat=True)
    return MetricTable(columns, [(name, [cells.get((name, column)) for column in columns]) for name in systems])


@dataclass(frozen=True, eq=False)
class MetricValues:
    """What is known of each metric: by response, and by system where it has a value of a system as a whole."""

    columns: tuple[Column, ...]
    of_responses: Mapping[Column, Mapping[int, float]]
    of_systems: Mapping[Column, Mapping[str, float]]


def metric_values(dataset: Dataset) -> MetricValues:
    """The same scores one by one, without those that are undefined."""
    known: dict[tuple[str, str, str], Column] = {}
    of_responses: dict[Column, dict[int, float]] = {}
    of_systems: dict[Column, dict[str, float]] = {}
    held = MetricScore.objects.filter(system__dataset=dataset, value__isnull=False).order_by()
    columns = ("metric", "version", "source", "made_of", "response", "system__name", "value")
    for name, version, source, made_of, response, system, value in held.values_list(*columns).iterator():
        key = (name, version, source)
        column = known.get(key) or known.setdefault(key, _column(name, version, source, made_of))
        if response is None:
            of_systems.setdefault(column, {})[system] = value
        else:
            of_responses.setdefault(column, {})[response] = value
    return MetricValues(tuple(_in_order({*of_responses, *of_systems})), of_responses, of_systems)


def titles_of(columns: Iterable[Column]) -> dict[Column, str]:
    """Each column's title, with source and version where several have one name."""
    columns = list(columns)
    n = Counter(column.metric.name for column in columns)
    return {
        it: it.metric.title if n[it.metric.name] == 1 else f"{it.metric.title} ({it.source}, {it.version})"
        for it in columns
    }


def _column(name: str, version: str, source: str, made_of: Mapping[str, str]) -> Column:
    return Column(METRICS.get(name) or own_metric(name, made_of), version, source)


def _in_order(columns: Iterable[Column]) -> list[Column]:
    """That of the registry, then metrics of one's own by name."""
    order = {name: place for place, name in enumerate(METRICS)}
    return sorted(
        columns,
        key=lambda it: (order.get(it.metric.name, len(order)), it.metric.name, it.source, it.version),
    )


def metric_lines(dataset: Dataset) -> Iterator[str]:
    """The table as CSV, a line per system and column, with everything that the page rounds or leaves out."""
    yield csv_line(CSV_COLUMNS)
    table = metric_table(dataset)
    for system, cells in table.rows:
        for column, cell in zip(table.columns, cells, strict=True):
            if cell is None:
                continue
            end = cell.interval
            yield csv_line((
                system, column.metric.name, column.metric.title, column.source, column.version,
                column.metric.direction, cell.method, _number(cell.estimate), cell.n,
                sum(part.n for part in cell.excluded), _number(end.low if end else None),
                _number(end.high if end else None), _number(end.level if end else None), end.method if end else "",
                cell.reason, cell.reason and cell.reason.code,
            ))  # fmt: skip


def likelihood_table(dataset: Dataset, *, delta: int) -> tuple[list[str], list[tuple[str, str, list[Estimate]]]]:
    """The kinds of likelihood; and for each model and category the share of pairs whose positive is likelier."""
    kinds = likelihoods(delta)
    pairs = defaultdict(list)
    for model, category, positive, negative in pairs_of(dataset):
        pairs[model, category].append((positive, negative))
    rows = []
    for (model, category), both in sorted(pairs.items()):
        cells = []
        for name, nll in kinds.items():
            found = preferred(both, nll)
            reason = next(iter(found.undefined), None)
            share = proportion(found.right, found.n, method=f"{name} NLL", reason=reason)
            excluded = left_out(*((n, why) for why, n in found.undefined.items()))
            cells.append(Estimate(share.estimate, share.n, share.method, share.interval, excluded, share.reason))
        rows.append((model, category, cells))
    return list(kinds), rows


def _mean(scores: list[tuple[float | None, object]], reasons: Counter[Reason]) -> Estimate:
    """Where no response has a value, the most frequent reason for that."""
    found = cluster_mean([value for value, _ in scores], [item for _, item in scores], method=OF_RESPONSES)
    return found if found.estimate is not None else replace(found, reason=reasons.most_common(1)[0][0])


def _with_left_out(estimate: Estimate, n_responses: int) -> Estimate:
    missing = max(0, n_responses - estimate.n)
    return Estimate(
        estimate.estimate, estimate.n, estimate.method, excluded=left_out((missing, INPUTS_MISSING())),
        reason=estimate.reason,
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))
