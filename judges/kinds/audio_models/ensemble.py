"""Three judges that hear, each for one aspect, and one label from their votes (AudioJudge §3.4 and Table 7)."""

from collections.abc import Mapping
from typing import Any, cast

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.audio_models.hearing import OF_EXAMPLES, OF_SOUND, hearing, is_shown_examples
from judges.kinds.audio_models.specialists import in_a_row, read_all, specialist_opinion, unread
from judges.kinds.audio_models.spoken_answers import examples, used_shots
from judges.kinds.audio_models.votes import LEAST_VOTES, Combined, Fallback, Rule, combined
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Tools
from judges.kinds.text_models.reading import setting
from protocols import Aspect, InvalidAnswers, Protocol, questions, read_answers
from protocols.judging import as_judged
from protocols.kinds.written import MAX_TEXT

RULE = Setting(
    "rule", "How votes become a label", "majority",
    choices=(("majority", "What more than half say"), ("mean", "The mean of the votes (AudioJudge, Table 8)")),
)  # fmt: skip
FALLBACK = Setting(
    "fallback", "Where no more than half agree", "content",
    choices=(
        ("content", "What the judge of content says"),
        ("both_bad", "Both bad"),
        ("mean", "The mean of the votes"),
        ("none", "Nothing: the verdict is missing"),
    ),
)  # fmt: skip

#: By the names that HCoT gives these aspects: title, question, and the specialist's instructions.
SPECIALISTS = {
    "content": (
        "Content",
        "Which response does what was asked, going by its words?",
        "You are the judge of content. Work as if you read a transcript: is what is said correct, complete, in good "
        "order and in fitting words for what was asked? How it sounds is judged by others; let voice, accent, tone, "
        "pace and the quality of the recording pass, even where the request is about sounding a certain way.",
    ),
    "paralinguistics": (
        "Paralinguistics",
        "Which response is spoken as was asked, or as the moment calls for?",
        "You are the judge of the way of speaking. First say what the request calls for: a tone, a feeling, a pace, "
        "an accent, a sound, a style. Then listen whether it is done, in rhythm, melody, emphasis and expression. "
        "Doing it counts, announcing it does not. Which words are said, and how clean the recording is, is judged by "
        "others.",
    ),
    "voice_quality": (
        "Voice quality",
        "Which response sounds better as speech?",
        "You are the judge of speech quality. Listen for whether every word can be understood, whether the voice is "
        "natural, fluent and correctly pronounced, and whether there is noise, distortion, a break or another fault "
        "of the recording. What is said, and with what expression, is judged by others.",
    ),
}


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    heard = hearing(settings)
    shots = examples(case, heard, tools)
    protocol = as_judged(case.protocol)
    target = target_of(protocol)
    opinions = {
        name: specialist_opinion(
            case, aspect, SPECIALISTS[name][2], shots, heard, tools, labelled_as=target.name if target else ""
        )
        for name, aspect in specialists_of(protocol).items()
    }
    votes = {name: one.answers[name] for name, one in opinions.items() if name in one.answers}
    said: dict[str, Any] = {
        "votes": {name: votes.get(name) for name in opinions},
        "statuses": {name: one.status for name, one in opinions.items()},
    }
    if heard.shots:
        said["shots"] = used_shots(shots)
    asked = {aspect.name for aspect in protocol.aspects}
    if missing := unread(opinions):
        needed = [one for name, one in missing.items() if name in asked or len(votes) < LEAST_VOTES]
        if needed:
            return Opinion(needed[0].status, reasoning=in_a_row(opinions), message=needed[0].message, said=said)
    return _voted(case, settings, opinions, votes, said)


def _voted(
    case: Case, settings: Settings, opinions: Mapping[str, Opinion], votes: Mapping[str, str], said: dict[str, Any]
) -> Opinion:
    protocol, reasoning = as_judged(case.protocol), in_a_row(opinions)
    answers = {aspect.name: votes[aspect.name] for aspect in protocol.aspects if aspect.name in votes}
    if (target := target_of(protocol)) is not None:
        result = _combined(target, settings, votes)
        said["decided_by"] = result.by
        if result.label is None:
            message = reasons.NO_LABEL_BY_VOTES(rule=result.by)
            return Opinion("error", reasoning=reasoning, message=message, said=said)
        answers[target.name] = result.label
    for question in questions(protocol, len(case.responses)):
        if question.kind.is_written and question.required and question.is_put(answers):
            answers[question.name] = reasoning[:MAX_TEXT]
    try:
        read_answers(protocol, answers, n_responses=len(case.responses))
    except InvalidAnswers as fault:
        return Opinion("error", reasoning=reasoning, message=fault.reason, said=said)
    return Opinion(read_all(opinions), answers, reasoning, said=said)


def _combined(target: Aspect, settings: Settings, votes: Mapping[str, str]) -> Combined:
    return combined(
        votes,
        rule=cast(Rule, setting(settings, RULE)),
        fallback=cast(Fallback, setting(settings, FALLBACK)),
        offered=target.scale.kind.values,
    )


def specialists_of(protocol: Protocol) -> dict[str, Aspect]:
    """What each specialist is asked: the protocol's aspect of its name, or its own question on the target's scale.

    Where the protocol has a target, all three vote; else those whose aspects it has.
    """
    own = {aspect.name: aspect for aspect in protocol.aspects if aspect.name in SPECIALISTS}
    target = target_of(protocol)
    if target is None:
        return own
    made = {name: Aspect(name, title, question, target.scale) for name, (title, question, _) in SPECIALISTS.items()}
    return made | own


def target_of(protocol: Protocol) -> Aspect | None:
    """The aspect that the votes decide: the last that compares and is no specialist's."""
    others = [it for it in protocol.counted_aspects if it.name not in SPECIALISTS]
    return others[-1] if others else None


def _fits(protocol: Protocol, settings: Settings) -> Reason | None:
    if protocol.unit != "pair":
        return reasons.JUDGES_COMPARE_TWO()
    if protocol.item_criteria:
        return reasons.NO_ITEM_CRITERIA()
    target = target_of(protocol)
    if found := next(filter(None, (_misfit(aspect, target) for aspect in protocol.aspects)), None):
        return found
    needs_both_bad = setting(settings, RULE) == "majority" and setting(settings, FALLBACK) == "both_bad"
    if target and needs_both_bad and "both_bad" not in target.scale.kind.values:
        return reasons.FALLBACK_MISSING()
    return None


def _misfit(aspect: Aspect, target: Aspect | None) -> Reason | None:
    if not aspect.scale.kind.is_counted:
        return None
    if aspect.name not in SPECIALISTS and aspect != target:
        return reasons.NO_JUDGE_FOR(title=aspect.title)
    if aspect.per_response or not aspect.scale.kind.names_responses:
        return reasons.ASKS_NOT_WHICH(title=aspect.title)
    if target and aspect.scale.options != target.scale.options:
        return reasons.CHOICES_DIFFER(title=aspect.title, other=target.title)
    return None


ENSEMBLE = Kind(
    name="ensemble",
    version="1",
    title="Ensemble of three that hear",
    summary="Content, way of speaking and speech quality are judged each by itself; the votes make the label.",
    judge=_judge,
    fits=_fits,
    settings=(RULE, FALLBACK, *OF_EXAMPLES, *OF_SOUND),
    asks_model=True,
    sends_sound=True,
    needs_examples=is_shown_examples,
    calls=lambda protocol, _settings: len(specialists_of(as_judged(protocol))),
    source="AudioJudge §3.4 and Table 7",
)
