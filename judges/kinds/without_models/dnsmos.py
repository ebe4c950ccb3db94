"""The response with the better DNSMOS wins. It measures noise and distortion, not content."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from infrastructure.wording.reasons import Reason
from judges.kinds.contract import Case, Kind, Opinion, Setting, Settings, Sound, Spoken, Tools
from judges.kinds.without_models.baselines import answered
from judges.kinds.without_models.measured import Measured, NotMeasured, measured, optional
from judges.kinds.without_models.preferring import Leaning, answer_on, unfit_unless_preferring
from protocols import InvalidAnswers, Protocol

MARGIN = Setting(
    "margin",
    "Equal within",
    0.2,
    help="Scores that lie no further apart are a tie.",
    least=0.0,
    most=4.0,
)
ACCEPTABLE = Setting(
    "acceptable",
    "Acceptable from",
    3.0,
    help="A response below it is not acceptable; with two of them, both are bad.",
    least=1.0,
    most=5.0,
)
#: RMS in dB relative to full scale, where sounds are brought to one level first.
LEVEL_DBFS = -26.0
LEVEL = Setting(
    "level",
    "Level",
    "imported",
    choices=(("imported", "as imported"), ("matched", f"all at {LEVEL_DBFS:g} dBFS")),
    help="DNSMOS falls with the level: 20 dB less cost a clean voice 0.8. At one level, every clip is measured anew.",
)


def overall_quality(one: Measured) -> float:
    """OVRL of DNSMOS (1 to 5), at the level at which the extractor takes it. Raises NotMeasured."""
    return one.number("quality", "ovrl", called="dnsmos_ovrl")


def at_one_level(turns: Sequence[Spoken]) -> tuple[Spoken, ...]:
    """The turns with their sounds at LEVEL_DBFS. A changed sound has another hash, the same each time."""
    return tuple(replace(turn, sound=_matched(turn.sound)) if turn.sound else turn for turn in turns)


def _matched(sound: Sound) -> Sound:
    name = hashlib.sha256(f"{sound.sha256} at {LEVEL_DBFS} dBFS".encode()).hexdigest()

    def read() -> tuple[NDArray[np.float64], int]:
        samples, rate = sound.read()
        rms = float(np.sqrt(np.mean(np.square(samples)))) if len(samples) else 0.0
        return (samples * (10 ** (LEVEL_DBFS / 20) / rms) if rms else samples), rate

    return Sound(name, sound.seconds, read)


def _judge(case: Case, settings: Settings, tools: Tools) -> Opinion:
    margin = float(settings.get(MARGIN.name, MARGIN.default))
    acceptable = float(settings.get(ACCEPTABLE.name, ACCEPTABLE.default))
    matched = settings.get(LEVEL.name, LEVEL.default) == "matched"
    first, second = (measured(at_one_level(turns) if matched else turns, tools) for turns in case.responses)
    try:
        one, other = overall_quality(first), overall_quality(second)
        _tell_levels(first, second)
        leaning = Leaning(one, other, margin, one >= acceptable, other >= acceptable)
        answers = answered(case, lambda question: answer_on(question, leaning, seed=case.seed))
    except (NotMeasured, InvalidAnswers) as fault:
        return Opinion("error", message=fault.reason)
    said = {
        "rule": "higher DNSMOS OVRL",
        "features": {"1": first.used, "2": second.used},
        "thresholds": {"margin": margin, "acceptable": acceptable},
    }
    return Opinion("ok", answers, said=said)


def _tell_levels(*sides: Measured) -> None:
    for side in sides:
        optional(partial(side.number, "quality", "level_dbfs", called="level_dbfs"))


def _fits(protocol: Protocol, _settings: Settings) -> Reason | None:
    return unfit_unless_preferring(protocol)


DNSMOS = Kind(
    name="dnsmos",
    version="1",
    title="DNSMOS",
    summary=(
        "Prefers the response with the higher DNSMOS overall score. On real pairs of similar quality it is right "
        "about as often as a coin; it is a check for noise and distortion."
    ),
    judge=_judge,
    fits=_fits,
    settings=(MARGIN, ACCEPTABLE, LEVEL),
    features=("quality",),
    source="Reddy et al. 2021; TRACE/HCoT Appendix C",
)
