"""A model that hears one response at a time and rates it; two are compared by their scores (AudioJudge App. E)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from infrastructure.wording.reasons import Reason
from judges import reasons
from judges.kinds.audio_models.hearing import OF_EXAMPLES, OF_SOUND, SHOTS, Hearing, hearing, is_shown_examples
from judges.kinds.audio_models.spoken_answers import examples, heard_opinion, used_shots
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Status, Tools
from judges.kinds.text_models.reading import setting
from protocols import Aspect, InvalidAnswers, Protocol, Question, questions, read_answers
from protocols.judging import as_judged
from protocols.kinds.written import MAX_TEXT
from protocols.scales.named import rating

MARGIN = Setting(
    "margin", "Scores no further apart than this are a tie", 0, least=0, most=4,
    help="Of the five points. Without a margin, only equal scores are a tie.",
)  # fmt: skip
GOOD_FROM = Setting(
    "good_from", "A response is good from this score", 3, least=1, most=5,
    help="Decides whether a tie is of two good or of two bad responses.",
)  # fmt: skip
#: AudioJudge App. E.1: from 1 to 5, as opinion scores are given.
POINTS = rating("points", "Bad", "Poor", "Fair", "Good", "Excellent")
PLAIN_TIES = ("tie", "same")


@dataclass(frozen=True)
class Compared:
    """Two scores, and by which rule they become a label."""

    first: int
    second: int
    margin: float
    good_from: int

    @property
    def better(self) -> str:
        """`1`, `2`, or nothing where they are a tie."""
        if abs(self.first - self.second) <= self.margin:
            return ""
        return "1" if self.first > self.second else "2"


def label_of(question: Question, compared: Compared) -> str:
    """The label on a scale that compares two, or nothing where the scores are a tie and the scale has none.

    Acceptability goes first where ties are typed (TRACE/HCoT §3.2): a good response is better than a bad one,
    however close their scores are.
    """
    offered = question.kind.values
    if "both_good" in offered:
        good = (compared.first >= compared.good_from, compared.second >= compared.good_from)
        if good[0] != good[1]:
            return "1" if good[0] else "2"
        return (compared.better or "both_good") if good[0] else "both_bad"
    if "0" in offered:
        steps = compared.second - compared.first if compared.better else 0
        return min(offered, key=lambda one: abs(int(one) - steps))
    return compared.better or next((one for one in PLAIN_TIES if one in offered), "")


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    heard = hearing(settings)
    if case.protocol.unit == "single":
        shots = examples(case, heard, tools)
        opinion = heard_opinion(case, shots, heard, tools)
        return replace(opinion, said={"shots": used_shots(shots)} if heard.shots else {})
    rated = [_rated(case, place, heard, tools) for place in range(1, len(case.responses) + 1)]
    said = {"scores": [dict(one.answers) for one in rated]}
    if missing := [one for one in rated if one.status not in ("ok", "repaired")]:
        return replace(missing[0], answers={}, said=said)
    reasoning = "\n\n".join(f"{place}: {one.reasoning}" for place, one in enumerate(rated, 1))
    return _together(case, settings, rated, reasoning, said)


def _rated(case: Case, place: int, heard: Hearing, tools: Tools) -> Opinion:
    """One response by itself; nothing in the request reveals its place."""
    protocol = rating_protocol(as_judged(case.protocol))
    one = replace(case, protocol=protocol, responses=(case.responses[place - 1],))
    return heard_opinion(one, (), heard, tools)


def rating_protocol(protocol: Protocol) -> Protocol:
    """A protocol for pairs as ratings of one response: its aspects without texts, each from 1 to 5."""
    aspects = tuple(_rating(aspect) for aspect in protocol.counted_aspects)
    known = {aspect.name for aspect in aspects}
    kept = tuple(replace(it, after=tuple(name for name in it.after if name in known)) for it in aspects)
    return replace(
        protocol, unit="single", aspects=kept, examples=(), item_criteria=False, criteria_only_if={},
        instructions=f"{protocol.instructions} You hear only one of the responses, and rate it by itself.",
    )  # fmt: skip


def _rating(aspect: Aspect) -> Aspect:
    if aspect.per_response:
        return replace(aspect, per_response=False)
    return replace(
        aspect, scale=POINTS, only_if={}, unlike="", required=True,
        question=f"How good is the response in this respect? Listeners are asked of two: “{aspect.question}”",
    )  # fmt: skip


def _together(
    case: Case, settings: Settings, rated: Sequence[Opinion], reasoning: str, said: Mapping[str, Any]
) -> Opinion:
    protocol = as_judged(case.protocol)
    given: dict[str, str] = {}
    for question in questions(protocol, len(case.responses)):
        if question.is_put(given):
            answer = _answer(question, settings, rated, reasoning)
            if not answer and question.required:
                message = reasons.BOTH_RATED_ALIKE(aspect=question.aspect)
                return Opinion("error", reasoning=reasoning, message=message, said=said)
            given |= {question.name: answer} if answer else {}
    try:
        read_answers(protocol, given, n_responses=len(case.responses))
    except InvalidAnswers as fault:
        return Opinion("error", reasoning=reasoning, message=fault.reason, said=said)
    status: Status = "repaired" if any(one.status == "repaired" for one in rated) else "ok"
    return Opinion(status, given, reasoning, said=said)


def _answer(question: Question, settings: Settings, rated: Sequence[Opinion], reasoning: str) -> str:
    if question.kind.is_written:
        return reasoning[:MAX_TEXT] if question.required else ""
    if question.response is not None:
        return rated[question.response - 1].answers.get(question.aspect, "")
    first, second = (int(one.answers[question.aspect]) for one in rated)
    margin, good_from = float(setting(settings, MARGIN)), int(setting(settings, GOOD_FROM))
    return label_of(question, Compared(first, second, margin, good_from))


def _fits(protocol: Protocol, settings: Settings) -> Reason | None:
    if protocol.unit == "item":
        return reasons.RATES_ONE()
    if protocol.unit == "single":
        return None
    if int(setting(settings, SHOTS)):
        return reasons.PAIRS_NO_EXAMPLES()
    compared = {aspect.name for aspect in protocol.aspects if not aspect.per_response}
    for aspect in protocol.aspects:
        if aspect.name in compared and aspect.scale.kind.is_counted and not aspect.scale.kind.compares:
            return reasons.NOT_FROM_ONE(title=aspect.title)
        if aspect.per_response and (compared & set(aspect.only_if) or aspect.unlike in compared):
            return reasons.HANGS_ON_COMPARISON(title=aspect.title)
    return None


AUDIO_POINTWISE = Kind(
    name="audio_pointwise",
    version="1",
    title="Audio model, one by one",
    summary="A model that hears rates each response by itself; pairs are compared by the scores.",
    judge=_judge,
    fits=_fits,
    settings=(MARGIN, GOOD_FROM, *OF_EXAMPLES, *OF_SOUND),
    asks_model=True,
    sends_sound=True,
    needs_examples=is_shown_examples,
    calls=lambda protocol, _settings: 2 if protocol.unit == "pair" else 1,
    source="AudioJudge App. E",
)
