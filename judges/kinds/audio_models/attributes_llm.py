"""Judges of single properties of sound: the speaker, the pronunciation, the speed, the clarity (AudioJudge §4)."""

from dataclasses import replace

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.audio_models.hearing import OF_EXAMPLES, OF_SOUND, hearing, is_shown_examples
from judges.kinds.audio_models.specialists import in_a_row, read_all, specialist_opinion, unread
from judges.kinds.audio_models.spoken_answers import examples, used_shots
from judges.kinds.contract import Case, Kind, Opinion, Settings, Tools
from protocols import InvalidAnswers, Protocol, read_answers
from protocols.judging import as_judged

#: By aspect: the instructions for the judge.
EXPERTISE = {
    "same_speaker": (
        "You compare voices. Decide whether one person speaks in both clips, by what stays with a speaker whatever "
        "is said: the range and colour of the voice, its resonance, habits of articulation. A different mood, pace, "
        "text or line does not make another person; the same sex and accent do not make the same one."
    ),
    "same_pronunciation": (
        "You are a phonetician. Write down for yourself the sounds of each clip one after the other, the number of "
        "syllables and which of them are stressed, then compare. A difference that comes from an accent alone does "
        "not count; another vowel, consonant, syllable or stress does."
    ),
    "faster": (
        "You measure the speed of speech. Estimate for each clip how many syllables are spoken in a second while "
        "somebody speaks. A shorter clip is not a faster one, and a pause is not slow speech."
    ),
    "clearer": (
        "You assess the quality of recorded speech. Take each clip for itself first: is it easy to understand, does "
        "the voice sound natural, is there noise, distortion, an echo or a break? Then compare. What is said is of "
        "no account."
    ),
}


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    """Each property in a request of its own; one that cannot be read leaves the verdict without answers."""
    heard = hearing(settings)
    shots = tuple(replace(shot, case=_two_clips(shot.case)) for shot in examples(case, heard, tools))
    case = _two_clips(case)
    protocol = as_judged(case.protocol)
    opinions = {
        aspect.name: specialist_opinion(case, aspect, EXPERTISE[aspect.name], shots, heard, tools)
        for aspect in protocol.aspects
    }
    said = {"statuses": {name: one.status for name, one in opinions.items()}}
    shown = {"shots": used_shots(shots)} if heard.shots else {}
    answers = {name: one.answers[name] for name, one in opinions.items() if name in one.answers}
    opinion = Opinion(read_all(opinions), answers, in_a_row(opinions), said=said | shown)
    if missing := list(unread(opinions).values()):
        return replace(opinion, status=missing[0].status, answers={}, message=missing[0].message)
    try:
        read_answers(protocol, answers, n_responses=len(case.responses))
    except InvalidAnswers as fault:
        return replace(opinion, status="error", answers={}, message=fault.reason)
    return opinion


def _two_clips(case: Case) -> Case:
    """The two clips that are compared and no third voice: of what they answer, the words alone (AudioJudge §4)."""
    return replace(case, prompt=tuple(replace(turn, sound=None) for turn in case.prompt))


def _fits(protocol: Protocol, _settings: Settings) -> Reason | None:
    if protocol.unit != "pair" or protocol.item_criteria:
        return reasons.COMPARES_TWO_CLIPS()
    unknown = [aspect for aspect in protocol.aspects if aspect.name not in EXPERTISE or aspect.only_if]
    return reasons.NO_PROMPT_FOR(title=unknown[0].title) if unknown else None


ATTRIBUTES_LLM = Kind(
    name="attributes_llm",
    version="2",
    title="Audio model, property by property",
    summary="Asks a model that hears about speaker, pronunciation, speed and clarity, one at a time.",
    judge=_judge,
    fits=_fits,
    settings=(*OF_EXAMPLES, *OF_SOUND),
    asks_model=True,
    sends_sound=True,
    needs_examples=is_shown_examples,
    calls=lambda protocol, _settings: len(protocol.aspects),
    source="AudioJudge §4",
)
