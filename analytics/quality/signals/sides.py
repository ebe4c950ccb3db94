"""Preference for a side of the screen, independent of what is heard there."""

import numpy as np
import scipy

from analytics.quality import evidence, reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, undefined
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.proportions import wilson


def one_side(given: Given, tolerated: float) -> list[Measurement]:
    """The share of the more frequent side among the answers that name a winner, as it stood on the screen.

    Sides are drawn at random for each unit, so that an annotator who listens chooses either side half of the time;
    that one system is better than the other cannot look like a side.
    """
    shown = given.shown
    decisive = given.is_study & (given.value >= 0) & given.sided[given.value]
    values = np.array(given.values)
    is_first = np.isin(values, ["a"]) | np.char.startswith(values, "-")
    first = given.per_rater(decisive & is_first[shown])
    return [_of_counts(int(a), int(n - a), tolerated) for a, n in zip(first, given.per_rater(decisive), strict=True)]


def _of_counts(first: int, second: int, tolerated: float) -> Measurement:
    n, more = first + second, max(first, second)
    if not n:
        return undefined(reasons.NO_SIDE_NAMED())
    return Measurement(
        value=more / n,
        n=n,
        tolerated=tolerated,
        evidence=evidence.of_one_side(first, second, tolerated),
        p=float(scipy.stats.binomtest(first, n).pvalue),
        interval=wilson(more, n),
        detail=reasons.SIDES_CHOSEN(first=first, second=second),
    )


SIGNALS = (
    Signal(
        name="side",
        place=80,
        title=Phrase("One side"),
        meaning=Phrase("The share of the more frequent side of the screen among answers that name a winner."),
        needs=Phrase("pairs"),
        reason="side",
        default=Rule(0.65, 8, Action.WARN),
        measure=one_side,
        in_arena=Action.EXCLUDE,
    ),
)
