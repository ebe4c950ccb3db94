"""From what was clicked to answers, still in the frame of the screen."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from campaigns.protocols.protocol import Protocol
from campaigns.protocols.questions import MAX_TEXT, Question, question_name, questions
from campaigns.protocols.typed_ties import typed_tie


class InvalidAnswers(ValueError):
    """Answers that cannot be taken. `errors` says why, by the question's name."""

    def __init__(self, errors: dict[str, str]) -> None:
        super().__init__("; ".join(errors.values()))
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
    errors = {q.name: error for q in put if (error := _error(protocol, q, clicked))}
    for name in sorted(set(clicked) - {question.name for question in put}):
        errors[name] = f"{name!r} is not asked here."
    errors |= {name: error for name, error in _too_alike(protocol, put, clicked) if name not in errors}
    if errors:
        raise InvalidAnswers(errors)
    if protocol.elicitation == "guided":
        return tuple(_derived(aspect.name, clicked) for aspect in protocol.aspects)
    return tuple(
        ScreenAnswer(q.aspect, clicked[q.name].strip(), q.response) for q in put if clicked.get(q.name, "").strip()
    )


def _error(protocol: Protocol, question: Question, clicked: Mapping[str, str]) -> str | None:
    title = _title(protocol, question)
    value = clicked.get(question.name, "")
    if not question.is_put(clicked):
        return f"{title}: this is not asked after those answers." if value else None
    if question.name not in clicked or ((question.is_text or not question.required) and not value.strip()):
        return f"{title}: please answer “{question.text}”" if question.required else None
    if question.is_text:
        return _text_error(title, value)
    if value not in {option.value for option in question.options}:
        return f"{title}: {value!r} is not one of the choices."
    return None


def _text_error(title: str, value: str) -> str | None:
    if len(value) > MAX_TEXT:
        return f"{title}: at most {MAX_TEXT} characters."
    return f"{title}: the text holds characters that cannot be kept." if "\x00" in value else None


def _too_alike(protocol: Protocol, put: Iterable[Question], clicked: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for question in put:
        aspect = protocol.aspect(question.aspect)
        if not aspect.unlike or not clicked.get(question.name):
            continue
        other = protocol.aspect(aspect.unlike)
        same_place = question_name(other.name, question.response if other.per_response else None)
        if clicked[question.name] == clicked.get(same_place):
            yield question.name, f"{_title(protocol, question)}: choose another than for {other.title}."


def _title(protocol: Protocol, question: Question) -> str:
    title = protocol.aspect(question.aspect).title
    return title if question.response is None else f"{title} of response {question.response}"


def _derived(aspect: str, clicked: Mapping[str, str]) -> ScreenAnswer:
    first = clicked[f"{aspect}.acceptable_1"] == "yes"
    second = clicked[f"{aspect}.acceptable_2"] == "yes"
    better = clicked.get(f"{aspect}.better")
    label = typed_tie(acceptable_1=first, acceptable_2=second, better=better)
    return ScreenAnswer(aspect, label, None, first, second)
