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
    "campaign", "protocol", "protocol_digest", "unit", "kind", "item", "category", "system_a", "system_b", "systems",
    "responses", "annotator", "order", "aspect", "slot", "system", "value", "acceptable_a", "acceptable_b",
    "confidence", "flag", "marks", "shown_at", "recorded_at", "seconds", "revision", "coverage", "plays", "played_s",
    "switches", "hidden_s", "language",
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

    `system` is whose response an answer is about where it is about one. As JSON: `systems` and `responses` have
    every system's name and the key of its take by slot, `marks` the defects, `coverage` and `plays` the share heard
    and the number of plays by `slot-turn` (`prompt-turn` for the prompt).
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
        "model_a": unit.a.system.name,
        "model_b": unit.b.system.name,
        "audio1_path": _path(unit.a),
        "audio2_path": _path(unit.b),
        "label": {label.aspect: shown_value(label.value, "ab", "response") for label in row.labels},
        "instruction_id": _number(unit.item.key),
    }
    record |= unit.source
    return record | ({"annotator": row.rater} if row.rater else {})


def _tidy_cells(row: LabelledUnit, label: Labelled) -> tuple[object, ...]:
    unit, item = row.unit, row.unit.item
    systems = {slot: response.system.name for slot, response in row.responses.items()}
    takes = {slot: response.key for slot, response in row.responses.items()}
    return (
        unit.key, unit.kind, item.key, item.category, systems.get("a"), systems.get("b"), _json(systems),
        _json(takes), row.rater, row.order, label.aspect, label.slot, systems.get(label.slot), label.value,
        label.acceptable_a, label.acceptable_b, row.confidence, row.flag, _json(row.marks), *_times(row),
        row.revision, *_heard(row), row.language,
    )  # fmt: skip


def _times(row: LabelledUnit) -> tuple[str | None, str | None, float | None]:
    if row.shown_at is None or row.recorded_at is None:
        return None, None, None
    seconds = round((row.recorded_at - row.shown_at).total_seconds(), 3)
    return row.shown_at.isoformat(), row.recorded_at.isoformat(), seconds


def _heard(row: LabelledUnit) -> tuple[object, ...]:
    clips = row.listening.get("clips", {})
    coverage = {clip: known["coverage"] for clip, known in clips.items()}
    plays = {clip: known["plays"] for clip, known in clips.items()}
    return (
        _json(coverage), _json(plays), row.listening.get("played_s"), row.listening.get("switches"),
        row.listening.get("hidden_s"),
    )  # fmt: skip


def _json(value: object) -> str | None:
    """Compact JSON; an empty cell for nothing."""
    return json.dumps(value, ensure_ascii=False) if value else None


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
