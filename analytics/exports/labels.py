"""Labels out: the TRACE release's JSON Lines, and tidy CSV with one row per answer."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from analytics.data.labels import LabelledUnit
from annotation.blinding import shown_value
from campaigns.models import Response
from campaigns.tidy.rows import TIDY_COLUMNS, Given, Origin, TidyAnswer, TidyRow, TidyUnit
from campaigns.tidy.writing import header_line, line_of

__all__ = ["TIDY_COLUMNS", "tidy_lines", "trace_lines"]


def trace_lines(labelled: Iterable[LabelledUnit]) -> Iterator[str]:
    """One JSON object per line in the TRACE release's shape, where `1` is model_a and `2` is model_b.

    `category` stands where the item has one, `annotator` where the label set has raters, and `excluded`, with the
    reason, where the labels are left out of the analysis; `index` and `instruction_id` are numbers where
    the keys are. Only pairs have this shape: units of another kind raise ValueError.
    """
    for row in labelled:
        yield json.dumps(trace_record(row), ensure_ascii=False) + "\n"


def tidy_lines(labelled: Iterable[LabelledUnit], *, campaign: str, protocol: str, digest: str) -> Iterator[str]:
    """CSV with a header. Values are in the stored frame; `order` names the slots as they were heard.

    `system` is whose response an answer is about where it is about one. As JSON: `systems` and `responses` have
    every system's name and the key of its take by slot, `marks` the defects, `coverage` and `plays` the share heard
    and the number of plays by `slot-turn` (`prompt-turn` for the prompt). The import reads it again as it was.
    """
    yield header_line()
    origin = Origin(campaign, protocol, digest)
    for row in labelled:
        unit, given = tidy_unit(row), given_of(row)
        for label in row.labels:
            yield line_of(TidyRow(origin, unit, given, TidyAnswer(**vars(label))))


def trace_record(row: LabelledUnit) -> dict[str, Any]:
    unit = row.unit
    if unit.a is None or unit.b is None:
        raise ValueError(f"unit {unit} is not a pair")
    prompts = list(unit.item.turns.all())
    record = {
        "index": _number(unit.key),
        "instruction_path": prompts[0].path if prompts else "",
        "instruction_text": "\n".join(turn.text for turn in prompts),
        "model_a": unit.a.system.name,
        "model_b": unit.b.system.name,
        "audio1_path": _path(unit.a),
        "audio2_path": _path(unit.b),
        "label": {label.aspect: shown_value(label.value, "ab", "response") for label in row.labels},
        "instruction_id": _number(unit.item.key),
    }
    record |= unit.source | ({"category": unit.item.category} if unit.item.category else {})
    record |= {"annotator": row.rater} if row.rater else {}
    return record | ({"excluded": row.excluded} if row.excluded else {})


def tidy_unit(row: LabelledUnit) -> TidyUnit:
    unit, responses = row.unit, row.responses
    return TidyUnit(
        key=unit.key,
        kind=unit.kind,
        item=unit.item.key,
        category=unit.item.category,
        systems={slot: response.system.name for slot, response in responses.items()},
        responses={slot: response.key for slot, response in responses.items()},
    )


def given_of(row: LabelledUnit) -> Given:
    return Given(
        annotator=row.rater,
        order=row.order,
        shown_at=row.shown_at,
        recorded_at=row.recorded_at,
        revision=row.revision,
        confidence=row.confidence,
        flag=row.flag,
        marks=row.marks,
        listening=row.listening,
        language=row.language,
        purpose=row.purpose,
        excluded=row.excluded,
        excluded_by=row.excluded_by,
        expected=row.expected,
        propensity=row.propensity,
    )


def _path(response: Response) -> str:
    turns = response.turns.all()
    return turns[0].path if turns else ""


def _number(key: str) -> int | str:
    """The key as the number it was imported from, where writing that number gives the key again."""
    return int(key) if key.isdecimal() and str(int(key)) == key else key
