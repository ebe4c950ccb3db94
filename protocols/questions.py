"""A protocol as the questions that a screen puts, in order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from infrastructure.wording.phrases import Phrase
from protocols.declared import Aspect, Scale
from protocols.kinds import KINDS
from protocols.kinds.kind import Option, QuestionKind
from protocols.protocol import Protocol
from protocols.scales.named import YES_NO

WHICH_IS_BETTER = Scale(
    "which_is_better",
    (Option("1", "1 is better"), Option("2", "2 is better"), Option("both_good", "Equally good")),
    frame="response",
)
N_RESPONSES = {"pair": 2, "single": 1}


@dataclass(frozen=True)
class Question:
    """One question on a scale. It is put only where the answers named in `only_if` were given, and its answer differs
    from that of the question named in `unlike`.

    `response` is the place of the response it is about, or None where it is about the unit.
    """

    name: str
    aspect: str
    text: str
    scale: Scale
    options: tuple[Option, ...]
    response: int | None = None
    required: bool = True
    after: tuple[str, ...] = ()
    only_if: Mapping[str, str] = field(default_factory=dict)
    unlike: str = ""

    @cached_property
    def kind(self) -> QuestionKind:
        """With the options that are offered here."""
        scale = self.scale
        return KINDS[scale.measure](self.options, scale.frame, any_response=scale.any_response)

    def is_put(self, answers: Mapping[str, str]) -> bool:
        return all(answers.get(name) == value for name, value in self.only_if.items())


def questions(protocol: Protocol, n_responses: int) -> tuple[Question, ...]:
    """Every question of the protocol about a unit of so many responses, in the order in which it is put."""
    ask = _guided if protocol.elicitation == "guided" else _direct
    return tuple(question for aspect in protocol.aspects for question in ask(protocol, aspect, n_responses))


def question_name(aspect: str, response: int | None) -> str:
    """The form's name for an aspect, or for an aspect of one response: `naturalness`, `naturalness.2`."""
    return aspect if response is None else f"{aspect}.{response}"


def question_title(protocol: Protocol, question: Question) -> str:
    """The aspect's title and, where it is asked of each response, which one is meant."""
    title = protocol.aspect(question.aspect).title
    if question.response is None:
        return title
    return Phrase("%(title)s of response %(n)s", title=title, n=question.response)


def _direct(protocol: Protocol, aspect: Aspect, n_responses: int) -> Iterator[Question]:
    """Nothing where one would have to choose between responses, and there is only one."""
    if aspect.scale.kind.any_response and n_responses < 2:
        return
    for response in range(1, n_responses + 1) if aspect.per_response else (None,):
        yield Question(
            name=question_name(aspect.name, response),
            aspect=aspect.name,
            text=aspect.question,
            scale=aspect.scale,
            options=aspect.scale.offered(n_responses),
            response=response,
            required=aspect.required,
            after=aspect.after,
            only_if={_beside(protocol, name, response): value for name, value in aspect.only_if.items()},
            unlike=_beside(protocol, aspect.unlike, response) if aspect.unlike else "",
        )


def _beside(protocol: Protocol, aspect: str, response: int | None) -> str:
    """The question of another aspect that goes with a question about this response."""
    return question_name(aspect, response if protocol.aspect(aspect).per_response else None)


def _guided(_protocol: Protocol, aspect: Aspect, _n_responses: int) -> Iterator[Question]:
    """The paper's steps: is each acceptable, and only if both are, which is better (TRACE/HCoT §3.2)."""
    first, second = f"{aspect.name}.acceptable_1", f"{aspect.name}.acceptable_2"
    both = {first: "yes", second: "yes"}
    yield _step(aspect, first, "Is 1 acceptable?", YES_NO)
    yield _step(aspect, second, "Is 2 acceptable?", YES_NO)
    yield _step(aspect, f"{aspect.name}.better", "Which is better?", WHICH_IS_BETTER, only_if=both)


def _step(aspect: Aspect, name: str, text: str, scale: Scale, only_if: Mapping[str, str] | None = None) -> Question:
    return Question(name, aspect.name, text, scale, scale.options, after=aspect.after, only_if=only_if or {})
