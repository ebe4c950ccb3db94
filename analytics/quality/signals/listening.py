"""What was heard before an answer was given."""

import numpy as np

from analytics.quality import reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, share_of_bad
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase

#: A response of which less was played was hardly heard.
HARDLY = 0.5


def hardly_heard(given: Given, tolerated: float) -> list[Measurement]:
    """The share of answers before which some response was played less than half."""
    known = np.isfinite(given.heard)
    bad = known & (given.heard < HARDLY)
    none = reasons.NO_LISTENING()
    counts = zip(given.per_rater(bad), given.per_rater(known), strict=True)
    return [share_of_bad(n_bad, n, tolerated, none=none) for n_bad, n in counts]


SIGNALS = (
    Signal(
        name="listening",
        place=70,
        title=Phrase("Hardly heard"),
        meaning=Phrase("The share of answers before which some response was played less than half."),
        needs=Phrase("clips"),
        reason="listening",
        default=Rule(0.2, 5, Action.WARN),
        measure=hardly_heard,
    ),
)
