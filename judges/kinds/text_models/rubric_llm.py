"""A model that checks one response by yes/no criteria, with a reason for each (MTalk-Bench §5.2 and App. D.3.2)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Status, Tools
from judges.kinds.text_models.material import Turn, messages, turns
from judges.kinds.text_models.reading import OF_MODEL, READ, ask, read_opinion, setting
from judges.kinds.text_models.transcript_llm import READS
from judges.kinds.text_models.transcripts import OF_WORDS, TRANSCRIPT, TRANSCRIPTS, Words, why_nothing_known, words
from protocols import Aspect, Protocol, questions
from protocols.documents.examples import CRITERION
from protocols.judging import judge_instructions

CALLS = Setting(
    "calls",
    "How the model is asked",
    "levels",
    choices=(
        ("levels", "First the general criteria, then those of the item (as in the paper)"),
        ("together", "Once for all criteria"),
    ),
)
#: A reason is a text of its own, written before the answer.
REASON = ".reason"
STRICT = (
    "Check each criterion by itself, by what is in the material. Before each answer give the reason in one sentence, "
    f"under the criterion's name with `{REASON}` after it: quote or name what decides it. Do not presume what the "
    "system may have meant. A criterion that does not arise gets an empty reason and an empty answer."
)
BINARY = {"yes", "no"}


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    known = {turn: words(turn.spoken, settings, tools) for turn in turns(case)}
    said: dict[str, Any] = {
        "words": [{"who": turn.who, "turn": turn.n, **found.for_prompt} for turn, found in known.items()],
        "reasons": {},
    }
    if why := why_nothing_known(known.items()):
        return Opinion("error", message=why, said=said)
    answers: dict[str, str] = {}
    statuses: list[Status] = []
    reasoning: list[str] = []
    for aspects in _levels(case.protocol, settings):
        if not (arising := _arising(aspects, answers)):
            continue
        part = replace(case, protocol=replace(case.protocol, aspects=arising, examples=()))
        opinion, reasons = _checked(part, known, settings, tools)
        if opinion.status not in READ:
            return replace(opinion, answers={}, said=said)
        said["reasons"] |= reasons
        answers |= opinion.answers
        statuses.append(opinion.status)
        reasoning.append(opinion.reasoning)
    status: Status = "repaired" if "repaired" in statuses else "ok"
    return Opinion(status, answers, "\n\n".join(filter(None, reasoning)), said=said)


def _checked(
    part: Case, known: Mapping[Turn, Words], settings: Settings, tools: Tools
) -> tuple[Opinion, dict[str, str]]:
    """One level in one request, and the reason for every criterion that arose."""
    n_responses = len(part.responses)
    put = questions(part.protocol, n_responses)
    instructions = "\n\n".join([judge_instructions(part.protocol, n_responses), STRICT, READS, OF_WORDS])
    output = ask(
        part.protocol,
        messages(instructions, part, lambda turn: known[turn].for_prompt),
        settings,
        tools,
        n_responses=n_responses,
        extra={f"{question.name}{REASON}": {"type": "string"} for question in put},
    )
    opinion = read_opinion(part.protocol, output, n_responses=n_responses)
    return opinion, {name: str(output.data.get(f"{name}{REASON}", "")) for name in opinion.answers}


def _levels(protocol: Protocol, settings: Settings) -> list[tuple[Aspect, ...]]:
    """The general criteria, then those of the item; or all of them at once."""
    if setting(settings, CALLS) == "together":
        return [protocol.aspects]
    of_item = tuple(aspect for aspect in protocol.aspects if aspect.name.startswith(CRITERION))
    return [tuple(aspect for aspect in protocol.aspects if aspect not in of_item), of_item]


def _arising(aspects: tuple[Aspect, ...], answers: Mapping[str, str]) -> tuple[Aspect, ...]:
    """Those that arise after the answers of the level before, without the conditions that are settled by them."""
    here = {aspect.name for aspect in aspects}
    settled = [
        (aspect, {name: value for name, value in aspect.only_if.items() if name not in here}) for aspect in aspects
    ]
    return tuple(
        replace(
            aspect,
            only_if={name: value for name, value in aspect.only_if.items() if name in here},
            after=tuple(name for name in aspect.after if name in here),
        )
        for aspect, gates in settled
        if all(answers.get(name) == value for name, value in gates.items())
    )


def _fits(protocol: Protocol, _settings: Settings) -> Reason | None:
    if protocol.unit != "single":
        return reasons.CHECKS_ONE()
    for aspect in protocol.aspects:
        if not aspect.scale.kind.is_yes_no:
            return reasons.YES_OR_NO_ONLY(title=aspect.title)
    return None


RUBRIC_LLM = Kind(
    name="rubric_llm",
    version="1",
    title="Language model, criteria",
    summary="A language model checks what one response says by yes/no criteria, with a reason for each.",
    judge=_judge,
    fits=_fits,
    settings=(CALLS, TRANSCRIPTS, *OF_MODEL),
    asks_model=True,
    calls=lambda protocol, settings: 2 if protocol.item_criteria and setting(settings, CALLS) == "levels" else 1,
    features=(TRANSCRIPT,),
    source="MTalk-Bench §5.2 and App. D.3.2",
)
