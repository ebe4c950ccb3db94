"""All the checks taken together, because there are few of each kind."""

import numpy as np

from analytics.quality import evidence, reasons
from analytics.quality.inputs import REPEAT, Given
from analytics.quality.signals.repeats import answered_again
from analytics.quality.signals.signal import Measurement, Signal, undefined
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.arrays import Floats

#: The share of checks of each kind that a careful person may fail; of any other kind, that of gold.
TOLERATED = {"gold": 0.1, "identical": 0.25, REPEAT: 0.4}


def failed_checks(given: Given, tolerated: float) -> list[Measurement]:
    """How far the share of failed checks is above what is tolerated, which differs by kind."""
    checked = np.flatnonzero(given.passed >= 0)
    again, earlier = answered_again(given)
    rows = np.concatenate([checked, again])
    failed = np.concatenate([given.passed[checked] == 0, given.value[again] != earlier]).astype(float)
    allowed = np.array([TOLERATED.get(str(p), TOLERATED["gold"]) for p in given.purpose[rows]], dtype=float)
    mine = [given.rater[rows] == rater for rater in range(given.n_raters)]
    return [of_checks(failed[own], allowed[own], tolerated) for own in mine]


def of_checks(failed: Floats, allowed: Floats, tolerated: float) -> Measurement:
    """Of one annotator: which checks were failed, and the share of failures that each allows."""
    n = len(failed)
    if not n:
        return undefined(reasons.NO_CHECK())
    return Measurement(
        value=float((failed - allowed).mean()),
        n=n,
        tolerated=tolerated,
        evidence=evidence.of_habit(failed[:, None], allowed[:, None] + tolerated),
        detail=reasons.BAD_OF(bad=int(failed.sum()), n=n),
    )


SIGNALS = (
    Signal(
        name="checks",
        place=45,
        title=Phrase("Checks together"),
        meaning=Phrase("How far the share of failed checks of every kind is above what is tolerated of each kind."),
        needs=Phrase("checks of any kind"),
        reason="gold",
        default=Rule(0.0, 4, Action.WARN),
        measure=failed_checks,
    ),
)
