"""The base class of kinds of questions. No other code compares the names of kinds: it asks the kind instead."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal

from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from protocols import reasons
from protocols.kinds.frames import Frame, shown_value, stored_value

#: What is put before a rater: two responses, one response, or all the responses of an item.
UnitKind = Literal["pair", "single", "item"]
Level = Literal["nominal", "ordinal", "interval"]
#: A distance between labels, for α.
Distance = Literal["nominal", "ordinal", "interval", "typed_tie"]
#: At most as many digits as a number of a database has.
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
YES_NO_NUMBERS = {"no": 0.0, "yes": 1.0}


@dataclass(frozen=True)
class Option:
    """One possible answer. `value` is what is kept; `help` is a behavioural anchor."""

    value: str
    label: str
    help: str = ""


@dataclass(frozen=True)
class QuestionKind:
    """A question with these options: a choice of one name among several. Other kinds say what differs.

    `any_response`: the choice is between all the responses of the unit, however many they are.

    Values are those of the screen (`1` is heard first) unless they are called stored (`a`, `b`).
    """

    options: tuple[Option, ...]
    frame: Frame
    any_response: bool

    #: What a scale has as its measure.
    name: ClassVar[str] = "nominal"
    #: What the protocol composer calls it.
    title: ClassVar[str] = Phrase("Names, without an order")
    #: It is rendered with `question` and `aspect`.
    template: ClassVar[str] = "protocols/questions/choices.html"
    #: Whether one of the options is chosen; other aspects can then wait for an answer, and a voice can ask for it.
    has_choices: ClassVar[bool] = True
    #: Whether the answer is a text in the rater's own words.
    is_written: ClassVar[bool] = False
    #: Whether answers are counted: they have an agreement, and stand in reports.
    is_counted: ClassVar[bool] = True
    #: Whether there are few enough values to count each, and to take agreement on them as names.
    has_few_values: ClassVar[bool] = True
    #: Whether an empty answer is none, even where one is required.
    may_be_empty: ClassVar[bool] = False
    level: ClassVar[Level] = "nominal"
    distance: ClassVar[Distance] = "nominal"
    #: The metric of analytics that says how far raters agree; empty where no agreement is defined.
    agreement: ClassVar[str] = "cohen_kappa"
    #: The weights of Cohen's κ.
    weights: ClassVar[Literal["none", "quadratic", "typed_tie"]] = "none"

    # What may be declared

    def faults(self) -> Iterator[str]:
        """What is wrong with the scale."""
        values = [option.value for option in self.options]
        if not values and not self.any_response:
            yield "has a scale without choices"
        if len(values) != len(set(values)):
            yield "offers the same value twice"
        if any(not value or value != value.strip() for value in values):
            yield "offers a value that is empty or has blanks around it"
        yield from self._value_faults(values)

    def _value_faults(self, values: list[str]) -> Iterator[str]:
        if self.is_signed or self.level == "interval":
            if not all(map(is_whole, values)):
                yield "counts with its values, so they must be whole numbers"
            elif self.is_signed and {int(value) for value in values} != {-int(value) for value in values}:
                yield "has a signed scale, so every value needs its opposite"

    def misfits(self, unit: UnitKind, *, per_response: bool) -> Iterator[str]:
        """Why it cannot be asked about what is put before raters."""
        if not self.compares:
            return
        if unit == "single" or per_response:
            yield "compares responses, so it cannot be asked about one response"
        if unit == "item" and self.options:
            yield "compares two responses, so it cannot be asked about all the responses of an item"
        if self.names_responses and {o.value for o in self.options if o.value.isdecimal()} - {"1", "2"}:
            yield "offers a response that a pair does not have"

    # What may be answered

    @property
    def values(self) -> tuple[str, ...]:
        """Everything that may be answered, in the order of the scale; none where that cannot be listed."""
        return tuple(option.value for option in self.options)

    @property
    def gates(self) -> tuple[str, ...]:
        """The answers that other aspects can wait for."""
        return self.values if self.has_choices else ()

    def takes(self, value: str) -> bool:
        return value in self.values

    def fault(self, value: str, title: str) -> Reason | None:
        """Why the value is no answer to the question of this title."""
        if self.takes(value):
            return None
        return reasons.NOT_A_CHOICE(title=title, value=repr(value))

    def listed(self, values: Iterable[str]) -> str:
        """Values that may be answered, for a message."""
        return ", ".join(values)

    # What is said of it

    @property
    def in_short(self) -> tuple[str, ...]:
        """What may be answered, in a few words each."""
        return tuple(option.label for option in self.options) or (Phrase("any of the responses"),)

    @property
    def has_anchors(self) -> bool:
        return any(option.help for option in self.options)

    def label(self, value: str) -> str:
        return next((option.label for option in self.options if option.value == value), value)

    def json_schema(self, *, may_be_empty: bool) -> dict[str, Any]:
        """The form of a judge's answer."""
        return {"type": "string", "enum": [*self.values, ""] if may_be_empty else [*self.values]}

    def prompt(self) -> Iterator[str]:
        """What a judge reads of the answers, line by line."""
        for option in self.options:
            yield f'- "{option.value}": {option.label}' + (f" – {option.help}" if option.help else "")

    @property
    def limits(self) -> dict[str, int]:
        """What clients of the API need to know beside the options."""
        return {}

    # How answers depend on the order on the screen

    @property
    def names_responses(self) -> bool:
        """Whether an answer is the place of a response, or a tie."""
        return self.frame == "response"

    @property
    def is_signed(self) -> bool:
        """Whether an answer is the quality of the second response against the first."""
        return self.frame == "signed"

    @property
    def compares(self) -> bool:
        return self.names_responses or self.is_signed

    def stored(self, shown: str, order: str) -> str:
        return stored_value(shown, order, self.frame)

    def shown(self, stored: str, order: str) -> str:
        return shown_value(stored, order, self.frame)

    def mirrored(self, stored: str) -> str:
        """The stored value with the two responses swapped."""
        if self.is_signed:
            return str(-int(stored))
        return {"a": "b", "b": "a"}.get(stored, stored) if self.names_responses and not self.any_response else stored

    def is_same_in_every_order(self, value: str) -> bool:
        return value == "0" if self.is_signed else not self.names_responses or value not in ("1", "2")

    @property
    def stored_values(self) -> tuple[str, ...]:
        """Everything that may be stored of one response or a pair, in the order of the scale."""
        return tuple(self.stored(value, "ab") for value in self.values)

    @property
    def ties(self) -> list[str]:
        """The stored values that call neither response of a pair better."""
        return ["0"] if self.is_signed else [value for value in self.stored_values if value not in ("a", "b")]

    # What is counted

    @property
    def is_ordered(self) -> bool:
        return self.level != "nominal"

    @property
    def is_yes_no(self) -> bool:
        return {option.value for option in self.options} == set(YES_NO_NUMBERS)

    def number(self, value: str) -> float | None:
        """The answer as a number: itself, its place among words from 1 on, 1 for yes; None for anything else."""
        if self.is_yes_no:
            return YES_NO_NUMBERS.get(value)
        if not self._has_numbers and value in self.values:
            return 1.0 + self.values.index(value)
        return float(value) if is_number(value) else None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The lowest and the highest number that can be given; None where there are no numbers."""
        numbers = {number for option in self.options if (number := self.number(option.value)) is not None}
        return (min(numbers), max(numbers)) if len(numbers) > 1 else None

    def categories(self, found: Iterable[str]) -> tuple[str, ...]:
        """The distinct stored values, in the order of the scale, then other values that were found, by name."""
        known = self.stored_values
        return (*known, *sorted(set(found).difference(known)))

    def in_table(self, stored: str) -> str:
        """What tables count a stored value as: itself, or the range that it lies in."""
        return stored

    def distances(self, categories: Iterable[str]) -> tuple[Distance, ...]:
        """By which α may be taken of these labels, the plainest first. Labels from elsewhere are names."""
        if self.options and set(categories).difference(self.stored_values):
            return ("nominal",)
        return self._distances(categories)

    def _distances(self, _categories: Iterable[str]) -> tuple[Distance, ...]:
        return ("nominal",)

    @cached_property
    def _has_numbers(self) -> bool:
        return all(is_number(option.value) for option in self.options)


def is_whole(value: str) -> bool:
    """Written as Python writes it, so that equal numbers are equal values."""
    return WHOLE.fullmatch(value) is not None


def is_number(value: str) -> bool:
    try:
        float(value)
    except ValueError:
        return False
    return value not in ("nan", "inf", "-inf")
