"""Asking a model that hears, and reading its reply as answers to a protocol."""

from collections.abc import Mapping, Sequence
from typing import Any

from campaigns.protocols import InvalidAnswers, Protocol, questions, read_answers
from campaigns.protocols.consistency import REASONING
from campaigns.protocols.judging import as_judged, judge_schema
from judges.backends.contract import JudgeError, JudgeInput, JudgeOutput
from judges.kinds.contract import Case, Opinion, Shot, Tools
from judges.kinds.hearing import Hearing, bearable
from judges.kinds.sound_messages import sound_messages


def heard_opinion(case: Case, shots: Sequence[Shot], heard: Hearing, tools: Tools) -> Opinion:
    """What the model says of the case when it is put to it in one request. Raises JudgeError, Cancelled."""
    wanted = JudgeInput(
        messages=sound_messages(case, shots, heard),
        schema=judge_schema(case.protocol, len(case.responses)),
        schema_name="verdict",
        max_tokens=heard.max_tokens,
        temperature=heard.temperature,
    )
    return read_opinion(case, tools.ask(bearable(wanted, heard)))


def read_opinion(case: Case, said: JudgeOutput) -> Opinion:
    """The reply as answers; one that the protocol does not take is unparsed, whatever the JSON looked like."""
    reasoning = str(said.data.get(REASONING, ""))
    if said.status in ("unparsed", "refused"):
        message = "The model refused." if said.status == "refused" else "The reply holds no answer that can be read."
        return Opinion(said.status, reasoning=reasoning, message=message)
    protocol = as_judged(case.protocol)
    answers, repaired = _given(protocol, said.data, len(case.responses))
    try:
        read_answers(protocol, answers, n_responses=len(case.responses))
    except InvalidAnswers as fault:
        return Opinion("unparsed", reasoning=reasoning, message=str(fault))
    return Opinion("repaired" if repaired else said.status, answers, reasoning)


def _given(protocol: Protocol, data: Mapping[str, Any], n_responses: int) -> tuple[dict[str, str], bool]:
    """The answers to the questions that arise; whether something was mended: a number, blanks, one not asked for."""
    given: dict[str, str] = {}
    repaired = False
    for question in questions(protocol, n_responses):
        said = data.get(question.name, "")
        text = str(said) if isinstance(said, int) and not isinstance(said, bool) else said
        if not isinstance(text, str) or not text.strip():
            continue
        repaired |= text.strip() != said or not question.is_put(given)
        if question.is_put(given):
            given[question.name] = text.strip()
    return given, repaired


def examples(case: Case, heard: Hearing, tools: Tools) -> tuple[Shot, ...]:
    """As many examples as the judge is set to show, without those that cannot be heard.

    Raises JudgeError where there are none: a judge that is to learn from examples is another one without them.
    """
    if not heard.shots:
        return ()
    shots = tools.shots(case, heard.shots)
    audible = tuple(it for it in shots if all(turn.sound for turns in it.case.responses for turn in turns))
    if not audible:
        raise JudgeError("There is no labelled unit that may be shown as an example.", permanent=True)
    return audible


def used_shots(shots: Sequence[Shot]) -> list[dict[str, Any]]:
    """Which examples were shown, for whoever looks at the verdict: the item, the clips and the answers."""
    return [
        {
            "item": shot.case.item,
            "clips": [it.sound.sha256[:12] for turns in shot.case.responses for it in turns if it.sound],
            "answers": dict(shot.answers),
        }
        for shot in shots
    ]
