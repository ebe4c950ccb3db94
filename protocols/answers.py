"""From what was clicked to answers, still in the frame of the screen."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from infrastructure.wording.reasons import Reason, ReasonCode, Reasoned
from protocols import reasons
from protocols.kinds.typed_tie import typed_tie
from protocols.protocol import Protocol
from protocols.questions import Question, question_title, questions

ANSWERS_REFUSED = ReasonCode("answers_refused", "%(why)s")


class InvalidAnswers(Reasoned, ValueError):
    """Answers that cannot be taken. `errors` says why, by the question's name."""

    def __init__(self, errors: dict[str, Reason]) -> None:
        super().__init__(ANSWERS_REFUSED(why="; ".join(errors.values())))
        self.errors = errors


@dataclass(frozen=True)
class ScreenAnswer:
    """The answer to one aspect: `1` is the response heard as first. Acceptability only where it was asked.

    `response` is the place of the response it is about, or None where it is about the unit.
    """

    aspect: str
    value: str
    response: int | None = None
    acceptable_1: bool | None = None
    acceptable_2: bool | None = None


def read_answers(protocol: Protocol, clicked: Mapping[str, str], *, n_responses: int) -> tuple[ScreenAnswer, ...]:
    """The answers in the protocol's order. Raises InvalidAnswers, naming every question at fault.

    Questions that were not put, and texts left empty where they may be, have no answer.
    """
    put = questions(protocol, n_responses)
    errors: dict[str, Reason] = {q.name: error for q in put if (error := _error(protocol, q, clicked))}
    for name in sorted(set(clicked) - {question.name for question in put}):
        errors[name] = reasons.QUESTION_NOT_ASKED(name=repr(name))
    errors |= {name: error for name, error in _too_alike(protocol, put, clicked) if name not in errors}
    if errors:
        raise InvalidAnswers(errors)
    if protocol.elicitation == "guided":
        return tuple(_derived(aspect.name, clicked) for aspect in protocol.aspects)
    return tuple(
        ScreenAnswer(q.aspect, clicked[q.name].strip(), q.response) for q in put if clicked.get(q.name, "").strip()
    )


def _error(protocol: Protocol, question: Question, clicked: Mapping[str, str]) -> Reason | None:
    title = question_title(protocol, question)
    value = clicked.get(question.name, "")
    if not question.is_put(clicked):
        return reasons.NOT_ASKED_AFTER(title=title) if value else None
    kind = question.kind
    if question.name not in clicked or ((kind.may_be_empty or not question.required) and not value.strip()):
        missing = reasons.PLEASE_ANSWER(title=title, question=question.text)
        return missing if question.required else None
    return kind.fault(value, title)


def _too_alike(
    protocol: Protocol, put: Iterable[Question], clicked: Mapping[str, str]
) -> Iterator[tuple[str, Reason]]:
    for question in put:
        if question.unlike and clicked.get(question.name) and clicked[question.name] == clicked.get(question.unlike):
            title = question_title(protocol, question)
            other = protocol.aspect(protocol.aspect(question.aspect).unlike).title
            yield question.name, reasons.CHOOSE_ANOTHER(title=title, other=other)


def _derived(aspect: str, clicked: Mapping[str, str]) -> ScreenAnswer:
    first = clicked[f"{aspect}.acceptable_1"] == "yes"
    second = clicked[f"{aspect}.acceptable_2"] == "yes"
    better = clicked.get(f"{aspect}.better")
    label = typed_tie(acceptable_1=first, acceptable_2=second, better=better)
    return ScreenAnswer(aspect, label, None, first, second)
