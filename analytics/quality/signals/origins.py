"""Answers that come with those of many others from one network address, as they do when one person is many."""

import numpy as np

from analytics.quality import reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, share_of_bad
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.arrays import Bools

#: So many others within so many seconds are a crowd.
OTHERS, WITHIN_S = 3, 600.0


def from_one_address(given: Given, tolerated: float) -> list[Measurement]:
    """The share of answers within ten minutes of which three or more others answered from the same address."""
    known = given.origin >= 0
    bad = _in_a_crowd(given, known)
    counts = zip(given.per_rater(bad), given.per_rater(known), strict=True)
    none = reasons.NO_ADDRESS_NOTED()
    return [share_of_bad(int(crowded), int(n), tolerated, none=none) for crowded, n in counts]


def _in_a_crowd(given: Given, known: Bools) -> Bools:
    found = np.zeros(len(given.rater), dtype=bool)
    for origin in np.unique(given.origin[known]):
        rows = np.flatnonzero(given.origin == origin)
        rows = rows[np.argsort(given.at[rows], kind="stable")]
        at, rater = given.at[rows], given.rater[rows]
        if len(np.unique(rater)) <= OTHERS:
            continue
        first, last = np.searchsorted(at, at - WITHIN_S), np.searchsorted(at, at + WITHIN_S, side="right")
        for n, row in enumerate(rows):
            found[row] = len(np.unique(rater[first[n] : last[n]])) > OTHERS
    return found


SIGNALS = (
    Signal(
        name="origin",
        place=85,
        title=Phrase("Many from one address"),
        meaning=Phrase("The share of answers around which three others answered from the same network address."),
        needs=Phrase("a public arena"),
        reason="pattern",
        default=Rule(0.2, 3, Action.WARN),
        measure=from_one_address,
    ),
)
