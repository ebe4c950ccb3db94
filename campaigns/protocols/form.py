"""A protocol as a form shows it: its aspects in order, each with the questions that are put about it."""

from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.protocols.protocol import Aspect, Protocol
from campaigns.protocols.questions import Question, questions


@dataclass(frozen=True)
class ShownAspect:
    aspect: Aspect
    questions: tuple[Question, ...]
    opens_group: bool


def shown_aspects(protocol: Protocol, n_responses: int) -> Iterator[ShownAspect]:
    """The aspects about which something is asked of so many responses."""
    put = questions(protocol, n_responses)
    group = ""
    for aspect in protocol.aspects:
        of_aspect = tuple(question for question in put if question.aspect == aspect.name)
        if of_aspect:
            yield ShownAspect(aspect, of_aspect, opens_group=aspect.group not in ("", group))
            group = aspect.group
