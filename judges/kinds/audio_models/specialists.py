"""Judges of one aspect each: the same case, asked about one thing in a request of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judges.kinds.audio_models.hearing import Hearing
from judges.kinds.audio_models.spoken_answers import heard_opinion
from judges.kinds.contract import Case, Opinion, Shot, Status, Tools
from protocols import Aspect
from protocols.judging import as_judged


def asked_about(case: Case, aspect: Aspect, expertise: str) -> Case:
    """The case as a specialist gets it: one aspect, and instructions of its own instead of the protocol's."""
    alone = replace(aspect, after=(), only_if={}, only_for={}, unlike="")
    protocol = replace(
        as_judged(case.protocol),
        instructions=expertise,
        aspects=(alone,),
        examples=(),
        item_criteria=False,
        criteria_only_if={},
    )
    return replace(case, protocol=protocol)


def specialist_opinion(
    case: Case,
    aspect: Aspect,
    expertise: str,
    shots: Sequence[Shot],
    heard: Hearing,
    tools: Tools,
    *,
    labelled_as: str = "",
) -> Opinion:
    """What a specialist says; examples without a label of the aspect, or of `labelled_as`, are not shown to it."""
    shown = [
        Shot(asked_about(shot.case, aspect, expertise), {aspect.name: label})
        for shot in shots
        if (label := shot.answers.get(aspect.name) or shot.answers.get(labelled_as))
    ]
    return heard_opinion(asked_about(case, aspect, expertise), shown, heard, tools)


def in_a_row(opinions: Mapping[str, Opinion]) -> str:
    """The reasons of all, each under its name."""
    return "\n\n".join(f"{name}: {one.reasoning}" for name, one in opinions.items() if one.reasoning)


def read_all(opinions: Mapping[str, Opinion]) -> Status:
    """`ok` where every reply needed no repair, `repaired` where one did."""
    return "repaired" if any(one.status == "repaired" for one in opinions.values()) else "ok"


def unread(opinions: Mapping[str, Opinion]) -> dict[str, Opinion]:
    """Those that have no answers, by name."""
    return {name: one for name, one in opinions.items() if one.status not in ("ok", "repaired")}
