"""A protocol as it is put to a judge: the questions that people get, as a prompt and as the form of its reply."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from protocols.consistency import REASONING
from protocols.declared import Aspect
from protocols.protocol import Protocol
from protocols.questions import Question, questions

COUNTS = {1: "one response", 2: "two responses, called 1 and 2"}
#: TRACE/HCoT §3.2, in one go.
STEPS = (
    "Reach every answer in steps. Is 1 acceptable? Is 2? If only one of them is, it is better; if neither is, answer "
    "both_bad. Only if both are, compare them: the better one, or both_good where they are equal."
)
#: What a judge writes where a question does not arise, or may be left out.
NO_ANSWER = ""


def as_judged(protocol: Protocol) -> Protocol:
    """The protocol whose answers a judge gives: what people reach step by step, a judge names at once."""
    return replace(protocol, elicitation="direct", examples=()) if protocol.elicitation == "guided" else protocol


def judge_instructions(protocol: Protocol, n_responses: int) -> str:
    """The prompt: what is heard, the instructions, every question with its guidance and choices, and the reply."""
    judged = as_judged(protocol)
    put = questions(judged, n_responses)
    asked = [aspect for aspect in judged.aspects if any(question.aspect == aspect.name for question in put)]
    parts = [
        f"You judge recorded speech. {_heard(judged, n_responses)}",
        judged.instructions,
        "Judge what can be heard. Unless a question asks about it, neither the order in which responses come nor "
        "their length is a reason, nor is the name of a system. Doing what was asked counts, not announcing it.",
        *([STEPS] if protocol.elicitation == "guided" else []),
        "The questions, in the order in which you decide them:",
        *("\n".join(_aspect(judged, aspect, put)) for aspect in asked),
        _reply(put),
    ]
    return "\n\n".join(parts)


def judge_schema(protocol: Protocol, n_responses: int) -> dict[str, Any]:
    """The JSON Schema of the reply, strict: reasoning first, then one property for every question.

    Its answers are read by `read_answers(as_judged(protocol), …)` once the reasoning is taken out.
    """
    put = questions(as_judged(protocol), n_responses)
    properties = {REASONING: {"type": "string"}} | {
        question.name: question.kind.json_schema(may_be_empty=_may_be_empty(question)) for question in put
    }
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _may_be_empty(question: Question) -> bool:
    return bool(question.only_if) or not question.required


def _heard(protocol: Protocol, n_responses: int) -> str:
    said = COUNTS.get(n_responses, f"{n_responses} responses, called 1 to {n_responses}")
    facts = f" You are also told: {', '.join(name.replace('_', ' ') for name in protocol.shows)}."
    heard = f"You get “{protocol.prompt_title}”, if there is one, and {said}. A conversation comes turn by turn."
    return heard + (facts if protocol.shows else "")


def _aspect(protocol: Protocol, aspect: Aspect, put: tuple[Question, ...]) -> Iterator[str]:
    asked = [question for question in put if question.aspect == aspect.name]
    names = ", ".join(f"`{question.name}`" for question in asked)
    yield f"{names} — {aspect.title}: {aspect.question}"
    if aspect.guidance:
        yield f"  {aspect.guidance}"
    if aspect.per_response:
        yield "  Answer it for each response on its own; the number in the name is that of the response."
    yield from _conditions(protocol, aspect)
    yield from (f"  {line}" for line in asked[0].kind.prompt())


def _conditions(protocol: Protocol, aspect: Aspect) -> Iterator[str]:
    if aspect.only_if:
        gates = " and ".join(f"{protocol.aspect(name).title} is “{value}”" for name, value in aspect.only_if.items())
        yield f'  It arises only where {gates}; elsewhere answer "{NO_ANSWER}".'
    elif not aspect.required:
        yield f'  You may leave it out; then answer "{NO_ANSWER}".'
    if aspect.unlike:
        yield f"  The answer differs from that to {protocol.aspect(aspect.unlike).title}."


def _reply(put: tuple[Question, ...]) -> str:
    names = ", ".join(f"`{question.name}`" for question in put)
    return (
        f"Reply with one JSON object and nothing else. First `{REASONING}`: what you heard, and what follows from it "
        f"for each question. Then one answer for each of {names}; where there are choices, exactly one of them."
    )
