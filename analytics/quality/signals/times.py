"""Answers that were faster than listening allows."""

import numpy as np

from analytics.quality import reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, share_of_bad, undefined
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.arrays import Bools, Floats

#: Less than this share of the unit's sound is too little time to have heard it.
OF_AUDIO = 0.5
#: Less than this share of the others' usual time is fast.
OF_OTHERS = 1 / 3
FEWEST_OTHERS = 2


def faster_than_sound(given: Given, tolerated: float) -> list[Measurement]:
    """The share of answers given in less than half the time that the unit's clips last."""
    known = np.isfinite(given.took) & (given.audio > 0)
    fast = known & (given.took < OF_AUDIO * given.audio)
    return _shares(given, known, fast, tolerated)


def faster_than_others(given: Given, tolerated: float) -> list[Measurement]:
    """The share of answers given in less than a third of the others' median time, per second of sound where known."""
    known = np.isfinite(given.took)
    pace = _pace(given)
    standing = np.flatnonzero(given.standing)
    usual = [float(np.median(pace[mine])) if (mine := known & (given.rater == r)).any() else np.nan
             for r in range(given.n_raters)]  # fmt: skip
    said = []
    for rater in range(given.n_raters):
        others = np.array([usual[o] for o in standing if o != rater and np.isfinite(usual[o])])
        mine = pace[known & (given.rater == rater)]
        if len(others) < FEWEST_OTHERS:
            said.append(undefined(reasons.FEW_OTHERS(), len(mine)))
            continue
        fast = int((mine < OF_OTHERS * np.median(others)).sum())
        said.append(share_of_bad(fast, len(mine), tolerated, none=reasons.NO_TIMES()))
    return said


def _pace(given: Given) -> Floats:
    """Seconds per second of sound; plain seconds where no unit has sound."""
    has_sound = given.audio > 0
    if not has_sound.any():
        return given.took
    usual = float(np.median(given.audio[has_sound]))
    return given.took / np.where(has_sound, given.audio, usual)


def _shares(given: Given, known: Bools, fast: Bools, tolerated: float) -> list[Measurement]:
    counts = zip(given.per_rater(fast), given.per_rater(known), strict=True)
    return [share_of_bad(bad, n, tolerated, none=reasons.NO_TIMES()) for bad, n in counts]


SIGNALS = (
    Signal(
        name="fast",
        place=50,
        title=Phrase("Faster than the sound"),
        meaning=Phrase("The share of answers that took less than half as long as the clips of the unit last."),
        needs=Phrase("clips"),
        reason="speed",
        default=Rule(0.2, 5, Action.WARN),
        measure=faster_than_sound,
        in_arena=Action.EXCLUDE,
    ),
    Signal(
        name="faster",
        place=60,
        title=Phrase("Faster than others"),
        meaning=Phrase("The share of answers that took less than a third of the time that others usually take."),
        needs=Phrase("two other annotators"),
        reason="speed",
        default=Rule(0.2, 8, Action.WARN),
        measure=faster_than_others,
        stage=1,
    ),
)
