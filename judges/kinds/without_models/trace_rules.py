"""TRACE without a language model: a verdict per dimension from features and stated thresholds, then a fusion.

It is a demonstration, and a check of what can be verified: noise, clipping, pace, flat pitch, long pauses, an empty,
echoed, refused or looping answer, and words that were required. It does not know whether an answer is right.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from infrastructure.wording.reasons import Reason, Reasoned
from judges import reasons
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Tools
from judges.kinds.without_models.baselines import answered
from judges.kinds.without_models.dnsmos import overall_quality
from judges.kinds.without_models.measured import Measured, NotMeasured, measured, optional
from judges.kinds.without_models.preferring import Leaning, answer_on, unfit_unless_preferring
from judges.kinds.without_models.said_words import is_refusal, longest_loop, word_error_rate, words_of
from protocols import InvalidAnswers, Protocol, Question
from protocols.fusion import BOTH_BAD, BOTH_GOOD, FUSED, POLICIES, fuse

DIMENSIONS = FUSED
ASPECTS = (*DIMENSIONS, "overall")
FAULTS = "faults"
#: Where an item states the required words; the first that exists counts.
REQUIRED = ("required_text", "reference_translation")

OVRL = Setting("ovrl", "DNSMOS from", 3.0, help="A voice below it is not acceptable.", least=1.0, most=5.0)
OVRL_MARGIN = Setting("ovrl_margin", "DNSMOS equal within", 0.5, least=0.0, most=4.0)
CLIPPED = Setting(
    "clipped", "Clipped share up to", 0.005, help="Share of samples at full scale.", least=0.0, most=1.0
)
SLOWEST = Setting("slowest", "Words per minute from", 90, least=0, most=1000)
FASTEST = Setting("fastest", "Words per minute up to", 230, least=0, most=1000)
FLATTEST = Setting(
    "flattest", "Pitch varies by (Hz) at least", 10.0, help="Standard deviation.", least=0.0, most=200.0
)
PAUSE = Setting("pause", "Longest pause up to (s)", 2.0, least=0.0, most=60.0)
FEWEST = Setting("fewest_words", "Words at least", 3, least=0, most=1000)
ECHO = Setting(
    "echo", "Echo below a word error rate of", 0.3, help="Against the prompt's words.", least=0.0, most=1.0
)
ERRORS = Setting(
    "errors", "Word error rate up to", 0.3, help="Against the text that an item requires.", least=0.0, most=1.0
)
FUSION = Setting(
    "fusion",
    "Overall",
    FAULTS,
    choices=(
        (FAULTS, "acceptable without a fault in any dimension; then fewer faults are better"),
        *((policy.name, policy.title) for policy in POLICIES.values()),
    ),
    help="Policies fuse the three dimensions as typed ties, whatever the protocol's own scale is.",
)
LIMITS = (OVRL, OVRL_MARGIN, CLIPPED, SLOWEST, FASTEST, FLATTEST, PAUSE, FEWEST, ECHO, ERRORS)


class NoLabel(Reasoned, ValueError):
    """The policy says nothing of these dimensions; the message says which policy."""


@dataclass(frozen=True)
class Finding:
    """What the rules of one dimension say of one response: a score, and the faults that they found."""

    score: float
    faults: tuple[str, ...]
    acceptable: bool


Rules = Callable[[Measured, Case, Mapping[str, float]], Finding]


def _content(one: Measured, case: Case, limits: Mapping[str, float]) -> Finding:
    """Faults of the words. Only words that were required can be better or worse by degrees."""
    text = one.text()
    words, prompt = words_of(text), " ".join(turn.text for turn in case.prompt)
    faults = []
    if not words:
        faults.append("empty")
    elif len(words) < limits["fewest_words"]:
        faults.append("too short")
    if words and prompt and word_error_rate(prompt, text) < limits["echo"]:
        faults.append("repeats the prompt")
    if is_refusal(text):
        faults.append("refuses")
    if longest_loop(words) >= 3:
        faults.append("loops")
    score = -float(len(faults))
    required = next((str(case.facts[name]) for name in REQUIRED if case.facts.get(name)), "")
    if required:
        errors = word_error_rate(required, text)
        one.used["word_error_rate"] = round(errors, 4)
        score -= errors
        faults += ["other words than required"] if errors > limits["errors"] else []
    return Finding(score, tuple(faults), not faults)


def _voice_quality(one: Measured, _case: Case, limits: Mapping[str, float]) -> Finding:
    score, clipped = overall_quality(one), one.clipped_share()
    faults = (["DNSMOS too low"] if score < limits["ovrl"] else []) + (
        ["clipped"] if clipped > limits["clipped"] else []
    )
    return Finding(score, tuple(faults), not faults)


def _paralinguistics(one: Measured, _case: Case, limits: Mapping[str, float]) -> Finding:
    """Pace, variation of pitch and pauses; each may be missing, but not all of them."""
    pace = optional(partial(one.number, "rates", "speech_rate_wpm", called="words_per_minute"))
    varies = optional(partial(one.number, "pitch", "sd_hz", called="pitch_sd_hz"))
    pause = optional(partial(one.number, "voice_activity", "longest_pause_s", called="longest_pause_s"))
    if pace is None and varies is None and pause is None:
        raise NotMeasured(reasons.NO_PACE_PITCH_PAUSES())
    faults = []
    if pace is not None and not limits["slowest"] <= pace <= limits["fastest"]:
        faults.append("too slow" if pace < limits["slowest"] else "too fast")
    if varies is not None and varies < limits["flattest"]:
        faults.append("monotone")
    if pause is not None and pause > limits["pause"]:
        faults.append("long pause")
    return Finding(-float(len(faults)), tuple(faults), not faults)


RULES: Mapping[str, Rules] = {
    "content": _content,
    "voice_quality": _voice_quality,
    "paralinguistics": _paralinguistics,
}


#: A typed tie as what it says of each response.
AS_LEANING = {
    "1": Leaning(1.0, 0.0),
    "2": Leaning(0.0, 1.0),
    BOTH_GOOD: Leaning(0.0, 0.0),
    BOTH_BAD: Leaning(0.0, 0.0, first_acceptable=False, second_acceptable=False),
}


def fused(policy: str, leanings: Mapping[str, Leaning]) -> Leaning:
    """What a shared policy makes of the dimensions. Raises NoLabel where it is undefined for them.

    >>> fused("majority_content", dict.fromkeys(DIMENSIONS, Leaning(1.0, 0.0))).better
    '1'
    """
    labels = {name: leanings[name].typed_tie for name in DIMENSIONS}
    if (label := fuse(policy, **labels)) is None:
        raise NoLabel(reasons.NO_LABEL_BY_POLICY(policy=policy))
    return AS_LEANING[label]


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    limits = {setting.name: float(settings.get(setting.name, setting.default)) for setting in LIMITS}
    fusion = str(settings.get(FUSION.name, FUSION.default))
    first, second = (measured(turns, tools) for turns in case.responses)
    try:
        found = {name: (rules(first, case, limits), rules(second, case, limits)) for name, rules in RULES.items()}
        leanings = {name: _leaning(name, *pair, limits=limits) for name, pair in found.items()}
        leanings["overall"] = (
            _without_faults(*(_all_of(found, place) for place in (0, 1)))
            if fusion == FAULTS
            else fused(fusion, leanings)
        )
        answers = answered(case, partial(_answer, case, leanings))
    except (NotMeasured, NoLabel, InvalidAnswers) as fault:
        return Opinion("error", message=fault.reason)
    said = {
        "rule": f"overall: {dict(FUSION.choices)[fusion]}",
        "faults": {name: {str(n): list(it.faults) for n, it in enumerate(pair, 1)} for name, pair in found.items()},
        "features": {"1": first.used, "2": second.used},
        "thresholds": limits,
    }
    return Opinion("ok", answers, said=said)


def _leaning(name: str, first: Finding, second: Finding, *, limits: Mapping[str, float]) -> Leaning:
    margin = limits["ovrl_margin"] if name == "voice_quality" else 0.0
    return Leaning(first.score, second.score, margin, first.acceptable, second.acceptable)


def _all_of(found: Mapping[str, tuple[Finding, Finding]], place: int) -> tuple[str, ...]:
    return tuple(fault for pair in found.values() for fault in pair[place].faults)


def _without_faults(first: tuple[str, ...], second: tuple[str, ...]) -> Leaning:
    """A response is as good as its worst dimension: one fault anywhere, and it is not acceptable."""
    return Leaning(-float(len(first)), -float(len(second)), 0.0, not first, not second)


def _answer(case: Case, leanings: Mapping[str, Leaning], question: Question) -> str:
    return answer_on(question, leanings[question.aspect], seed=case.seed)


def _fits(protocol: Protocol, _settings: Settings) -> Reason | None:
    return unfit_unless_preferring(protocol, ASPECTS)


TRACE_RULES = Kind(
    name="trace_rules",
    version="2",
    title="TRACE by rules (a demonstration)",
    summary=(
        "Compares features with stated thresholds, dimension by dimension. It needs no key, shows the path that a "
        "judge takes, and checks what can be verified; it does not understand what is said."
    ),
    judge=_judge,
    fits=_fits,
    settings=(*LIMITS, FUSION),
    features=("transcript", "quality", "rates", "pitch", "voice_activity"),
    source="TRACE/HCoT §3.3 and Appendix C, without its language model",
)
