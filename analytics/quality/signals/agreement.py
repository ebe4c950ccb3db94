"""Agreement of an annotator with the others."""

import numpy as np

from analytics.quality import evidence, reasons
from analytics.quality.inputs import Given, Others, others_of_each
from analytics.quality.signals.signal import Measurement, Signal, undefined
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.arrays import Floats

#: Up to this κ of the typical annotator, agreement cannot be distinguished from chance.
LEAST_USUAL = 0.05
FEWEST_ANNOTATORS = 3


def unlike_others(given: Given, tolerated: float) -> list[Measurement]:
    """κ with everybody else, divided by the campaign's median of it: 1 is usual, 0 is chance."""
    found = [_against(given, others) for others in others_of_each(given)]
    standing = given.standing
    kappas = [
        one.kappa for one, stands in zip(found, standing, strict=True) if stands and one and one.kappa is not None
    ]
    usual = float(np.median(kappas)) if len(kappas) >= FEWEST_ANNOTATORS else None
    return [_compared(one, usual, tolerated) for one in found]


class _Against:
    """Agreement of one annotator with each unit's other answers, and what chance would give."""

    def __init__(self, scores: Floats, chance: float) -> None:
        self.scores, self.chance = scores, chance

    @property
    def kappa(self) -> float | None:
        return float((self.scores.mean() - self.chance) / (1 - self.chance)) if self.chance < 1 else None


def _against(given: Given, others: Others) -> _Against | None:
    overlap = others.n_on_unit > 0
    if not overlap.any():
        return None
    mine = given.value[others.rows[overlap]]
    on_unit = others.on_unit[overlap]
    scores = on_unit[np.arange(len(mine)), mine] / on_unit.sum(axis=1)
    own = np.bincount(mine, minlength=len(given.values)) / len(mine)
    return _Against(scores, float(own @ (others.overall / others.overall.sum())))


def _compared(one: _Against | None, usual: float | None, tolerated: float) -> Measurement:
    if one is None:
        return undefined(reasons.NOBODY_ON_SAME_UNITS())
    n = len(one.scores)
    if one.kappa is None:
        return undefined(reasons.ALWAYS_THE_SAME(), n)
    if usual is None:
        return undefined(reasons.FEW_IN_COMMON(), n)
    if usual <= LEAST_USUAL:
        return undefined(reasons.HARDLY_ABOVE_CHANCE(), n)
    return Measurement(
        value=one.kappa / usual,
        n=n,
        tolerated=tolerated,
        evidence=evidence.of_low_mean(one.scores, one.chance + tolerated * usual * (1 - one.chance)),
        detail=reasons.KAPPA_BESIDE_USUAL(own=f"{one.kappa:.2f}", usual=f"{usual:.2f}"),
    )


SIGNALS = (
    Signal(
        name="agreement",
        place=120,
        title=Phrase("Like others"),
        meaning=Phrase(
            "Agreement with others beyond chance, where 1 is that of the typical annotator and 0 is chance."
        ),
        needs=Phrase("two other annotators with units in common"),
        reason="agreement",
        default=Rule(0.5, 20, Action.WARN),
        measure=unlike_others,
        stage=2,
        unit="ratio",
        low_is_bad=True,
    ),
)
