"""Another evaluator's scores of systems, such as a published Elo table, beside the win rates of people and judges."""

from collections.abc import Mapping
from fractions import Fraction

from django.db.models import Count, Max, QuerySet

from analytics.reports.output.figures import Cell, Column, Figure, Table
from analytics.reports.source import Source
from infrastructure.wording.phrases import Phrase
from measurements.metrics.registry import METRICS
from measurements.models import MetricScore
from stats.systems.correlation import Coefficient, correlation

#: By system, what its rate is; None where it has none.
Rates = Mapping[str, Fraction | None]
COEFFICIENTS: tuple[Coefficient, ...] = ("spearman", "kendall", "pearson")
NOTE = Phrase(
    "Scores of whole systems that were imported with the metrics of the dataset, such as ratings on a published "
    "board, beside win rates. Of scores of which less is better the sign is turned. n counts systems that have both."
)


def evaluators_figure(source: Source, voters: Mapping[str, Rates]) -> Figure:
    """Rank agreement of every table of system scores with everybody who votes."""
    key, title = "evaluators", Phrase("Do other evaluators rank systems alike?")
    found = system_scores(source)
    if not found or not voters:
        why = Phrase("No scores of whole systems were imported: a table of system, metric, axis and value.")
        return Figure(key, title, instead=why)
    rows: list[tuple[Cell, ...]] = []
    for evaluator, scores in found.items():
        for who, rates in voters.items():
            systems = [name for name in rates if rates[name] is not None and name in scores]
            one, two = [rates[name] for name in systems], [scores[name] for name in systems]
            rows.append((evaluator, who, *(correlation(one, two, kind=kind) for kind in COEFFICIENTS)))
    columns = (
        Column("evaluator", Phrase("Evaluator")),
        Column("who", Phrase("Who")),
        Column("spearman", Phrase("Spearman’s ρ"), "coefficient"),
        Column("kendall", Phrase("Kendall’s τ-b"), "coefficient"),
        Column("pearson", Phrase("Pearson’s r"), "coefficient"),
    )
    return Figure(key, title, Table(columns, tuple(rows)), notes=(NOTE,))


def system_scores(source: Source) -> dict[str, dict[str, float]]:
    """By evaluator and system, as it may be named here; more is better."""
    rows = _rows(source).order_by("metric", "version", "pk")
    found: dict[str, dict[str, float]] = {}
    for metric, version, system, value, made_of in rows.values_list(
        "metric", "version", "system__name", "value", "made_of"
    ):
        known = METRICS.get(metric)
        name = known.title if known else metric
        less = made_of.get("direction") == "lower" if made_of else False
        told = found.setdefault(name if version in ("1", "") or known else f"{name}, {version}", {})
        if value is not None:
            told[source.names.get(system, system)] = -value if less else value
    return found


def scores_stamp(source: Source) -> tuple[object, ...]:
    return tuple(_rows(source).aggregate(Count("pk"), Max("pk")).values())


def _rows(source: Source) -> QuerySet[MetricScore]:
    imported = MetricScore.Source.IMPORTED
    return MetricScore.objects.filter(
        system__dataset=source.campaign.dataset_id, response=None, value__isnull=False, source=imported
    )
