"""TRACE: a language model reads a blueprint of the sound, dimension by dimension, and a policy fuses what it says.

After TRACE/HCoT §3.3 and App. C to E: features become a blueprint, the model judges content, voice quality and
paralinguistics, and the overall label is not asked of it but fused.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Status, Tools
from judges.kinds.text_models.evidence import FEATURES, GROUPS, WORDS, Blueprint, blueprint, legend, without_sound
from judges.kinds.text_models.material import Turn, messages, turns
from judges.kinds.text_models.reading import OF_MODEL, READ, case_opinion, setting
from protocols import Aspect, Protocol
from protocols.fusion import FUSED, OVERALL, POLICIES, fuse, is_fusible
from protocols.judging import judge_instructions

_WORDS, EMOTION, ACCENT, QUALITY, PROPERTIES = GROUPS
#: What a dimension is judged by; any other aspect sees all of it.
EVIDENCE = {
    "content": (WORDS,),
    "voice_quality": (QUALITY,),
    "paralinguistics": (EMOTION, ACCENT, PROPERTIES),
}
POLICY = Setting(
    "policy",
    "How dimensions become an overall label",
    "speakbench",
    choices=tuple((policy.name, policy.title) for policy in POLICIES.values() if policy.always_decides),
)
CALLS = Setting(
    "calls",
    "How the model is asked",
    "each",
    choices=(
        ("each", "Once for each dimension, with the evidence of that dimension"),
        ("together", "Once for all, with all the evidence (as in the paper)"),
    ),
)
#: One switch for each group of features (TRACE/HCoT App. H).
SWITCHES = {
    group: Setting(f"with_{group}", title, True)
    for group, title in {
        WORDS: "With the words",
        EMOTION: "With emotions",
        ACCENT: "With the accent",
        QUALITY: "With the quality of the sound",
        PROPERTIES: "With pitch, loudness and speed",
    }.items()
}
SEES = (
    "You do not hear the recordings. In their place you get a blueprint of each: what programs measured in the "
    "sound. `user_prompt` is what was asked for, and the other entries of the user are how it was said. Weigh "
    "numbers by what they mean for a listener: small differences cannot be heard. Where an entry is null it is not "
    "known, and `notes` say why; do not make it up, and do not hold it against the speaker. The entries:"
)
KEEP_TO_ONE = (
    "Other questions about the same recordings are put elsewhere. Keep to this one, even where the instructions "
    "above name others."
)
NO_OVERALL = "An overall judgement is not wanted of you, even where the instructions above name it."


@dataclass(frozen=True)
class Asked:
    """One request: a part of the protocol, and the groups of features that it is judged by."""

    protocol: Protocol
    groups: tuple[str, ...]
    note: str = ""

    @property
    def names(self) -> str:
        return ", ".join(aspect.name for aspect in self.protocol.aspects)


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    known = {turn: _blueprint(turn, tools) for turn in turns(case)}
    said: dict[str, Any] = {
        "blueprints": [
            {"who": turn.who, "turn": turn.n, **_shown(turn, found, _groups(settings))}
            for turn, found in known.items()
        ],
        "dimensions": {},
    }
    requests = tuple(_requests(case.protocol, settings))
    # Before the first call is paid for.
    for asked in requests:
        if why := _why_nothing_known(known, asked.groups):
            return Opinion("error", message=reasons.ABOUT_ASPECTS(aspects=asked.names, why=why), said=said)
    opinions: list[Opinion] = []
    for asked in requests:
        opinion = _asked(case, asked, known, settings, tools)
        said["dimensions"][asked.names] = _kept(opinion)
        opinions.append(opinion)
        if opinion.status not in READ:
            return replace(opinion, answers={}, message=_about(asked, opinion), said=said)
    return _together(case.protocol, settings, opinions, said)


def _about(asked: Asked, opinion: Opinion) -> Reason:
    return reasons.ABOUT_ASPECTS(aspects=asked.names, why=opinion.message or "")


def _together(protocol: Protocol, settings: Settings, opinions: list[Opinion], said: dict[str, Any]) -> Opinion:
    answers = {name: value for opinion in opinions for name, value in opinion.answers.items()}
    if is_fusible(protocol):
        policy = setting(settings, POLICY)
        labels = {name: answers[name] for name in FUSED}
        overall = fuse(policy, **labels)
        if overall is None:
            return Opinion("error", message=reasons.NO_LABEL_BY_POLICY(policy=policy), said=said)
        said |= {"policy": policy, "fused": labels}
        answers[OVERALL] = overall
    status: Status = "repaired" if any(one.status == "repaired" for one in opinions) else "ok"
    reasoning = "\n\n".join(one.reasoning for one in opinions if one.reasoning)
    return Opinion(status, answers, reasoning, said=said)


def _requests(protocol: Protocol, settings: Settings) -> Iterator[Asked]:
    """One for each dimension, or one for all; the overall label is asked for only where it is not fused."""
    groups = _groups(settings)
    if not is_fusible(protocol):
        yield Asked(protocol, groups)
        return
    dimensions = [replace(protocol.aspect(name), after=()) for name in FUSED]
    if setting(settings, CALLS) == "together":
        yield Asked(_part(protocol, *dimensions), groups, NO_OVERALL)
        return
    for aspect in dimensions:
        own = tuple(group for group in groups if group in EVIDENCE[aspect.name])
        yield Asked(_part(protocol, aspect), own or groups, KEEP_TO_ONE)


def _part(protocol: Protocol, *aspects: Aspect) -> Protocol:
    return replace(protocol, aspects=aspects, examples=())


def _asked(case: Case, asked: Asked, known: Mapping[Turn, Blueprint], settings: Settings, tools: Tools) -> Opinion:
    asks = judge_instructions(asked.protocol, len(case.responses))
    instructions = "\n\n".join(filter(None, (asks, asked.note, f"{SEES}\n{legend(asked.groups)}")))
    part = replace(case, protocol=asked.protocol)
    put = messages(instructions, part, lambda turn: _shown(turn, known[turn], asked.groups))
    return case_opinion(part, put, settings, tools)


def _shown(turn: Turn, found: Blueprint, groups: tuple[str, ...]) -> Mapping[str, Any]:
    """A response by its groups. Of the user their words always, and how they speak; not how good the line was."""
    of_user = turn.response is None
    return found.only({WORDS, *groups} - {QUALITY} if of_user else groups).for_prompt(of_user=of_user)


def _blueprint(turn: Turn, tools: Tools) -> Blueprint:
    """Of what is heard. Words of the import stand in where none were recognised in a response, and say so.

    The user's text is taken from the import first: it is the exact request, however it was recognised.
    """
    sound, text = turn.spoken.sound, turn.spoken.text.strip()
    found = without_sound(reasons.NO_SOUND()) if sound is None else blueprint(tools.features(sound))
    if text and turn.response is None:
        return found.with_words(text)
    if text and found.found[WORDS] is None:
        return found.with_words(text, f"{found.notes[WORDS]} These are the words that came with the recording.")
    return found


def _why_nothing_known(known: Mapping[Turn, Blueprint], groups: tuple[str, ...]) -> Reason | None:
    """The reason, where no response has anything in these groups; else nothing. A model would only guess."""
    if not groups:
        return reasons.EVERYTHING_OFF()
    found = [one.only(groups) for turn, one in known.items() if turn.response is not None]
    if any(one.has_anything for one in found):
        return None
    notes = dict.fromkeys(note for one in found for note in one.notes.values())
    return reasons.NOTHING_KNOWN(why=" ".join(notes))


def _groups(settings: Settings) -> tuple[str, ...]:
    return tuple(group for group, switch in SWITCHES.items() if setting(settings, switch))


def _kept(opinion: Opinion) -> Mapping[str, Any]:
    return {
        "status": opinion.status,
        "answers": dict(opinion.answers),
        "reasoning": opinion.reasoning,
        "message": opinion.message,
    }


def _most_calls(protocol: Protocol, settings: Settings) -> int:
    return len(FUSED) if is_fusible(protocol) and setting(settings, CALLS) == "each" else 1


TRACE = Kind(
    name="trace",
    version="1",
    title="TRACE",
    summary="A language model reads what was measured in the sound, dimension by dimension; a stated policy fuses.",
    judge=_judge,
    fits=lambda _protocol, _settings: None,
    settings=(POLICY, CALLS, *SWITCHES.values(), *OF_MODEL),
    asks_model=True,
    calls=_most_calls,
    features=FEATURES,
    source="TRACE/HCoT §3.3 and App. C to E",
)
