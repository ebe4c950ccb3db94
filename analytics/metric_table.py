"""Scores of metrics as a table, systems by metrics; and how often likelihoods preferred the right one of two."""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace

from analytics.stats.intervals import proportion
from analytics.stats.means import cluster_mean
from analytics.stats.results import Estimate, left_out
from campaigns.models import Dataset
from judges.likelihood.pairs import likelihoods, preferred
from judges.likelihood_tables import pairs_of
from judges.metrics.contract import Metric
from judges.metrics.registry import METRICS
from judges.models import MetricScore

OF_SYSTEM = "over all responses at once"
OF_RESPONSES = "mean over responses"
CSV_COLUMNS = (
    "system", "metric", "title", "source", "version", "direction", "method", "value", "n", "n_without_value", "low",
    "high", "level", "interval", "reason",
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
    reasons: dict[tuple[str, Column], Counter[str]] = defaultdict(Counter)
    of_systems: dict[tuple[str, Column], Estimate] = {}
    held = MetricScore.objects.filter(system__dataset=dataset, metric__in=METRICS).values_list(
        "system__name", "metric", "version", "source", "response__item", "value", "reason", "n"
    )
    for system, name, version, source, item, value, reason, n in held.iterator():
        column = Column(METRICS[name], version, source)
        if not item:
            of_systems[system, column] = Estimate(value, n, OF_SYSTEM, reason=reason)
        else:
            scores[system, column].append((value, item))
            reasons[system, column].update([reason] if reason else [])
    order = list(METRICS)
    found = {column for _, column in [*scores, *of_systems]}
    columns = sorted(found, key=lambda one: (order.index(one.metric.name), one.source, one.version))
    cells = {key: of_systems.get(key) or _mean(scores[key], reasons[key]) for key in {*scores, *of_systems}}
    for key, estimate in of_systems.items():  # how many responses it could not use
        if key[1].source == MetricScore.Source.COMPUTED:
            cells[key] = _with_left_out(estimate, len(scores.get(key, [])))
    systems = dataset.systems.order_by("name").values_list("name", flat=True)
    return MetricTable(columns, [(name, [cells.get((name, column)) for column in columns]) for name in systems])


def metric_lines(dataset: Dataset) -> Iterator[str]:
    """The table as CSV, a line per system and column, with everything that the page rounds or leaves out."""
    yield _line(CSV_COLUMNS)
    table = metric_table(dataset)
    for system, cells in table.rows:
        for column, cell in zip(table.columns, cells, strict=True):
            if cell is None:
                continue
            end = cell.interval
            yield _line((
                system, column.metric.name, column.metric.title, column.source, column.version,
                column.metric.direction, cell.method, _number(cell.estimate), cell.n,
                sum(part.n for part in cell.excluded), _number(end.low if end else None),
                _number(end.high if end else None), _number(end.level if end else None), end.method if end else "",
                cell.reason,
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
            reason = next(iter(found.undefined), "nothing to count")
            share = proportion(found.right, found.n, method=f"{name} NLL", reason=reason)
            excluded = left_out(*((n, why) for why, n in found.undefined.items()))
            cells.append(Estimate(share.estimate, share.n, share.method, share.interval, excluded, share.reason))
        rows.append((model, category, cells))
    return list(kinds), rows


def _mean(scores: list[tuple[float | None, object]], reasons: Counter[str]) -> Estimate:
    """Where no response has a value, the most frequent reason for that."""
    found = cluster_mean([value for value, _ in scores], [item for _, item in scores], method=OF_RESPONSES)
    return found if found.estimate is not None else replace(found, reason=reasons.most_common(1)[0][0])


def _with_left_out(estimate: Estimate, n_responses: int) -> Estimate:
    missing = max(0, n_responses - estimate.n)
    return Estimate(
        estimate.estimate, estimate.n, estimate.method, excluded=left_out((missing, "inputs missing")),
        reason=estimate.reason,
    )  # fmt: skip


def _number(value: float | None) -> str:
    return "" if value is None else repr(float(value))


def _line(cells: tuple[object, ...]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()
