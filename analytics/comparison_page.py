"""A comparison as its page draws it and as its files have it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from analytics.judge_comparison import RESAMPLES, SEED, Baselines, Comparison, Measured, RaterRow
from analytics.stats.bands import landis_koch
from analytics.stats.results import Estimate
from campaigns.tidy.cells import csv_line

WIDTH, EDGE = 240.0, 10.0
#: κ from here to 1 is drawn; what lies below stands at the edge.
LOWEST = -0.2
FILE_COLUMNS = (
    "aspect", "kind", "rater", "run", "state", "n", "kappa", "kappa_low", "kappa_high", "kappa_reason", "accuracy",
    "accuracy_low", "accuracy_high", "above_most_frequent", "above_low", "above_high", "missing", "to_do",
    "cancelled", "inconsistent", "both_orders", "ties_merged", "usd_per_1000", "seconds_per_1000", "refused",
)  # fmt: skip


@dataclass(frozen=True)
class Dot:
    """Where a κ and the ends of its interval stand in a drawing of WIDTH."""

    x: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class ShownRow:
    """One row of the table of one aspect; without `found` it is refused, and `row.refused` says why."""

    row: RaterRow
    found: Measured | None
    dot: Dot | None
    band: str
    inconsistent_share: float | None


def shown_rows(comparison: Comparison, aspect: str) -> list[ShownRow]:
    return [_shown(row, row.by_aspect[aspect]) for row in comparison.rows]


def zero() -> float:
    """Where chance stands in the drawing."""
    return _x(0.0)


def matrix(comparison: Comparison) -> list[tuple[RaterRow, list[Measured | None]]]:
    """κ of every row by aspect, in the order of the aspects."""
    return [
        (row, [None if row.refused else row.by_aspect[aspect] for aspect in comparison.aspects])
        for row in comparison.rows
    ]


def csv_lines(comparison: Comparison) -> Iterator[str]:
    """One line per aspect and rater; baselines of the aspect come first."""
    yield csv_line(FILE_COLUMNS)
    for record in records(comparison):
        yield csv_line([record.get(column, "") for column in FILE_COLUMNS])


def json_text(comparison: Comparison, *, campaign: str, reference: str) -> str:
    """Everything with how it was taken."""
    told = {
        "campaign": campaign,
        "reference": reference,
        "units": comparison.n_units,
        "resamples": RESAMPLES,
        "seed": SEED,
        "rows": list(records(comparison)),
    }
    return json.dumps(told, ensure_ascii=False, indent=1)


def records(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for aspect in comparison.aspects:
        yield from _baselines(aspect, comparison.baselines.get(aspect))
        for row in comparison.rows:
            yield _record(aspect, row)


def _shown(row: RaterRow, found: Measured) -> ShownRow:
    if row.refused:
        return ShownRow(row, None, None, "", None)
    value = found.kappa.estimate
    share = found.inconsistent / found.both if found.both else None
    return ShownRow(row, found, _dot(found.kappa), "" if value is None else landis_koch(value), share)


def _dot(found: Estimate) -> Dot | None:
    if found.estimate is None:
        return None
    ends = (found.interval.low, found.interval.high) if found.interval else (None, None)
    low, high = (None if end is None else _x(end) for end in ends)
    return Dot(_x(found.estimate), low, high)


def _x(kappa: float) -> float:
    share = (max(kappa, LOWEST) - LOWEST) / (1 - LOWEST)
    return round(EDGE + (WIDTH - 2 * EDGE) * share, 2)


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
    )


def _figures(name: str, found: Estimate, *, value: str = "") -> dict[str, Any]:
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return {value or name: _plain(found.estimate), f"{name}_low": _plain(low), f"{name}_high": _plain(high)}


def _plain(number: float | None) -> float | str:
    return "" if number is None else round(number, 6)
