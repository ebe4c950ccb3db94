"""A protocol as a form shows it: its aspects in order, each with the questions that are put about it."""

from collections.abc import Iterator
from dataclasses import dataclass

from protocols.declared import Aspect, Scale
from protocols.kinds.kind import Option
from protocols.protocol import Protocol
from protocols.questions import N_RESPONSES, Question, question_title, questions

SURENESS = Scale(
    "confidence", (Option("1", "Guessing"), Option("2", "Fairly sure"), Option("3", "Certain")), measure="ordinal"
)
#: Asked last, and never required, where a protocol has `ask_confidence`. It is no aspect: judges are not asked.
CONFIDENCE = Question(
    name="note.confidence",
    aspect="note.confidence",
    text="How sure are you?",
    scale=SURENESS,
    options=SURENESS.options,
    required=False,
)
#: As many slots as there are letters for them.
MOST_RESPONSES = 26


@dataclass(frozen=True)
class ShownAspect:
    aspect: Aspect
    questions: tuple[Question, ...]
    opens_group: bool


@dataclass(frozen=True)
class ShownExample:
    """A worked example in words: each answer as title, question (where one title has several) and label."""

    heard: str
    answers: tuple[tuple[str, str, str], ...]
    why: str


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
        aspect = Aspect(CONFIDENCE.name, "Confidence", CONFIDENCE.text, SURENESS, required=False)
        yield ShownAspect(aspect, (CONFIDENCE,), opens_group=False)


def shown_examples(protocol: Protocol) -> Iterator[ShownExample]:
    """The worked examples as the guidelines show them; answers to what is not asked stay as they were written."""
    put = {
        question.name: question for question in questions(protocol, N_RESPONSES.get(protocol.unit, MOST_RESPONSES))
    }
    for example in protocol.examples:
        answers = (
            _in_words(protocol, put[name], value) if name in put else (name, "", value)
            for name, value in example.answers.items()
        )
        yield ShownExample(example.heard, tuple(answers), example.why)


def fact_title(name: str) -> str:
    """What a fact of an item is called before raters: `reference_translation` is the reference translation."""
    return name.replace("_", " ")


def wording(protocol: Protocol) -> Iterator[str]:
    """Every text of the protocol that raters read."""
    yield from (protocol.title, protocol.instructions, protocol.prompt_title, *map(fact_title, protocol.shows))
    for shown in shown_aspects(protocol, N_RESPONSES.get(protocol.unit, MOST_RESPONSES)):
        aspect = shown.aspect
        yield from (aspect.title, aspect.question, aspect.guidance, aspect.group)
        for question in shown.questions:
            yield question.text
            yield from (text for option in question.options for text in (option.label, option.help))
    for example in shown_examples(protocol):
        yield from (example.heard, example.why)
        yield from (text for answer in example.answers for text in answer)


def _in_words(protocol: Protocol, question: Question, value: str) -> tuple[str, str, str]:
    step = question.text if protocol.elicitation == "guided" else ""
    return question_title(protocol, question), step, question.kind.label(value)
