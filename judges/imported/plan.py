"""From the rows of a table of verdicts to what they say of a campaign's units. No rows of ours, no framework.

One row is one answer of one judge: which unit, in which order it was heard, which aspect, and the verdict by place
(`1` is the response heard first). An empty verdict is missing, and never a tie.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from corpus.imports.files.rows import Row
from corpus.imports.plan import Problem
from corpus.tidy.reasons import NONE_OF
from infrastructure.files.csv_files import plain
from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.imported.columns import Columns
from judges.sounds.perturbations import Perturbation
from protocols import Protocol, questions
from protocols.judging import as_judged
from protocols.kinds.kind import QuestionKind
from protocols.scales.named import YES_NO

#: What an item's own criteria are called, which no protocol names.
CRITERION = re.compile(r"item_[0-9]{1,5}")
SAMPLE = re.compile(r"[0-9]{1,3}")
READ, MISSING = ("ok", "repaired"), ("unparsed", "refused", "error")
MOST_NAMED = 3
#: From this share of the rows and of the faults on, systems the other way round are a matter of the whole table.
NEARLY_ALL = 0.9


class JudgeKey(NamedTuple):
    """A judge, the settings that tell it from others, and how the sound was changed that it heard, if it was."""

    judge: str
    settings: tuple[tuple[str, str], ...] = ()
    condition: Perturbation | None = None


#: Unit, order, sample.
VerdictKey = tuple[str, str, int]
#: Aspect and slot.
AnswerKey = tuple[str, str]


@dataclass
class PlannedVerdict:
    """The verdict of one judge on one unit in one order: by aspect and slot the answers, and the missing ones.

    `raw` and `reasoning` are as the table has them, by the aspect's name.
    """

    answers: dict[AnswerKey, str] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    raw: dict[str, str] = field(default_factory=dict)
    reasoning: dict[str, str] = field(default_factory=dict)
    repaired: bool = False

    @property
    def status(self) -> str:
        if self.answers:
            return "repaired" if self.repaired else "ok"
        return next(iter(self.missing.values()))


@dataclass
class VerdictsPlan:
    rows: int
    judges: dict[JudgeKey, dict[VerdictKey, PlannedVerdict]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def errors(self) -> list[Problem]:
        return [problem for problem in self.problems if problem.severity == "error"]

    @property
    def n_verdicts(self) -> int:
        return sum(map(len, self.judges.values()))

    @property
    def n_missing(self) -> int:
        """Verdicts without any answer: their cells are empty, or say what went wrong."""
        return sum(not said.answers for verdicts in self.judges.values() for said in verdicts.values())

    def refuse(self, row: int | None, name: str, message: Reason) -> None:
        self.problems.append(Problem(row, name, message))

    def warn(self, row: int | None, name: str, message: Reason) -> None:
        self.problems.append(Problem(row, name, message, "warning"))


def plan_verdicts(
    rows: list[tuple[int, Row]],
    columns: Columns,
    *,
    protocol: Protocol,
    units: Mapping[str, Mapping[str, str]],
    unknown_as_missing: bool = False,
) -> VerdictsPlan:
    """Plan what the rows say; `units` has the names of the systems by slot, for each unit's key.

    Errors of a row are in the plan's problems; with `unknown_as_missing` a value that the scale does not
    have is nothing wrong, but a verdict that could not be read. Rows about units or aspects that the campaign does
    not have are left out, and counted.
    """
    asked = _asked(protocol, units)
    reader = _Reader(
        VerdictsPlan(len(rows)), columns, units, asked,
        item_criteria=protocol.item_criteria, unknown_as_missing=unknown_as_missing,
    )  # fmt: skip
    for number, row in rows:
        reader.read(number, row)
    reader.tell_left_out()
    reader.tell_swapped()
    if not reader.plan.judges and not reader.plan.errors:
        reader.plan.refuse(None, "unit", reasons.NO_ROW_OF_CAMPAIGN())
    return reader.plan


@dataclass(frozen=True)
class Asked:
    """The possible answers of an aspect."""

    kind: QuestionKind
    per_response: bool = False


def _asked(protocol: Protocol, units: Mapping[str, Mapping[str, str]]) -> dict[str, Asked]:
    judged = as_judged(protocol)
    n_responses = max((len(systems) for systems in units.values()), default=2)
    return {
        question.aspect: Asked(question.kind, per_response=question.response is not None)
        for question in questions(judged, n_responses)
    }


@dataclass
class _Reader:
    plan: VerdictsPlan
    columns: Columns
    units: Mapping[str, Mapping[str, str]]
    asked: Mapping[str, Asked]
    item_criteria: bool = False
    unknown_as_missing: bool = False
    strange_units: Counter[str] = field(default_factory=Counter)
    strange_aspects: Counter[str] = field(default_factory=Counter)
    n_naming: int = 0
    n_swapped: int = 0

    def read(self, number: int, row: Row) -> None:
        unit = self.columns.cell(row, "unit")
        aspect = self.columns.cell(row, "aspect") or "overall"
        if self.columns.of_answers and not self.columns.cell(row, "judge"):
            return
        if unit not in self.units:
            self.strange_units[unit] += 1
        elif (asked := self._known(aspect)) is None:
            self.strange_aspects[aspect] += 1
        elif (fault := self._fault(row, unit)) is not None:
            self.plan.refuse(number, *fault)
        else:
            self._take(number, row, unit, aspect, asked)

    def _known(self, aspect: str) -> Asked | None:
        """What is asked by this name; answers about one response, and written ones, only a table of answers has."""
        if self.item_criteria and self.columns.of_answers and CRITERION.fullmatch(aspect):
            return Asked(YES_NO.kind)
        asked = self.asked.get(aspect)
        if asked is None or (not self.columns.of_answers and (asked.per_response or asked.kind.is_written)):
            return None
        return asked

    def tell_left_out(self) -> None:
        for name, left_out in (("unit", self.strange_units), ("aspect", self.strange_aspects)):
            if left_out:
                some = ", ".join(list(left_out)[:MOST_NAMED])
                why = reasons.ANOTHER_UNIT if name == "unit" else reasons.ANOTHER_ASPECT
                self.plan.warn(None, name, why(n=left_out.total(), some=some))

    def tell_swapped(self) -> None:
        """Where nearly every row names the systems the other way round, say so first, and what to do."""
        least = NEARLY_ALL * max(self.n_naming, len(self.plan.errors))
        if not self.n_swapped or self.n_swapped < least:
            return
        a, b = (self.columns.by_part[f"system_{slot}"] for slot in "ab")
        by_row = "order" in self.columns.by_part
        why = reasons.SYSTEMS_SWAPPED_BY_ROW if by_row else reasons.SYSTEMS_SWAPPED
        told = why(n=self.n_swapped, all=self.n_naming, a=a, b=b)
        self.plan.problems.insert(0, Problem(None, "system_a", told))

    def _fault(self, row: Row, unit: str) -> tuple[str, Reason] | None:
        """The column at fault, and why."""
        slots = self.units[unit]
        order = self._order(row, slots)
        if sorted(order) != sorted(slots):
            some = ", ".join(slots)
            return "order", reasons.NO_ORDER(order=order, slots=some) if order else reasons.ORDER_MISSING(slots=some)
        names = [self.columns.cell(row, f"system_{slot}") for slot in "ab"]
        self.n_naming += all(names)
        self.n_swapped += all(names) and names[0] != names[1] and names == [slots.get("b"), slots.get("a")]
        for slot in ("a", "b"):
            named = self.columns.cell(row, f"system_{slot}")
            if named and slots.get(slot) != named:
                return f"system_{slot}", reasons.UNIT_HAS_SYSTEM(
                    unit=unit, system=slots.get(slot), slot=slot, named=named
                )
        if (sample := self.columns.cell(row, "sample")) and not SAMPLE.fullmatch(sample):
            return "sample", reasons.SAMPLE_NO_NUMBER(sample=repr(sample[:20]))
        status = self.columns.cell(row, "status")
        if status and status not in (*READ, *MISSING):
            return "status", NONE_OF(text=repr(status), known=", ".join((*READ, *MISSING)))
        return None

    def _take(self, number: int, row: Row, unit: str, aspect: str, asked: Asked) -> None:
        raw, order = self.columns.cell(row, "value"), self._order(row, self.units[unit])
        slot = self.columns.cell(row, "slot") if self.columns.of_answers else ""
        if self.columns.of_answers and raw:
            raw = _clicked(plain(raw), order, asked.kind)
        status = self.columns.cell(row, "status") or ("ok" if raw else "unparsed")
        if status in READ and raw and self.unknown_as_missing and not asked.kind.takes(raw):
            status = "unparsed"
        if status in READ and not (raw and asked.kind.takes(raw)):
            self.plan.refuse(
                number,
                "value",
                NONE_OF(text=repr(raw), known=asked.kind.listed(sorted(asked.kind.values))),
            )
            return
        if status in READ and (slot not in self.units[unit] if asked.per_response else slot):
            why = reasons.SLOT_NOT_ASKED(aspect=aspect, slot=slot, unit=unit)
            self.plan.refuse(
                number, "slot", why if slot else reasons.NOT_ASKED_WITHOUT_SLOT(aspect=aspect, unit=unit)
            )
            return
        key, name = (unit, order, int(self.columns.cell(row, "sample") or 0)), f"{aspect}.{slot}" if slot else aspect
        said = self.plan.judges.setdefault(self._judge(row), {}).setdefault(key, PlannedVerdict())
        if name in said.raw:
            self.plan.refuse(number, "aspect", reasons.VERDICT_TWICE(name=name, unit=unit, order=order))
            return
        said.raw[name] = self.columns.cell(row, "raw") or raw
        if reasoning := self.columns.cell(row, "reasoning"):
            said.reasoning[name] = reasoning
        if status in READ:
            said.answers[aspect, slot] = asked.kind.stored(raw, order)
            said.repaired |= status == "repaired"
        else:
            said.missing[name] = status

    def _order(self, row: Row, slots: Iterable[str]) -> str:
        """The frame of the row, else that of the table: `ab` as stored, `ba` turned. A single response has one."""
        said, stored = self.columns.cell(row, "order").lower(), "".join(sorted(slots))
        if len(stored) == 1 and said in ("", "ab", "ba"):
            return stored
        if said or not self.columns.order:
            return said
        return stored if self.columns.order.lower() == "ab" else stored[::-1]

    def _judge(self, row: Row) -> JudgeKey:
        name = self.columns.cell(row, "judge") or self.columns.judge
        settings = tuple((it, _text(row.get(it))) for it in self.columns.settings)
        return JudgeKey(name, settings, self.columns.condition(row))


def _clicked(stored: str, order: str, kind: QuestionKind) -> str:
    """The answer in this order; values outside the stored frame stay unchanged, and are refused."""
    try:
        return kind.shown(stored, order)
    except ValueError:
        return stored


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
