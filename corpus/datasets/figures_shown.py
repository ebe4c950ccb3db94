"""What a dataset's page shows of its figures: hours, how each system's responses are distributed, what to look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from charts.marks import Mark, spread, spread_axis
from corpus.figures.distributions import BY_SYSTEM, Measure
from corpus.models import Dataset, DatasetFigures, ItemWarning, System

#: A measure's title and unit, and the decimals of its values.
MEASURES: dict[str, tuple[str | Promise, str | Promise, int]] = {
    "seconds": (_("Length"), _("s"), 1),
    "lufs": (_("Loudness"), "LUFS", 1),
    "peak": (_("True peak"), "dBTP", 1),
    "silence": (_("Silence at the ends"), "%", 0),
    "inner_silence": (_("Silence inside"), "%", 0),
    "pause": (_("Longest pause"), _("s"), 2),
    "rate": (_("Rate of speech"), _("letters/s"), 1),
}
SHARES = {"silence", "inner_silence"}
#: How many items have a kind of warning, by system.
Counted = dict[str, dict[int | None, int]]


@dataclass(frozen=True)
class OutOfLine:
    """So many responses of a system that are beyond one of its limits."""

    n: int
    kind: ItemWarning.Kind


@dataclass(frozen=True)
class Spread:
    """How one measure is distributed in one system."""

    mark: Mark
    median: float
    out: list[OutOfLine]
    decimals: int
    unit: str | Promise


@dataclass(frozen=True)
class MeasureShown:
    """The head of a measure's column: what all systems are drawn from and to."""

    title: str | Promise
    unit: str | Promise
    low: float
    high: float
    decimals: int


@dataclass(frozen=True)
class SystemFigures:
    """A row of the page's table of systems. A spread is None where nothing was measured."""

    system: System
    n_responses: int
    n_with_audio: int
    hours: float
    spreads: list[Spread | None]


@dataclass(frozen=True)
class Faults:
    """How many items have one kind of warning: of the prompts (system None), and of each system, in their order."""

    kind: ItemWarning.Kind
    found: list[tuple[System | None, int]]


def systems_shown(systems: list[Any], document: dict[str, Any], counted: Counted) -> list[SystemFigures]:
    """One row for each of the systems, which have `n_responses` and `n_with_audio`."""
    found = []
    for system in systems:
        kept = document.get("systems", {}).get(str(system.pk), {})
        n_of = {kind: by_system.get(system.pk, 0) for kind, by_system in counted.items()}
        spreads = [_spread(it, kept.get("measures", {}).get(it.name), document, n_of) for it in measured(document)]
        hours = kept.get("seconds", 0) / 3600
        found.append(SystemFigures(system, system.n_responses, system.n_with_audio, hours, spreads))
    return found


def measured(document: dict[str, Any]) -> list[Measure]:
    """What was measured of any system."""
    return [measure for measure in BY_SYSTEM if measure.name in document.get("ranges", {})]


def measures_shown(document: dict[str, Any]) -> list[MeasureShown]:
    """The columns of the table of systems."""
    return [_measure_shown(it.name, *document["ranges"][it.name]) for it in measured(document)]


def _measure_shown(name: str, low: float, high: float) -> MeasureShown:
    title, unit, decimals = MEASURES[name]
    axis, times = spread_axis(low, high), 100 if name in SHARES else 1
    return MeasureShown(title, unit, times * axis.low, times * axis.high, decimals)


def document_of(dataset: Dataset) -> dict[str, Any]:
    row = DatasetFigures.objects.filter(dataset=dataset).first()
    return row.document if row else {}


def faults_shown(systems: Sequence[System], counted: Counted) -> list[Faults]:
    """The kinds of warnings that there are."""
    return [
        Faults(kind, [(it, counted[kind].get(it.pk if it else None, 0)) for it in (None, *systems)])
        for kind in ItemWarning.Kind
        if kind in counted
    ]


def _spread(
    measure: Measure, kept: dict[str, Any] | None, document: dict[str, Any], n_of: dict[str, int]
) -> Spread | None:
    if kept is None:
        return None
    low, high = document["ranges"][measure.name]
    _title, unit, decimals = MEASURES[measure.name]
    times = 100 if measure.name in SHARES else 1
    limits = [limit for limit in kept["limits"] or () if low < limit < high]
    out = [OutOfLine(n, kind) for kind in (measure.below, measure.above) if kind and (n := n_of.get(kind, 0))]
    mark = spread(spread_axis(low, high), kept["counts"], limits)
    return Spread(mark, times * kept["median"], out, decimals, unit)
