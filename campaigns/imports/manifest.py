"""From rows to a plan, in the two shapes that are understood.

Responses, one row per item, turn and system: `item, turn, category, prompt_text, prompt_audio, system,
response_text, response_audio` (and `take`, where one system answered an item several times).

Either shape may bring what protocols ask or show per item: `dimension, capability, reference_translation`, and
`criteria` with `|` between them.

Pairs, one row per pair, in the TRACE/HCoT release's names or in AudioJudge's: `index|item_id, instruction_id,
instruction_text, instruction_path|instruction_audio, model_a|system_a, model_b|system_b, audio1_path|audio_a,
audio2_path|audio_b, label` (an object by aspect) or `label_<aspect>` columns.
"""

from collections.abc import Iterator
from typing import Any

from campaigns.imports.plan import Plan, PlannedItem, PlannedLabel, PlannedTurn, PlannedUnit, ResponseKey
from campaigns.imports.rows import Row

#: our word for each column of a pair, and the names under which it comes
PAIR_COLUMNS = {
    "index": ("index", "pair", "item_id"),
    "item": ("instruction_id", "item"),
    "category": ("category",),
    "prompt_text": ("instruction_text", "prompt_text"),
    "prompt_audio": ("instruction_path", "instruction_audio", "prompt_audio"),
    "system_a": ("model_a", "system_a"),
    "system_b": ("model_b", "system_b"),
    "audio_a": ("audio1_path", "audio_a"),
    "audio_b": ("audio2_path", "audio_b"),
    "annotator": ("annotator",),
}
RESPONSE_COLUMNS = (
    "item", "system", "take", "category", "prompt_text", "prompt_audio", "response_text", "response_audio",
)  # fmt: skip
FACT_COLUMNS = ("dimension", "capability", "reference_translation")
STORED_LABELS = {"1": "a", "2": "b", "both_good": "both_good", "both_bad": "both_bad", "tie": "tie", "same": "same"}
ASPECT_NAMES = {"human": "overall"}
#: how many characters the tables hold of each cell
LONGEST = {
    "index": 200,
    "item": 200,
    "system": 200,
    "system_a": 200,
    "system_b": 200,
    "take": 500,
    "category": 100,
    "annotator": 100,
    "prompt_audio": 500,
    "response_audio": 500,
    "audio_a": 500,
    "audio_b": 500,
}
LONGEST_ASPECT = 60


def make_plan(rows: list[tuple[int, Row]], *, without_audio: bool = False) -> Plan:
    """Plan what the rows describe. What is wrong with them stands in the plan's problems, row by row."""
    plan = Plan(rows=len(rows))
    columns = {name for _, row in rows for name in row}
    if columns & {"model_a", "system_a"}:
        for number, row in rows:
            _plan_pair(plan, number, row, without_audio=without_audio)
    elif {"item", "system"} <= columns:
        for number, row in rows:
            _plan_response(plan, number, row, without_audio=without_audio)
    else:
        plan.refuse(
            None,
            "columns",
            f"These columns are not understood: {', '.join(sorted(columns))}. A manifest of responses needs item "
            "and system; a manifest of pairs needs model_a and model_b (or system_a and system_b).",
        )
    return plan


def _plan_response(plan: Plan, number: int, row: Row, *, without_audio: bool) -> None:
    cells = {name: _cell(row, name) for name in RESPONSE_COLUMNS}
    item, system = cells["item"], cells["system"]
    turn = _turn_number(plan, number, row)
    named = _named(plan, number, item=item, system=system)
    if not _fits(plan, number, cells) or not named or turn is None:
        return
    _plan_item(plan, number, item, cells["category"], row)
    _plan_prompt(plan, number, item, turn, cells, without_audio=without_audio)
    key = (item, system, cells["take"] or "1")
    turns = plan.responses.setdefault(key, {})
    if turn in turns:
        plan.refuse(number, "system", f"Duplicate: {system} already answered turn {turn} of item {item}.")
        return
    audio = cells["response_audio"]
    _require_audio(plan, number, "response_audio", audio, without_audio=without_audio)
    turns[turn] = PlannedTurn(cells["response_text"], {audio: number} if audio else {})


def _plan_pair(plan: Plan, number: int, row: Row, *, without_audio: bool) -> None:
    cells = {ours: _first(row, names) for ours, names in PAIR_COLUMNS.items()}
    key = cells["index"] or str(number)
    item = cells["item"] or key
    named = _named(plan, number, system_a=cells["system_a"], system_b=cells["system_b"])
    if not _fits(plan, number, cells) or not named:
        return
    unit = PlannedUnit(item, _pair_side(key, item, cells, "a"), _pair_side(key, item, cells, "b"), _source(row))
    repeated = plan.units.get(key)
    if unit.a == unit.b:
        plan.refuse(number, "audio_b", "Both sides of this pair are the same response.")
    elif repeated and (repeated != unit or not cells["annotator"]):
        plan.refuse(number, "index", f"Duplicate: pair {key} was already given.")
    else:
        plan.units[key] = unit
        _plan_item(plan, number, item, cells["category"], row)
        _plan_prompt(plan, number, item, 1, cells, without_audio=without_audio)
        for side in ("a", "b"):
            audio = cells[f"audio_{side}"]
            _require_audio(plan, number, f"audio_{side}", audio, without_audio=without_audio)
            response = unit.a if side == "a" else unit.b
            plan.responses.setdefault(response, {1: PlannedTurn("", {audio: number} if audio else {})})
        if _cell(row, "excluded"):
            plan.warn(number, "excluded", "These labels were left out of the analysis; they are not imported.")
        else:
            _plan_labels(plan, number, key, cells["annotator"], row)


def _pair_side(key: str, item: str, cells: dict[str, str], side: str) -> ResponseKey:
    """Takes are told apart by their path; without one, every pair has takes of its own."""
    return (item, cells[f"system_{side}"], cells[f"audio_{side}"] or f"pair {key} {side}")


def _plan_item(plan: Plan, number: int, item_key: str, category: str, row: Row) -> None:
    facts = _facts(row)
    item = plan.items.setdefault(item_key, PlannedItem(category, facts=facts))
    if item.category != category:
        plan.refuse(number, "category", f"Item {item_key} was given with category {item.category!r} before.")
    for name in sorted(item.facts.keys() | facts.keys()):
        if item.facts.get(name) != facts.get(name):
            plan.refuse(number, name, f"Item {item_key} was given with another {name} before.")


def _facts(row: Row) -> dict[str, Any]:
    """What protocols ask or show per item (MTalk-Bench's dimension and capability, a rubric's criteria)."""
    facts: dict[str, Any] = {name: cell for name in FACT_COLUMNS if (cell := _cell(row, name))}
    criteria = [text.strip() for text in _cell(row, "criteria").split("|")]
    return facts | ({"criteria": [text for text in criteria if text]} if any(criteria) else {})


def _plan_prompt(
    plan: Plan, number: int, item_key: str, turn: int, cells: dict[str, str], *, without_audio: bool
) -> None:
    item = plan.items[item_key]
    text, audio = cells["prompt_text"], cells["prompt_audio"]
    if turn not in item.turns:
        item.turns[turn] = PlannedTurn(text)
        if not text:
            note = "Empty text: the prompt's words are needed by text judges, and shown where its audio fails."
            (plan.warn if audio or without_audio else plan.refuse)(number, "prompt_text", note)
    elif item.turns[turn].text != text:
        plan.refuse(number, "prompt_text", f"Item {item_key} was given with another prompt text before.")
    if audio:
        item.turns[turn].audio.setdefault(audio, number)


def _plan_labels(plan: Plan, number: int, unit: str, rater: str, row: Row) -> None:
    for aspect, value in _labels(row):
        stored = STORED_LABELS.get(value)
        if not value:
            continue
        if not 0 < len(aspect) <= LONGEST_ASPECT:
            message = f"The aspect {aspect!r} has {len(aspect)} characters; 1 to {LONGEST_ASPECT} are kept."
            plan.refuse(number, "label", message)
        elif stored is None:
            known = ", ".join(STORED_LABELS)
            plan.refuse(number, f"label {aspect}", f"Unknown label {value!r}. Known are {known}.")
        elif (unit, rater, aspect) in plan.labels:
            plan.refuse(number, f"label {aspect}", f"Duplicate: pair {unit} already has this label.")
        else:
            plan.labels[unit, rater, aspect] = PlannedLabel(unit, rater, aspect, stored)


def _labels(row: Row) -> Iterator[tuple[str, str]]:
    """(aspect, value) for every label that the row brings, also where it brings one twice."""
    given = row.get("label")
    labels = given if isinstance(given, dict) else {"overall": given}
    for aspect in labels:
        yield aspect, _cell(labels, aspect)
    for name in row:
        if name.startswith("label_"):
            aspect = name.removeprefix("label_")
            yield ASPECT_NAMES.get(aspect, aspect), _cell(row, name)


def _source(row: Row) -> dict[str, Any]:
    """The cells that no column of ours holds, and the prompt's path, which may differ between pairs of an item."""
    kept = {name for ours, names in PAIR_COLUMNS.items() if ours != "prompt_audio" for name in names}
    kept |= {"label", "excluded"}
    return {name: value for name, value in row.items() if name not in kept and not name.startswith("label_")}


def _turn_number(plan: Plan, number: int, row: Row) -> int | None:
    text = _cell(row, "turn") or "1"
    if text.isdecimal() and len(text) <= 3 and 1 <= int(text) <= 100:
        return int(text)
    plan.refuse(number, "turn", f"Turn {text!r} is not a whole number from 1 to 100.")
    return None


def _named(plan: Plan, number: int, **names: str) -> bool:
    for field, name in names.items():
        if not name:
            plan.refuse(number, field, f"The cell {field} is empty.")
    return all(names.values())


def _fits(plan: Plan, number: int, cells: dict[str, str]) -> bool:
    too_long = [field for field, most in LONGEST.items() if len(cells.get(field, "")) > most]
    for field in too_long:
        size = len(cells[field])
        plan.refuse(number, field, f"The cell {field} has {size} characters; at most {LONGEST[field]} are kept.")
    return not too_long


def _require_audio(plan: Plan, number: int, field: str, audio: str, *, without_audio: bool) -> None:
    if not audio and not without_audio:
        plan.refuse(number, field, f"The cell {field} is empty: which file is it?")


def _first(row: Row, names: tuple[str, ...]) -> str:
    return next((cell for name in names if (cell := _cell(row, name))), "")


def _cell(row: Row, name: str) -> str:
    value = row.get(name)
    return "" if value is None else str(value).strip()
