"""A protocol as a form shows it: its aspects in order, each with the questions that are put about it."""

from collections.abc import Iterator
from dataclasses import dataclass

from campaigns.protocols.protocol import Aspect, Option, Protocol, Scale
from campaigns.protocols.questions import Question, questions

#: Asked last, and never required, where a protocol has `ask_confidence`. It is no aspect: judges are not asked.
CONFIDENCE = Question(
    name="note.confidence",
    aspect="note.confidence",
    text="How sure are you?",
    options=(Option("1", "Guessing"), Option("2", "Fairly sure"), Option("3", "Certain")),
    required=False,
)


@dataclass(frozen=True)
class ShownAspect:
    aspect: Aspect
    questions: tuple[Question, ...]
    opens_group: bool


def shown_aspects(protocol: Protocol, n_responses: int) -> Iterator[ShownAspect]:
    """The aspects about which something is asked of so many responses, and at the end how sure one is."""
    put = questions(protocol, n_responses)
    group = ""
    for aspect in protocol.aspects:
        of_aspect = tuple(question for question in put if question.aspect == aspect.name)
        if of_aspect:
            yield ShownAspect(aspect, of_aspect, opens_group=aspect.group not in ("", group))
            group = aspect.group
    if protocol.ask_confidence:
        scale = Scale("confidence", CONFIDENCE.options, measure="ordinal")
        aspect = Aspect(CONFIDENCE.name, "Confidence", CONFIDENCE.text, scale, required=False)
        yield ShownAspect(aspect, (CONFIDENCE,), opens_group=False)
