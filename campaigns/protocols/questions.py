"""A protocol as the questions that a screen puts, in order."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from campaigns.protocols.protocol import Aspect, Option, Protocol

YES_NO = (Option("yes", "Yes"), Option("no", "No"))
WHICH_IS_BETTER = (
    Option("1", "1 is better"),
    Option("2", "2 is better"),
    Option("both_good", "Equally good"),
)


@dataclass(frozen=True)
class Question:
    """One choice. It is put only where the answers named in `shown_when` were given."""

    name: str
    aspect: str
    text: str
    options: tuple[Option, ...]
    shown_when: Mapping[str, str] = field(default_factory=dict)

    def is_put(self, answers: Mapping[str, str]) -> bool:
        return all(answers.get(name) == value for name, value in self.shown_when.items())


def questions(protocol: Protocol) -> tuple[Question, ...]:
    """Every question of the protocol, in the order in which it is put."""
    ask = _guided if protocol.elicitation == "guided" else _direct
    return tuple(question for aspect in protocol.aspects for question in ask(aspect))


def _direct(aspect: Aspect) -> Iterator[Question]:
    yield Question(aspect.name, aspect.name, aspect.question, aspect.scale.options)


def _guided(aspect: Aspect) -> Iterator[Question]:
    """The paper's steps: is each acceptable, and only if both are, which is better (TRACE/HCoT §3.2)."""
    first, second = f"{aspect.name}.acceptable_1", f"{aspect.name}.acceptable_2"
    yield Question(first, aspect.name, "Is 1 acceptable?", YES_NO)
    yield Question(second, aspect.name, "Is 2 acceptable?", YES_NO)
    both = {first: "yes", second: "yes"}
    yield Question(f"{aspect.name}.better", aspect.name, "Which is better?", WHICH_IS_BETTER, both)
