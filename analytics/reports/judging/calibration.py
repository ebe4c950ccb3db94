"""Whether a judge that is of two minds is so where people are, too: shares of its samples beside shares of people."""

from dataclasses import dataclass

import numpy as np

from analytics.data.label_arrays import JudgeRun, table_of
from analytics.judged.sides import Side
from analytics.reports.judging.panel import Panel
from analytics.reports.output.figures import Cell, Column, Curve, Curves, Figure, Table
from infrastructure.wording.phrases import Phrase
from stats.arrays import Floats, Ints
from stats.results import Estimate
from stats.systems.means import cluster_mean

BINS = 10
COLUMNS = (
    Column("judge", Phrase("Judge")),
    Column("low", Phrase("Share of its samples, from"), "share"),
    Column("high", Phrase("to"), "share"),
    Column("confidence", Phrase("Their mean share"), "share"),
    Column("people", Phrase("Share of people"), "share"),
)
NOTE = Phrase(
    "Each label of each unit is one case: the share of the judge’s samples, in every order, that gave it, beside the "
    "share of people who did. On the diagonal a judge is as sure as people agree. Intervals are over units."
)


@dataclass(frozen=True, eq=False)
class _Cases:
    """Shares of a label among a judge's samples and among people, and the unit of each case."""

    judge: Floats
    people: Floats
    units: Ints


def calibration(panel: Panel) -> Figure:
    side = panel.side
    key, title = "calibration", Phrase("As sure as people agree? %(aspect)s", aspect=side.title if side else "")
    runs = [run for run in panel.runs if len(run.said) > 1]
    if side is None or not runs:
        why = Phrase("No judge was asked more than once about each unit: start a run with several samples.")
        return Figure(key, title, instead=why)
    rows: list[tuple[Cell, ...]] = []
    curves = []
    for run in runs:
        found = _bins(_cases(side, run))
        rows += [(panel.link(run), *edges, mean, people) for edges, mean, people in found]
        if found:
            curves.append(_curve(panel.names[run.run.pk], found))
    axes = Phrase("Share of the judge’s samples"), Phrase("Share of people")
    picture = Curves(tuple(curves), *axes, diagonal=True, x_form="share", y_form="share")
    return Figure(key, title, Table(COLUMNS, tuple(rows)), picture, (NOTE,))


def _cases(side: Side, run: JudgeRun) -> _Cases:
    """Only labels that the judge gave to a unit in at least one sample are cases."""
    said = table_of([it.get(side.aspect, {}) for it in run.said.values()], side.places, side.categories)
    judge, people = (side.labels(table.codes).counts() for table in (said, side.people))
    used = (judge.sum(axis=1) > 0) & (people.sum(axis=1) > 0) & ~side.to_do(run)
    judge, people, units = judge[used], people[used], side.units[used]
    named = judge > 0
    shares = [counts / counts.sum(axis=1, keepdims=True) for counts in (judge, people)]
    where = np.broadcast_to(units[:, np.newaxis], named.shape)
    return _Cases(shares[0][named], shares[1][named], where[named])


def _bins(cases: _Cases) -> list[tuple[tuple[float, float], float, Estimate]]:
    at = np.minimum((cases.judge * BINS).astype(np.int64), BINS - 1)
    found = []
    for place in np.unique(at).tolist():
        there = at == place
        people = cluster_mean(
            cases.people[there].tolist(), cases.units[there].tolist(), method="mean share of people"
        )
        found.append(((place / BINS, (place + 1) / BINS), float(cases.judge[there].mean()), people))
    return found


def _curve(name: str, found: list[tuple[tuple[float, float], float, Estimate]]) -> Curve:
    x = tuple(mean for _, mean, _ in found)
    y = tuple(people.estimate or 0.0 for *_, people in found)
    ends = [people.interval for *_, people in found]
    if any(end is None for end in ends):
        return Curve(name, x, y)
    return Curve(name, x, y, tuple(end.low for end in ends if end), tuple(end.high for end in ends if end))
