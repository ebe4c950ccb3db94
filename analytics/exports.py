"""Labels out: the TRACE release's JSON Lines, and tidy CSV with one row per answer."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from analytics.labelled import Labelled, LabelledUnit
from annotation.blinding import shown_value
from campaigns.models import Response

TIDY_COLUMNS = (
    "campaign", "protocol", "protocol_digest", "unit", "item", "category", "system_a", "system_b", "systems",
    "annotator", "order", "aspect", "slot", "system", "value", "acceptable_a", "acceptable_b", "shown_at",
    "recorded_at", "seconds",
)  # fmt: skip


def trace_lines(labelled: Iterable[LabelledUnit]) -> Iterator[str]:
    """One JSON object per line in the TRACE release's shape, where `1` is model_a and `2` is model_b.

    `annotator` stands at the end where the label set has raters; `index` and `instruction_id` are numbers where
    the keys are. Only pairs have this shape: units of another kind raise ValueError.
    """
    for row in labelled:
        yield json.dumps(_trace_record(row), ensure_ascii=False) + "\n"


def tidy_lines(labelled: Iterable[LabelledUnit], *, campaign: str, protocol: str, digest: str) -> Iterator[str]:
    """CSV with a header. Values are in the stored frame; `order` names the slots as they were heard.

    `system` is whose response an answer is about where it is about one; `systems` has them all, by slot, as JSON.
    """
    yield _csv_line(TIDY_COLUMNS)
    for row in labelled:
        for label in row.labels:
            yield _csv_line((campaign, protocol, digest, *_tidy_cells(row, label)))


def _trace_record(row: LabelledUnit) -> dict[str, Any]:
    unit = row.unit
    if unit.a is None or unit.b is None:
        raise ValueError(f"unit {unit} is not a pair")
    prompts = unit.item.turns.all()
    record = {
        "index": _number(unit.key),
        "instruction_path": prompts[0].path,
        "instruction_text": "\n".join(turn.text for turn in prompts),
        "model_a": row.systems["a"],
        "model_b": row.systems["b"],
        "audio1_path": _path(unit.a),
        "audio2_path": _path(unit.b),
        "label": {label.aspect: shown_value(label.value, "ab", "response") for label in row.labels},
        "instruction_id": _number(unit.item.key),
    }
    record |= unit.source
    return record | ({"annotator": row.rater} if row.rater else {})


def _tidy_cells(row: LabelledUnit, label: Labelled) -> tuple[object, ...]:
    item = row.unit.item
    seconds = (row.recorded_at - row.shown_at).total_seconds() if row.recorded_at and row.shown_at else None
    return (
        row.unit.key, item.key, item.category, row.systems.get("a"), row.systems.get("b"),
        json.dumps(row.systems, ensure_ascii=False), row.rater, row.order, label.aspect, label.slot,
        row.systems.get(label.slot), label.value, label.acceptable_a, label.acceptable_b,
        row.shown_at.isoformat() if row.shown_at else None,
        row.recorded_at.isoformat() if row.recorded_at else None,
        None if seconds is None else round(seconds, 3),
    )  # fmt: skip


def _csv_line(cells: Iterable[object]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([_harmless(cell) for cell in cells])
    return line.getvalue()


def _harmless(cell: object) -> object:
    """A spreadsheet would run a cell that begins like a formula; a leading apostrophe keeps it text."""
    if not isinstance(cell, str) or re.fullmatch(r"-?\d+(\.\d+)?", cell):
        return cell
    return f"'{cell}" if cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell


def _path(response: Response) -> str:
    turns = response.turns.all()
    return turns[0].path if turns else ""


def _number(key: str) -> int | str:
    """The key as the number it was imported from, where writing that number gives the key again."""
    return int(key) if key.isdecimal() and str(int(key)) == key else key
