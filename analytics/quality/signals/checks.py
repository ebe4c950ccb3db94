"""Units whose right answer is known: gold, spoken traps, identical pairs."""

from functools import partial

from analytics.quality import reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, share_of_bad
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase


def failed_share(given: Given, tolerated: float, *, purpose: str) -> list[Measurement]:
    """The share of these checks in which some answer was outside what passes."""
    ours = (given.purpose == purpose) & (given.passed >= 0)
    answered, failed = given.per_rater(ours), given.per_rater(ours & (given.passed == 0))
    none = reasons.NONE_OF_THESE_CHECKS()
    return [share_of_bad(bad, n, tolerated, none=none) for bad, n in zip(failed, answered, strict=True)]


def of_purpose(purpose: str) -> partial[list[Measurement]]:
    return partial(failed_share, purpose=purpose)


SIGNALS = (
    Signal(
        name="gold",
        place=10,
        title=Phrase("Gold failed"),
        meaning=Phrase("The share of gold units that were answered otherwise than expected, beyond the tolerance."),
        needs=Phrase("gold units"),
        reason="gold",
        default=Rule(0.1, 3, Action.PAUSE),
        measure=of_purpose("gold"),
    ),
    Signal(
        name="trap",
        place=20,
        title=Phrase("Traps failed"),
        meaning=Phrase("The share of spoken traps that did not get the answer for which they asked."),
        needs=Phrase("spoken traps"),
        reason="trap",
        default=Rule(0.1, 2, Action.WARN),
        measure=of_purpose("trap"),
    ),
    Signal(
        name="identical",
        place=30,
        title=Phrase("Identical not tied"),
        meaning=Phrase("The share of identical pairs in which one side was called better than the very same sound."),
        needs=Phrase("identical pairs"),
        reason="gold",
        default=Rule(0.25, 3, Action.WARN),
        measure=of_purpose("identical"),
    ),
)
