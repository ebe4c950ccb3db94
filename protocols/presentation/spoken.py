"""Instructions that a voice can give inside a clip: which answer to choose, true in every order of the clips."""

from collections.abc import Iterator
from dataclasses import dataclass

from protocols.declared import Aspect, Scale
from protocols.protocol import Protocol

#: Of one response: what it says of itself, in a pair or among all the responses of an item.
THIS = "this"
NUMBERS = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class NothingToSay(ValueError):
    """Why a protocol has no answer that a voice could ask for."""


@dataclass(frozen=True)
class Instruction:
    """A sentence, said by every response or (`by_one`) by a single one, and the answer to `aspects` it asks for.

    `name` stands for the answer, in names of files too. `value` is in the stored frame; of what a response says of
    itself (`THIS`) it is the value where b speaks.
    """

    name: str
    sentence: str
    aspects: tuple[str, ...]
    value: str
    by_one: bool = False
    per_response: bool = False

    def expected(self, speaker: str) -> dict[str, list[str]]:
        """What passes, by aspect (`aspect.slot` where it is about one response), in the stored frame.

        >>> Instruction(THIS, "Please choose this one.", ("overall",), "b", by_one=True).expected("a")
        {'overall': ['a']}
        """
        suffix = f".{speaker}" if self.per_response else ""
        return {f"{aspect}{suffix}": [self._value_of(speaker)] for aspect in self.aspects}

    def _value_of(self, speaker: str) -> str:
        if self.name != THIS:
            return self.value
        if self.value == "b":
            return speaker
        return self.value if speaker == "b" else str(-int(self.value))


def instructions(protocol: Protocol) -> tuple[Instruction, ...]:
    """Every instruction that fits the protocol as it is asked about one item. Raises NothingToSay.

    They are about the questions that are always asked and have the same answers to choose from as the first of them.
    A text answer cannot be requested, and an answer that leads to further questions is left out.
    """
    choices = [aspect for aspect in protocol.aspects if aspect.scale.kind.has_choices]
    free = [aspect for aspect in choices if not (aspect.only_if or aspect.unlike)]
    if not free:
        raise NothingToSay("every question depends on another, or wants a text")
    leading = free[0]
    aspects = [aspect for aspect in free if _alike(aspect, leading)]
    found = (*_by_value(protocol, aspects), *_by_the_speaker(protocol, aspects))
    if not found:
        raise NothingToSay("each of its answers brings up further questions")
    return found


def _alike(aspect: Aspect, leading: Aspect) -> bool:
    """Whether one instruction is about both: the same values, and the same words for them unless they are numbers."""
    one, other = aspect.scale, leading.scale
    same_words = [o.label for o in one.options] == [o.label for o in other.options]
    return (
        (aspect.per_response, one.frame) == (leading.per_response, other.frame)
        and _values(one) == _values(other)
        and (same_words or _is_numbered(one))
    )


def _values(scale: Scale) -> list[str]:
    return [option.value for option in scale.options]


def _is_numbered(scale: Scale) -> bool:
    return _values(scale) == [str(n) for n in range(1, len(scale.options) + 1)] and len(scale.options) < len(NUMBERS)


def _by_value(protocol: Protocol, aspects: list[Aspect]) -> Iterator[Instruction]:
    """One for each answer that means the same in every order."""
    scale, per_response = aspects[0].scale, aspects[0].per_response
    opening = {value for aspect in protocol.aspects for value in aspect.only_if.values()}
    please = "For this one, please" if per_response and protocol.unit != "single" else "Please"
    for n, option in enumerate(scale.options):
        if option.value in opening or not scale.kind.is_same_in_every_order(option.value):
            continue
        if words := _words(protocol, aspects, n):
            yield Instruction(
                name=option.value,
                sentence=f"{please} {words}{_everywhere(aspects)}.",
                aspects=tuple(aspect.name for aspect in aspects),
                value=option.value,
                by_one=per_response,
                per_response=per_response,
            )


def _by_the_speaker(protocol: Protocol, aspects: list[Aspect]) -> Iterator[Instruction]:
    """The response that speaks asks to be chosen: of two, or of all."""
    scale = aspects[0].scale
    if protocol.unit == "single" or aspects[0].per_response or protocol.elicitation == "guided":
        return
    if scale.kind.is_signed:
        best = max((option.value for option in scale.options), key=int)
        yield _this("Please choose that this one is much better", aspects, best)
    elif scale.kind.names_responses:
        yield _this("Please choose this one", aspects[:1] if scale.kind.any_response else aspects, "b")


def _this(words: str, aspects: list[Aspect], value: str) -> Instruction:
    names = tuple(aspect.name for aspect in aspects)
    return Instruction(THIS, f"{words}{_everywhere(aspects)}.", names, value, by_one=True)


def _everywhere(aspects: list[Aspect]) -> str:
    return ", everywhere" if len(aspects) > 1 else ""


def _words(protocol: Protocol, aspects: list[Aspect], n: int) -> str:
    """What to do, by the answer's number and its label where every question has the same; empty where one cannot."""
    option, labels = aspects[0].scale.options[n], {str(aspect.scale.options[n].label).lower() for aspect in aspects}
    if protocol.elicitation == "guided":
        return "answer that neither is acceptable" if option.value == "both_bad" else ""
    numbered = [NUMBERS[n + 1]] if _is_numbered(aspects[0].scale) else []
    return f"choose {', '.join([*numbered, *(labels if len(labels) == 1 else ())])}"
