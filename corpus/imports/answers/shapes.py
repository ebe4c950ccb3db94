"""Shapes of others that hold answers, as rows of a table of answers: LMArena's battles, and preference pairs.

What a shape does not say stays empty, and is asked for by whoever reads the row.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from corpus.imports import reasons
from corpus.imports.files.rows import Row
from corpus.tidy.rows import JUDGE_COLUMNS
from infrastructure.wording.reasons import Reason

#: In a battle, `model_a` is who was heard first.
_FIRST = ("model_a", "model_b")
_WINNERS = {"tie": "tie", "tie (bothbad)": "both_bad", "both_bad": "both_bad"}
#: Which judge a row is of, where it is of one.
_OF_JUDGES = tuple(name for name in JUDGE_COLUMNS if name not in ("status", "reasoning"))


@dataclass(frozen=True)
class Shape:
    """`lost` is what an answer has and this shape does not, for whoever brings it in."""

    columns: frozenset[str]
    lost: Reason
    read: Callable[[Row], dict[str, Any]]


def shape_of(columns: Collection[str]) -> Shape | None:
    return next((shape for shape in (BATTLES, PREFERENCES) if shape.columns <= set(columns)), None)


def as_answers(rows: Iterable[tuple[int, Row]]) -> Iterator[tuple[int, Row]]:
    """Rows of such a shape as those of a table of answers; others as they are."""
    for number, row in rows:
        shape = shape_of(row)
        yield number, shape.read(row) if shape else row
        if shape is BATTLES:
            yield from ((number, verdict) for verdict in _unread(row))


def _of_battle(row: Row) -> dict[str, Any]:
    order = str(row.get("order") or "ab")
    systems = dict(zip(order, (row.get(name) for name in _FIRST), strict=False))
    takes = dict(zip(order, (row.get("response_a"), row.get("response_b")), strict=False))
    judged = row.get("rater") == "judge"
    return _whose(row, judge=row.get("judge") if judged else "") | _sides(systems, takes) | {
        "unit": row.get("unit"), "item": row.get("question_id"), "category": row.get("category"),
        "annotator": "" if judged else row.get("judge"), "order": order, "aspect": row.get("aspect") or "overall",
        "value": row.get("value") or _won(str(row.get("winner")), order), "recorded_at": _time(row.get("tstamp")),
        "language": row.get("language"), "propensity": row.get("propensity"),
        "excluded": row.get("left_out_because") or "",
        "excluded_by": row.get("left_out_by"),
    }  # fmt: skip


def _unread(row: Row) -> Iterator[Row]:
    """The verdicts of this row's run that are no battles; what names no unit is none of ours, and is passed over."""
    rows = row.get("unread")
    for verdict in rows if isinstance(rows, list) else ():
        if isinstance(verdict, dict) and verdict.get("unit"):
            told = {name: verdict.get(name) for name in ("unit", "order", "sample", "status")}
            yield _whose(row, judge=row.get("judge")) | {"aspect": row.get("aspect"), "value": ""} | told


def _of_preference(row: Row) -> dict[str, Any]:
    value = str(row.get("value") or "")
    of_a, of_b = ("chosen", "rejected") if value == "a" or value.startswith("-") else ("rejected", "chosen")
    systems, takes = ({"a": row.get(f"{of_a}_{it}"), "b": row.get(f"{of_b}_{it}")} for it in ("system", "take"))
    told = ("unit", "item", "category", "annotator", "order", "aspect", "propensity")
    return _whose(row, judge=row.get("judge")) | _sides(systems, takes) | {
        "value": value, "excluded": row.get("left_out_because") or "", "excluded_by": row.get("left_out_by"),
    } | {name: row.get(name) for name in told}  # fmt: skip


def _whose(row: Row, *, judge: object) -> dict[str, Any]:
    return {name: row.get(name) for name in _OF_JUDGES} | {"judge": judge or ""}


def _sides(systems: dict[str, Any], takes: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "pair", "systems": {slot: systems[slot] for slot in sorted(systems)},
        "responses": {slot: takes[slot] for slot in sorted(takes)} if all(takes.values()) else None,
    }  # fmt: skip


def _won(winner: str, order: str) -> str:
    """In the stored frame; what is no outcome stays as it is, and is refused."""
    return order[_FIRST.index(winner) :][:1] if winner in _FIRST else _WINNERS.get(winner, "")


def _time(stamp: object) -> datetime | None:
    """Nothing where it is no moment that there is."""
    try:
        return datetime.fromtimestamp(stamp, UTC) if isinstance(stamp, int | float) else None
    except (OverflowError, ValueError, OSError):
        return None


BATTLES = Shape(
    frozenset({"model_a", "model_b", "winner", "judge"}),
    reasons.BATTLES_LACK(),
    _of_battle,
)
PREFERENCES = Shape(
    frozenset({"prompt", "chosen", "rejected"}),
    reasons.PREFERENCES_LACK(),
    _of_preference,
)
