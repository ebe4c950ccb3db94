"""From what was clicked to one answer per aspect, still in the frame of the screen."""

from collections.abc import Mapping
from dataclasses import dataclass

from campaigns.protocols.protocol import Aspect, Protocol
from campaigns.protocols.questions import Question, questions
from campaigns.protocols.typed_ties import typed_tie


class InvalidAnswers(ValueError):
    """Answers that cannot be taken. `errors` says why, by the question's name."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
        self.errors = errors


@dataclass(frozen=True)
class ScreenAnswer:
    """The answer to one aspect: `1` is the response heard as first. Acceptability only where it was asked."""

    value: str
    acceptable_1: bool | None = None
    acceptable_2: bool | None = None


def read_answers(protocol: Protocol, clicked: Mapping[str, str]) -> dict[str, ScreenAnswer]:
    """One answer per aspect, in the protocol's order. Raises InvalidAnswers, naming every question at fault."""
    errors = {}
    for question in questions(protocol):
        if error := _error(protocol, question, clicked):
            errors[question.name] = error
    if errors:
        raise InvalidAnswers(errors)
    return {aspect.name: _answer(protocol, aspect, clicked) for aspect in protocol.aspects}


def _error(protocol: Protocol, question: Question, clicked: Mapping[str, str]) -> str | None:
    title = next(aspect.title for aspect in protocol.aspects if aspect.name == question.aspect)
    value = clicked.get(question.name)
    if not question.is_put(clicked):
        return None if value is None else f"{title}: a comparison is only made between two acceptable responses."
    if value is None:
        return f"{title}: please answer “{question.text}”"
    if value not in {option.value for option in question.options}:
        return f"{title}: {value!r} is not one of the choices."
    return None


def _answer(protocol: Protocol, aspect: Aspect, clicked: Mapping[str, str]) -> ScreenAnswer:
    if protocol.elicitation == "direct":
        return ScreenAnswer(clicked[aspect.name])
    first = clicked[f"{aspect.name}.acceptable_1"] == "yes"
    second = clicked[f"{aspect.name}.acceptable_2"] == "yes"
    better = clicked.get(f"{aspect.name}.better")
    return ScreenAnswer(typed_tie(acceptable_1=first, acceptable_2=second, better=better), first, second)
