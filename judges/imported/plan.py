"""From the rows of a table of verdicts to what they say of a campaign's units. No rows of ours, no framework.

One row is one answer of one judge: which unit, in which order it was heard, which aspect, and the verdict by place
(`1` is the response heard first). An empty verdict is missing, and never a tie.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from campaigns.imports.answers.shapes import as_answers
from campaigns.imports.plan import Problem
from campaigns.imports.rows import Row
from campaigns.tidy.cells import plain
from campaigns.tidy.rows import is_table_of_answers
from protocols import Protocol, questions
from protocols.judging import as_judged
from protocols.presentation.frames import shown_value, stored_value
from protocols.protocol import Frame
from protocols.scales.named import YES_NO

#: What each part is called in tables, the first that is there counts.
KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "unit": ("unit", "item_id", "index", "pair"),
    "order": ("order",),
    "aspect": ("aspect", "dimension"),
    "value": ("verdict", "value", "label", "answer"),
    "judge": ("judge", "model"),
    "reasoning": ("reasoning",),
    "status": ("status", "parse_status"),
    "sample": ("sample",),
    "system_a": ("system_a", "model_a"),
    "system_b": ("system_b", "model_b"),
    "slot": ("slot",),
}
#: The part that is meant by any of its names.
PART_OF = {name: part for part, names in KNOWN_COLUMNS.items() for name in (part, *names)}
#: What an item's own criteria are called, which no protocol names.
CRITERION = re.compile(r"item_[0-9]{1,5}")
SAMPLE = re.compile(r"[0-9]{1,3}")
#: Columns that tell one judge from another of the same name, where the table has them.
KNOWN_SETTINGS = ("judge_version", "run", "n_shots", "method", "prompt", "temperature")
NEEDED = ("unit", "value")
READ, MISSING = ("ok", "repaired"), ("unparsed", "refused", "error")
MOST_NAMED = 3
#: From this share of the rows and of the faults on, systems the other way round are a matter of the whole table.
NEARLY_ALL = 0.9

#: Judge and the settings that tell it from others.
JudgeKey = tuple[str, tuple[tuple[str, str], ...]]
#: Unit, order, sample.
VerdictKey = tuple[str, str, int]
#: Aspect and slot.
AnswerKey = tuple[str, str]


class UnusableColumns(ValueError):
    """The table lacks a column that is needed, or names one that it does not have."""


@dataclass(frozen=True)
class Columns:
    """Which column of the table holds which part; `settings` are those that tell one judge from another.

    `judge` and `order` hold where the table has no such column. `of_answers` says that it is an export of
    answers: its values are in the stored frame, and rows without a judge are of people.
    """

    by_part: Mapping[str, str]
    settings: tuple[str, ...] = ()
    judge: str = ""
    order: str = ""
    of_answers: bool = False

    def cell(self, row: Row, part: str) -> str:
        name = self.by_part.get(part)
        value = row.get(name) if name else None
        return "" if value is None else str(value).strip()


@dataclass
class PlannedVerdict:
    """What one judge said of one unit in one order: by aspect and slot what was read, and what is missing.

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

    def refuse(self, row: int | None, name: str, message: str) -> None:
        self.problems.append(Problem(row, name, message))

    def warn(self, name: str, message: str) -> None:
        self.problems.append(Problem(None, name, message, "warning"))


def rows_of_judges(rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """The rows, battles and preferences as answers; in exports those of people, who may be many, are passed over."""
    return [(n, row) for n, row in as_answers(rows) if row.get("judge") or not is_table_of_answers(row)]


def find_columns(
    rows: list[tuple[int, Row]],
    *,
    named: Mapping[str, str],
    settings: tuple[str, ...],
    judge: str,
    order: str,
    needs_order: bool = True,
) -> Columns:
    """The columns that were named, else those that are known. Raises UnusableColumns.

    `named` gives the column of a part, which may be called by any of its known names. Where every unit has a single
    response there is no order (`needs_order`).
    """
    there = {name for _, row in rows for name in row}
    if strange := sorted(set(named) - set(PART_OF)):
        raise UnusableColumns(f"{strange[0]!r} is none of {', '.join(KNOWN_COLUMNS)}.")
    named = {PART_OF[part]: name for part, name in named.items()}
    for name in named.values():
        if name not in there:
            raise UnusableColumns(f"The table has no column {name!r}. It has: {', '.join(sorted(there))}.")
    if missing := sorted(set(settings) - there):
        raise UnusableColumns(f"The table has no column {missing[0]!r}. It has: {', '.join(sorted(there))}.")
    known = {part: next((it for it in names if it in there), "") for part, names in KNOWN_COLUMNS.items()}
    by_part = {part: name for part, name in (known | dict(named)).items() if name}
    for part in NEEDED:
        if part not in by_part:
            raise UnusableColumns(
                f"No column says what the {part} is. Known names: {', '.join(KNOWN_COLUMNS[part])}."
            )
    if "judge" not in by_part and not judge:
        raise UnusableColumns("No column says which judge it was. Name the judge.")
    if needs_order and "order" not in by_part and not order:
        raise UnusableColumns("No column says in which order the responses were heard. Say in which.")
    taken = settings or tuple(name for name in KNOWN_SETTINGS if name in there and name not in by_part.values())
    return Columns(by_part, taken, judge, order, is_table_of_answers(there))


def plan_verdicts(
    rows: list[tuple[int, Row]],
    columns: Columns,
    *,
    protocol: Protocol,
    units: Mapping[str, Mapping[str, str]],
    unknown_as_missing: bool = False,
) -> VerdictsPlan:
    """Plan what the rows say; `units` has the names of the systems by slot, for each unit's key.

    What is wrong with a row stands in the plan's problems; with `unknown_as_missing` a value that the scale does not
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
        reader.plan.refuse(None, "unit", "No row is about a unit and an aspect of this campaign.")
    return reader.plan


@dataclass(frozen=True)
class Asked:
    """What can be said of an aspect: one of `values`, or anything that is written where there are none."""

    frame: Frame
    values: frozenset[str]
    per_response: bool = False

    def takes(self, value: str) -> bool:
        return not self.values or value in self.values


def _asked(protocol: Protocol, units: Mapping[str, Mapping[str, str]]) -> dict[str, Asked]:
    judged = as_judged(protocol)
    n_responses = max((len(systems) for systems in units.values()), default=2)
    return {
        question.aspect: Asked(
            judged.aspect(question.aspect).scale.frame,
            frozenset(option.value for option in question.options),
            per_response=question.response is not None,
        )
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
            return Asked("none", frozenset(option.value for option in YES_NO.options))
        asked = self.asked.get(aspect)
        if asked is None or (not self.columns.of_answers and (asked.per_response or not asked.values)):
            return None
        return asked

    def tell_left_out(self) -> None:
        for name, left_out in (("unit", self.strange_units), ("aspect", self.strange_aspects)):
            if left_out:
                some = ", ".join(list(left_out)[:MOST_NAMED])
                note = f"{left_out.total()} rows are about another {name} than this campaign has ({some}): left out."
                self.plan.warn(name, note)

    def tell_swapped(self) -> None:
        """Where nearly every row names the systems the other way round, say so first, and what to do."""
        least = NEARLY_ALL * max(self.n_naming, len(self.plan.errors))
        if not self.n_swapped or self.n_swapped < least:
            return
        a, b = (self.columns.by_part[f"system_{slot}"] for slot in "ab")
        told = (
            f"{self.n_swapped} of {self.n_naming} rows name the systems the other way round than the units do. If "
            f"{a} is the system that was heard first, and not the unit's a, write the columns system_a = {b} and "
            f"system_b = {a}, "
        )
        if "order" in self.columns.by_part:
            told += "and see that the order of each row is about the units' a and b (BA: the unit's b came first)."
        else:
            told += "with the order turned (b first) for the whole table."
        self.plan.problems.insert(0, Problem(None, "system_a", told))

    def _fault(self, row: Row, unit: str) -> tuple[str, str] | None:
        """The column at fault, and why."""
        slots = self.units[unit]
        order = self._order(row, slots)
        if sorted(order) != sorted(slots):
            return "order", f"{order or 'Nothing'} is no order of the slots {', '.join(slots)}."
        names = [self.columns.cell(row, f"system_{slot}") for slot in "ab"]
        self.n_naming += all(names)
        self.n_swapped += all(names) and names[0] != names[1] and names == [slots.get("b"), slots.get("a")]
        for slot in ("a", "b"):
            named = self.columns.cell(row, f"system_{slot}")
            if named and slots.get(slot) != named:
                return f"system_{slot}", f"Unit {unit} has {slots.get(slot)} as {slot}, and this row says {named}."
        if (sample := self.columns.cell(row, "sample")) and not SAMPLE.fullmatch(sample):
            return "sample", f"{sample[:20]!r} is no whole number below 1,000."
        status = self.columns.cell(row, "status")
        if status and status not in (*READ, *MISSING):
            return "status", f"{status!r} is none of {', '.join((*READ, *MISSING))}."
        return None

    def _take(self, number: int, row: Row, unit: str, aspect: str, asked: Asked) -> None:
        raw, order = self.columns.cell(row, "value"), self._order(row, self.units[unit])
        slot = self.columns.cell(row, "slot") if self.columns.of_answers else ""
        if self.columns.of_answers and raw:
            raw = _clicked(plain(raw), order, asked.frame)
        status = self.columns.cell(row, "status") or ("ok" if raw else "unparsed")
        if status in READ and raw and self.unknown_as_missing and not asked.takes(raw):
            status = "unparsed"
        if status in READ and not (raw and asked.takes(raw)):
            self.plan.refuse(number, "value", f"{raw!r} is none of {', '.join(sorted(asked.values))}.")
            return
        if status in READ and (slot not in self.units[unit] if asked.per_response else slot):
            self.plan.refuse(number, "slot", f"{aspect} of {slot or 'no slot'} is not asked of unit {unit}.")
            return
        key, name = (unit, order, int(self.columns.cell(row, "sample") or 0)), f"{aspect}.{slot}" if slot else aspect
        said = self.plan.judges.setdefault(self._judge(row), {}).setdefault(key, PlannedVerdict())
        if name in said.raw:
            self.plan.refuse(number, "aspect", f"Duplicate: {name} of unit {unit} in order {order} came before.")
            return
        said.raw[name] = raw
        if reasoning := self.columns.cell(row, "reasoning"):
            said.reasoning[name] = reasoning
        if status in READ:
            said.answers[aspect, slot] = stored_value(raw, order, asked.frame)
            said.repaired |= status == "repaired"
        else:
            said.missing[name] = status

    def _order(self, row: Row, slots: Iterable[str]) -> str:
        """As the row says, else as was said of all: `ab` as stored, `ba` turned. A single response has one order."""
        said, stored = self.columns.cell(row, "order").lower(), "".join(sorted(slots))
        if len(stored) == 1 and said in ("", "ab", "ba"):
            return stored
        if said or not self.columns.order:
            return said
        return stored if self.columns.order.lower() == "ab" else stored[::-1]

    def _judge(self, row: Row) -> JudgeKey:
        name = self.columns.cell(row, "judge") or self.columns.judge
        return name, tuple((it, _text(row.get(it))) for it in self.columns.settings)


def _clicked(stored: str, order: str, frame: Frame) -> str:
    """As it was said in this order; what the stored frame does not have stays, and is refused."""
    try:
        return shown_value(stored, order, frame)
    except ValueError:
        return stored


def _text(value: Any) -> str:
    return "" if value is None else str(value).strip()
