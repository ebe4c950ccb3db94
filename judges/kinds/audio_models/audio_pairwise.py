"""A model that hears all the responses of a unit at once, and compares them (AudioJudge §3)."""

from dataclasses import replace

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.audio_models.hearing import OF_EXAMPLES, OF_SOUND, hearing, is_shown_examples
from judges.kinds.audio_models.spoken_answers import examples, heard_opinion, used_shots
from judges.kinds.contract import Case, Kind, Opinion, Settings, Tools
from protocols import Protocol


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    """One request with every question of the protocol; reasons come first, as the schema has it."""
    heard = hearing(settings)
    shots = examples(case, heard, tools)
    opinion = heard_opinion(case, shots, heard, tools)
    said = {"strategy": heard.strategy} | ({"shots": used_shots(shots)} if heard.shots else {})
    return replace(opinion, said=said)


def _fits(protocol: Protocol, _settings: Settings) -> Reason | None:
    return reasons.COMPARES_SEVERAL() if protocol.unit == "single" else None


AUDIO_PAIRWISE = Kind(
    name="audio_pairwise",
    version="1",
    title="Audio model, side by side",
    summary="A model that hears gets all the responses at once and answers the protocol's questions.",
    judge=_judge,
    fits=_fits,
    settings=(*OF_EXAMPLES, *OF_SOUND),
    asks_model=True,
    sends_sound=True,
    needs_examples=is_shown_examples,
    calls=lambda _protocol, _settings: 1,
    source="AudioJudge §3 and App. B.1",
)
