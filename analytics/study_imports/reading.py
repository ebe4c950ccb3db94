"""From the tables of a study to plans: of its dataset, of what people said, of what judges said."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analytics.study_imports import reasons
from analytics.study_imports.files import Row, StudyFiles, keep_sound
from campaigns.rubrics.asking import Facts
from corpus.imports.answers.plan import AnswersPlan, PlannedUnit
from corpus.imports.answers.reading import plan_answers
from corpus.imports.answers.tables import open_answers_table
from corpus.imports.files.rows import UnreadableManifest
from corpus.imports.files.studies import ITEMS, JUDGEMENTS, VERDICTS
from corpus.imports.plan import Plan, PlannedItem, PlannedTurn, ResponseKey
from corpus.tidy.rows import TidyUnit
from infrastructure.background.kinds import ShowProgress
from infrastructure.wording.reasons import ReasonCode
from judges.imported.columns import UnusableColumns, find_columns
from judges.imported.plan import VerdictsPlan, plan_verdicts
from protocols import Protocol

UNPACKING = ReasonCode("unpacking_sounds", "Unpacking every sound")

LONGEST = {"unit": 500, "item": 200, "category": 100, "system": 200, "take": 500}
MOST_TURNS = 100
SLOT = re.compile("system_([a-z])")
#: Among the facts of an item, its criteria by number, as they were frozen.
NUMBERED = "numbered_criteria"


@dataclass
class StudyPlan:
    """`positions` has the study's units in the order of the campaign; `criteria` are by item and number."""

    protocol: Protocol
    about: Row
    dataset: Plan = field(default_factory=Plan)
    answers: AnswersPlan = field(default_factory=AnswersPlan)
    verdicts: VerdictsPlan | None = None
    positions: dict[str, int] = field(default_factory=dict)
    criteria: dict[str, dict[int, str]] = field(default_factory=dict)

    @property
    def study_units(self) -> list[str]:
        return sorted(self.positions, key=lambda key: self.positions[key])

    def facts(self) -> dict[str, Facts]:
        """By item, as they were asked about."""
        numbered = {key: {NUMBERED: criteria} for key, criteria in self.criteria.items()}
        return {key: item.facts | numbered.get(key, {}) for key, item in self.dataset.items.items()}


def read_study(files: StudyFiles, sounds: Path, progress: ShowProgress) -> StudyPlan:
    """Plan everything; sounds become files in `sounds`. What is wrong stands in the plans' problems."""
    plan = StudyPlan(files.protocol(), files.about())
    _read_items(plan, files, sounds, progress)
    if path := files.path(JUDGEMENTS):
        plan_answers(open_answers_table(path), progress=progress, plan=plan.answers)
    if path := files.path(VERDICTS):
        plan.verdicts = _read_verdicts(plan, path)
    return plan


def _read_items(plan: StudyPlan, files: StudyFiles, sounds: Path, progress: ShowProgress) -> None:
    sounds.mkdir(parents=True, exist_ok=True)
    reader, numbers = _ItemReader(plan, sounds), dict[str, int]()
    for number, row in enumerate(files.rows(ITEMS), start=1):
        plan.dataset.rows = number
        try:
            reader.read(number, row)
            numbers.setdefault(str(row["item"]), int(row["item_number"]))
        except (AttributeError, KeyError, TypeError, ValueError) as fault:
            raise UnreadableManifest(reasons.STUDY_ROW(row=number, file=ITEMS, why=fault)) from fault
        if number % 100 == 0:
            progress(number, number, UNPACKING())
    plan.dataset.items = {key: plan.dataset.items[key] for key in sorted(plan.dataset.items, key=numbers.__getitem__)}


@dataclass
class _ItemReader:
    """Raises KeyError, TypeError and ValueError over what no export of ours has."""

    plan: StudyPlan
    sounds: Path

    def read(self, number: int, row: Row) -> None:
        slots = sorted(found[1] for name in row if (found := SLOT.fullmatch(name)) and row[name])
        unit = TidyUnit(
            _short(row, "unit"), row["kind"], _short(row, "item"), _short(row, "category", may_be_empty=True),
            {slot: _short(row, f"system_{slot}") for slot in slots},
            {slot: _short(row, f"take_{slot}") for slot in slots},
        )  # fmt: skip
        if unit.kind != self.plan.protocol.unit or not slots:
            raise ValueError(f"unit {unit.key} is of kind {unit.kind}")
        if self.plan.answers.units.setdefault(unit.key, PlannedUnit(number, unit)).unit != unit:
            raise ValueError(f"unit {unit.key} stands twice, with other responses")
        if row["position"] is not None:
            self.plan.positions[unit.key] = int(row["position"])
        self._item(number, row, unit)
        for slot in slots:
            key = (unit.item, unit.systems[slot], unit.responses[slot])
            self._turn(number, row, self._turns_of(key), text=f"text_{slot}", sound=f"response_{slot}")

    def _item(self, number: int, row: Row, unit: TidyUnit) -> None:
        if unit.item not in self.plan.dataset.items:
            facts = json.loads(row["facts"])
            if criteria := facts.pop(NUMBERED, None):
                self.plan.criteria[unit.item] = {int(place): str(text) for place, text in criteria.items()}
            self.plan.dataset.items[unit.item] = PlannedItem(unit.category, facts=facts)
        self._turn(number, row, self.plan.dataset.items[unit.item].turns, text="prompt_text", sound="prompt")

    def _turns_of(self, key: ResponseKey) -> dict[int, PlannedTurn]:
        return self.plan.dataset.responses.setdefault(key, {})

    def _turn(self, number: int, row: Row, turns: dict[int, PlannedTurn], *, text: str, sound: str) -> None:
        """A turn that comes in several units is the same in each."""
        position = int(row["turn"])
        if not 1 <= position <= MOST_TURNS:
            raise ValueError(f"there is no turn {position}")
        if row[text] is None:
            return
        file = keep_sound(row[sound], self.sounds)
        turn = PlannedTurn(str(row[text]), {file: number} if file else {})
        there = turns.setdefault(position, turn)
        if (there.text, [*there.audio]) != (turn.text, [*turn.audio]):
            raise ValueError(f"turn {position} of item {row['item']} was given otherwise before")


def _short(row: Row, name: str, *, may_be_empty: bool = False) -> str:
    text, most = row[name], LONGEST[name.split("_", maxsplit=1)[0]]
    if not isinstance(text, str) or len(text) > most or "\0" in text or not (text or may_be_empty):
        raise ValueError(f"{name} is to be a text of at most {most} characters")
    return text


def _read_verdicts(plan: StudyPlan, path: Path) -> VerdictsPlan:
    rows: list[tuple[int, dict[str, Any]]] = list(open_answers_table(path).rows)
    units = {key: plan.answers.units[key].unit.systems for key in plan.positions}
    try:
        columns = find_columns(rows, named={}, settings=(), judge="", order="")
    except UnusableColumns as fault:
        raise UnreadableManifest(reasons.STUDY_VERDICTS(file=VERDICTS, why=fault)) from fault
    return plan_verdicts(rows, columns, protocol=plan.protocol, units=units)
