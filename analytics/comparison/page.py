"""A comparison as its page draws it and as its files have it."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from analytics.data.label_words import label_words
from analytics.judged.comparison import Comparison, RaterRow, by_kappa
from analytics.judged.counting import AS_USUAL, Counting
from analytics.judged.differences import Difference
from analytics.judged.sides import RESAMPLES, SEED, Baselines, Measured
from analytics.reports.output.figures import Column, Dots, Figure, Table
from charts.axes import Axis
from charts.marks import Mark, dot, dot_axis
from infrastructure.files.csv_files import csv_line
from infrastructure.wording.phrases import Phrase
from protocols import Aspect
from stats.agreement.bands import landis_koch
from stats.proportions import proportion
from stats.results import Estimate

_KAPPA = Phrase("Cohen’s κ")
_EVERY_LOOK = Phrase("Cohen’s κ, 0 is chance; intervals hold at every look")
_ONE_LOOK = Phrase("Cohen’s κ, 0 is chance; intervals are for one look")
_INCONSISTENT = "answers that changed with the order"
#: The kinds of rows about one rater.
SINGLE = ("rater", "labels")
#: κ from here to 1 is drawn, and from a lower tenth where an interval reaches further.
LOWEST = -0.2
FILE_COLUMNS = (
    "aspect", "kind", "rater", "run", "state", "n", "kappa", "kappa_low", "kappa_high", "kappa_reason", "accuracy",
    "accuracy_low", "accuracy_high", "above_most_frequent", "above_low", "above_high", "missing", "to_do",
    "cancelled", "inconsistent", "both_orders", "ties_merged", "usd_per_1000", "seconds_per_1000", "refused",
    "intervals", "kappa_planned_low", "kappa_planned_high", "accuracy_planned_low", "accuracy_planned_high",
    "above_planned_low", "above_planned_high", "other", "other_run", "closer",
)  # fmt: skip


@dataclass(frozen=True)
class ShownRow:
    """One row of the table of one aspect; without `found` it is refused, and `row.refused` says why."""

    row: RaterRow
    found: Measured | None
    dot: Mark | None
    band: str
    inconsistent: Estimate | None


def axis_of(comparison: Comparison, aspect: str) -> Axis:
    """The scale of the drawing, which holds every interval."""
    found = [row.by_aspect[aspect].kappa for row in comparison.rows if not row.refused]
    ends = [end for it in found for end in (it.estimate, it.interval.low if it.interval else None) if end is not None]
    return dot_axis(min(LOWEST, math.floor(10 * min(ends, default=LOWEST)) / 10), 1)


def shown_rows(comparison: Comparison, aspect: str, axis: Axis) -> list[ShownRow]:
    return [_shown(row, None if row.refused else row.by_aspect[aspect], axis) for row in ordered(comparison, aspect)]


def ordered(comparison: Comparison, aspect: str) -> list[RaterRow]:
    """By κ, the highest first; single raters below what is said of groups and judges."""
    return sorted(by_kappa(comparison.rows, aspect), key=lambda row: row.kind in SINGLE)


def baseline_words(comparison: Comparison, aspect: Aspect) -> str:
    """The most frequent label of the reference, in the words of the protocol."""
    found = comparison.baselines.get(aspect.name)
    return label_words(aspect.scale, found.label) if found and found.label else ""


def row_name(row: RaterRow) -> str:
    """Who this is, in words."""
    if row.kind == "humans":
        if row.title:
            return Phrase("%(name)s, each against the others", name=row.title)
        return Phrase("People, each against the others")
    if row.kind == "people":
        return Phrase("The campaign’s people together")
    return Phrase("%(name)s, together", name=row.title) if row.kind == "set" else row.title


def picture_of(comparison: Comparison, aspect: Aspect) -> Figure | None:
    """κ of everybody who has figures, to be drawn. None where there is no κ."""
    rows = [row for row in ordered(comparison, aspect.name) if not row.refused]
    found = [row.by_aspect[aspect.name].kappa for row in rows]
    if not any(it.estimate is not None for it in found):
        return None
    columns = (Column("who", Phrase("Who")), Column("kappa", _KAPPA, "coefficient"))
    who = tuple(map(row_name, rows))
    picture = Dots(who, {_KAPPA: found}, mark=0.0, x_title=_EVERY_LOOK if comparison.looks.every else _ONE_LOOK)
    title = Phrase("Judges against people")
    return Figure("comparison", title, Table(columns, tuple(zip(who, found, strict=True))), picture)


def matrix(comparison: Comparison, aspect: str) -> list[tuple[RaterRow, list[Measured | None]]]:
    """κ of every row by aspect, in the order of the aspects; rows by κ of one of them."""
    return [
        (row, [None if row.refused else row.by_aspect[name] for name in comparison.aspects])
        for row in ordered(comparison, aspect)
    ]


def csv_lines(comparison: Comparison) -> Iterator[str]:
    """One line per aspect and rater; baselines of the aspect come first."""
    yield csv_line(FILE_COLUMNS)
    for record in records(comparison):
        yield csv_line([record.get(column, "") for column in FILE_COLUMNS])


def json_text(comparison: Comparison, *, campaign: str, reference: str, counting: Counting = AS_USUAL) -> str:
    """Everything with how it was taken."""
    looks = comparison.looks
    document = {
        "campaign": campaign,
        "reference": reference,
        "counting": {name: value for name, value in asdict(counting).items() if value},
        "units": comparison.n_units,
        "resamples": RESAMPLES,
        "seed": SEED,
        "intervals": looks.name,
        "over_people": comparison.over_people,
        "planned_size_reached": looks.planned,
        "rows": list(records(comparison)),
    }
    return json.dumps(document, ensure_ascii=False, indent=1)


def records(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for aspect in comparison.aspects:
        yield from _baselines(aspect, comparison.baselines.get(aspect))
        for row in comparison.rows:
            yield _record(aspect, row) | {"intervals": comparison.looks.name}
        for found in comparison.differences.get(aspect, ()):
            yield _difference(aspect, found) | {"intervals": comparison.looks.name}


def _shown(row: RaterRow, found: Measured | None, axis: Axis) -> ShownRow:
    if found is None:
        return ShownRow(row, None, None, "", None)
    value, ends = found.kappa.estimate, found.kappa.interval
    shown = dot(axis, value, ends.low if ends else None, ends.high if ends else None, reference=0.0)
    share = proportion(found.inconsistent, found.both, method=_INCONSISTENT) if found.both else None
    return ShownRow(row, found, shown, "" if value is None else landis_koch(value), share)


def _baselines(aspect: str, found: Baselines | None) -> Iterator[dict[str, Any]]:
    if found is None:
        return
    for kind, rater, estimate in (("baseline", "random", found.random), ("baseline", found.label, found.majority)):
        yield {"aspect": aspect, "kind": kind, "rater": rater} | _figures("accuracy", estimate) | {"n": estimate.n}


def _record(aspect: str, row: RaterRow) -> dict[str, Any]:
    said: dict[str, Any] = {
        "aspect": aspect,
        "kind": row.kind,
        "rater": row.title,
        "run": row.run or "",
        "state": row.state,
    }
    said |= {"usd_per_1000": _plain(row.usd_per_1000), "seconds_per_1000": _plain(row.seconds_per_1000)}
    if row.refused:
        return said | {"refused": row.refused}
    found = row.by_aspect[aspect]
    return (
        said
        | {"n": found.accuracy.n, "kappa_reason": found.kappa.reason}
        | _figures("kappa", found.kappa)
        | _figures("accuracy", found.accuracy)
        | _figures("above", found.gain, value="above_most_frequent")
        | {
            "missing": "; ".join(f"{why} {n}" for why, n in found.missing),
            "to_do": found.to_do,
            "cancelled": found.cancelled,
            "inconsistent": found.inconsistent,
            "both_orders": found.both,
            "ties_merged": found.ties_merged,
        }
        | (_planned(found.planned) if found.planned else {})
    )


def _planned(found: Measured) -> dict[str, Any]:
    """The ends of intervals for one look at the planned size."""
    figures = (("kappa", found.kappa), ("accuracy", found.accuracy), ("above", found.gain))
    return {name: end for of, estimate in figures for name, end in _ends(f"{of}_planned", estimate).items()}


def _difference(aspect: str, found: Difference) -> dict[str, Any]:
    """How much higher one judge's κ is than another's."""
    closer = found.closer
    return (
        {"aspect": aspect, "kind": "difference", "rater": found.one.title, "run": found.one.run}
        | {"other": found.other.title, "other_run": found.other.run, "closer": closer.run if closer else ""}
        | {"n": found.kappa.n, "kappa_reason": found.kappa.reason}
        | _figures("kappa", found.kappa)
        | (_ends("kappa_planned", found.planned) if found.planned else {})
    )


def _figures(name: str, found: Estimate, *, value: str = "") -> dict[str, Any]:
    return {value or name: _plain(found.estimate)} | _ends(name, found)


def _ends(name: str, found: Estimate) -> dict[str, Any]:
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return {f"{name}_low": _plain(low), f"{name}_high": _plain(high)}


def _plain(number: float | None) -> float | str:
    return "" if number is None else round(number, 6)
