"""Asking a model that hears, and reading its reply as answers to a protocol."""

from collections.abc import Sequence
from typing import Any

from judges import reasons
from judges.backends.contract import JudgeError, JudgeInput
from judges.kinds.audio_models.hearing import Hearing, bearable
from judges.kinds.audio_models.sound_messages import sound_messages
from judges.kinds.contract import Case, Opinion, Shot, Tools
from judges.kinds.text_models.reading import read_opinion
from protocols.judging import judge_schema


def heard_opinion(case: Case, shots: Sequence[Shot], heard: Hearing, tools: Tools) -> Opinion:
    """What the model says of the case when it is put to it in one request. Raises JudgeError, Cancelled."""
    wanted = JudgeInput(
        messages=sound_messages(case, shots, heard),
        schema=judge_schema(case.protocol, len(case.responses)),
        schema_name="verdict",
        max_tokens=heard.max_tokens,
        temperature=heard.temperature,
    )
    said = tools.ask(bearable(wanted, heard))
    return read_opinion(case.protocol, said, n_responses=len(case.responses))


def examples(case: Case, heard: Hearing, tools: Tools) -> tuple[Shot, ...]:
    """As many examples as the judge is set to show, without those that cannot be heard.

    Raises JudgeError where there are none: a judge that is to learn from examples is another one without them.
    """
    if not heard.shots:
        return ()
    shots = tools.shots(case, heard.shots)
    audible = tuple(it for it in shots if all(turn.sound for turns in it.case.responses for turn in turns))
    if not audible:
        raise JudgeError(reasons.NO_EXAMPLE(), permanent=True)
    return audible


def used_shots(shots: Sequence[Shot]) -> list[dict[str, Any]]:
    """The examples that were shown, for readers of the verdict: the item, the clips and the answers."""
    return [
        {
            "item": shot.case.item,
            "clips": [it.sound.sha256[:12] for turns in shot.case.responses for it in turns if it.sound],
            "answers": dict(shot.answers),
        }
        for shot in shots
    ]
