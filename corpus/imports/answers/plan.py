"""What a table of answers is going to make, before anything is made."""

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from corpus.imports import reasons
from corpus.imports.plan import Problem
from corpus.tidy.given import Given, Rater
from corpus.tidy.rows import Origin, TidyAnswer, TidyRow, TidyUnit
from infrastructure.wording.names import is_legible, is_visible
from infrastructure.wording.reasons import Reason

#: rater, key of the unit
AnnotationKey = tuple[Rater, str]
#: aspect, slot
AnswerKey = tuple[str, str]
#: The columns in which a table shows what this field holds.
COLUMN_OF = {"digest": "protocol_digest", "listening": "coverage", "key": "unit"}


@dataclass
class PlannedUnit:
    """A unit, and the first row that named it."""

    row: int
    unit: TidyUnit


@dataclass(slots=True)
class PlannedAnnotation:
    """One rater's answers to one unit, each with its row."""

    row: int
    given: Given
    answers: dict[AnswerKey, TidyAnswer] = field(default_factory=dict)
    rows: dict[AnswerKey, int] = field(default_factory=dict)


@dataclass
class AnswersPlan:
    rows: int = 0
    #: what the numbers of rows count, as in a plan of a manifest
    place: Literal["line", "row"] = "row"
    origin: Origin | None = None
    units: dict[str, PlannedUnit] = field(default_factory=dict)
    #: What verdicts of judges are about, which a dataset gets that is made of the table.
    judged: dict[str, PlannedUnit] = field(default_factory=dict)
    annotations: dict[AnnotationKey, PlannedAnnotation] = field(default_factory=dict)
    #: annotations of which a row could not be read, so that one cannot say what is missing
    unread: set[AnnotationKey] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    #: What came before and may come again is kept once: raters, the names of answers, and answers.
    _raters: dict[Rater, Rater] = field(default_factory=dict, repr=False)
    _answer_keys: dict[AnswerKey, AnswerKey] = field(default_factory=dict, repr=False)
    _answers: dict[TidyAnswer, TidyAnswer] = field(default_factory=dict, repr=False)

    def refuse(self, row: int | None, field_name: str, message: Reason) -> None:
        self.problems.append(Problem(row, field_name, message))

    def warn(self, row: int | None, field_name: str, message: Reason) -> None:
        self.problems.append(Problem(row, field_name, message, "warning"))

    def add(self, number: int, row: TidyRow) -> None:
        """Put the row with what was said before; refuse it where the two contradict."""
        self.origin = self.origin or row.origin
        for column in differing(self.origin, row.origin):
            self.refuse(number, column, reasons.ANOTHER_CAMPAIGN())
        key, who = row.unit.key, row.given.annotator
        if key not in self.units:
            self._require_visible_names(number, row.unit)
        unit = self.units.setdefault(key, PlannedUnit(number, row.unit))
        for column in differing(unit.unit, row.unit):
            self.refuse(number, column, reasons.UNIT_DIFFERS(row=unit.row, unit=key))
        rater = self._raters.setdefault(row.given.rater, row.given.rater)
        said = self.annotations.setdefault((rater, unit.unit.key), PlannedAnnotation(number, row.given))
        for column in differing(said.given, row.given):
            told = reasons.ROW_SAYS_OTHERWISE(row=said.row, who=who, unit=key)
            self.refuse(number, column, told if who else reasons.ROW_SAYS_OTHERWISE_OF_RATER(row=said.row, unit=key))
        self._add_answer(number, said, row.answer)

    def _require_visible_names(self, number: int, unit: TidyUnit) -> None:
        names = [("item", unit.item, is_legible(unit.item))]
        names += [("systems", system, is_visible(system)) for system in unit.systems.values()]
        for column, name, can_be_read in names:
            if not can_be_read:
                self.refuse(number, column, reasons.NAME_NOT_SEEN(name=ascii(name)[1:-1]))

    def _add_answer(self, number: int, said: PlannedAnnotation, answer: TidyAnswer) -> None:
        key = self._answer_keys.setdefault((answer.aspect, answer.slot), (answer.aspect, answer.slot))
        if key in said.answers:
            of = f"{answer.aspect} of {answer.slot}" if answer.slot else answer.aspect
            self.refuse(number, "aspect", reasons.ANSWER_TWICE(of=of, row=said.rows[key]))
            return
        said.answers[key] = self._answers.setdefault(answer, answer)
        said.rows[key] = number


def differing(one: Any, other: Any) -> Iterator[str]:
    """The columns of what two values of the same kind say differently."""
    if one == other:
        return
    for one_field in fields(one):
        if getattr(one, one_field.name) != getattr(other, one_field.name):
            yield COLUMN_OF.get(one_field.name, one_field.name)
