"""Labels out: the TRACE release's JSON Lines, and tidy CSV with one row per answer."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from analytics.data.labels import Record, responses_of
from corpus.models import Response, Unit
from corpus.tidy.rows import TIDY_COLUMNS, Origin, TidyRow, TidyUnit
from corpus.tidy.writing import header_line, line_of
from infrastructure.whole_numbers import whole_number
from protocols.kinds.frames import shown_value

__all__ = ["TIDY_COLUMNS", "tidy_lines", "trace_lines"]


def trace_lines(records: Iterable[Record]) -> Iterator[str]:
    """One JSON object per line in the TRACE release's shape, where `1` is model_a and `2` is model_b.

    `category` stands where the item has one, `annotator` where the label set has raters, and `excluded`, with the
    reason, where the labels are left out of the analysis; `index` and `instruction_id` are numbers where
    the keys are. Only pairs have this shape: units of another kind raise ValueError.
    """
    for record in records:
        yield json.dumps(trace_record(record), ensure_ascii=False) + "\n"


def tidy_lines(records: Iterable[Record], *, campaign: str, protocol: str, digest: str) -> Iterator[str]:
    """CSV with a header. Values are in the stored frame; `order` names the slots as they were heard.

    `system` is whose response an answer is about where it is about one. As JSON: `systems` and `responses` have
    every system's name and the key of its take by slot, `marks` the defects, `coverage` and `plays` the share heard
    and the number of plays by `slot-turn` (`prompt-turn` for the prompt). The import reads it again as it was.
    """
    yield header_line()
    origin = Origin(campaign, protocol, digest)
    for record in records:
        for row in tidy_rows(record, origin):
            yield line_of(row)


def tidy_rows(record: Record, origin: Origin) -> Iterator[TidyRow]:
    """A row for each answer."""
    unit = tidy_unit(record.unit)
    return (TidyRow(origin, unit, record.given, answer) for answer in record.answers)


def trace_record(record: Record) -> dict[str, Any]:
    unit, given = record.unit, record.given
    if unit.a is None or unit.b is None:
        raise ValueError(f"unit {unit} is not a pair")
    prompts = list(unit.item.turns.all())
    found = {
        "index": _number(unit.key),
        "instruction_path": prompts[0].path if prompts else "",
        "instruction_text": "\n".join(turn.text for turn in prompts),
        "model_a": unit.a.system.name,
        "model_b": unit.b.system.name,
        "audio1_path": _path(unit.a),
        "audio2_path": _path(unit.b),
        "label": {label.aspect: shown_value(label.value, "ab", "response") for label in record.answers},
        "instruction_id": _number(unit.item.key),
    }
    found |= unit.source | ({"category": unit.item.category} if unit.item.category else {})
    found |= {"annotator": given.annotator} if given.annotator else {}
    return found | ({"excluded": given.excluded} if given.excluded else {})


def tidy_unit(unit: Unit) -> TidyUnit:
    responses = responses_of(unit)
    return TidyUnit(
        key=unit.key,
        kind=unit.kind,
        item=unit.item.key,
        category=unit.item.category,
        systems={slot: response.system.name for slot, response in responses.items()},
        responses={slot: response.key for slot, response in responses.items()},
    )


def _path(response: Response) -> str:
    turns = response.turns.all()
    return turns[0].path if turns else ""


def _number(key: str) -> int | str:
    """The key as the number it was imported from, where writing that number gives the key again."""
    number = whole_number(key)
    return key if number is None or str(number) != key else number
