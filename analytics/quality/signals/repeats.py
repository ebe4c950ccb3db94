"""Agreement of an annotator with themselves, when a unit is shown a second time."""

import numpy as np

from analytics.quality import reasons
from analytics.quality.inputs import REPEAT, Given
from analytics.quality.signals.signal import Measurement, Signal, share_of_bad
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import label_table
from stats.arrays import Ints


def own_disagreement(given: Given, tolerated: float) -> list[Measurement]:
    """The share of repeated units that got another main answer than the first time."""
    rows, earlier = answered_again(given)
    said = []
    for rater in range(given.n_raters):
        mine = given.rater[rows] == rater
        pairs = np.column_stack([earlier[mine], given.value[rows[mine]]])
        said.append(_of_pairs(pairs, given.values, tolerated))
    return said


def answered_again(given: Given) -> tuple[Ints, Ints]:
    """The rows of repeats, and the main answer that the same annotator gave the first time."""
    first = _first_answers(given)
    again = np.flatnonzero((given.purpose == REPEAT) & (given.value >= 0))
    earlier = np.array([first.get((int(given.rater[r]), int(given.unit[r])), -1) for r in again], dtype=int)
    return again[earlier >= 0], earlier[earlier >= 0]


def _first_answers(given: Given) -> dict[tuple[int, int], int]:
    """The main answer of each annotator to each unit of which they met a repeat."""
    repeated = np.unique(given.unit[given.purpose == REPEAT])
    rows = np.flatnonzero(given.is_study & (given.value >= 0) & np.isin(given.unit, repeated))
    return {(int(given.rater[row]), int(given.unit[row])): int(given.value[row]) for row in rows}


def _of_pairs(pairs: Ints, values: tuple[str, ...], tolerated: float) -> Measurement:
    n, other = len(pairs), int((pairs[:, 0] != pairs[:, 1]).sum())
    none = reasons.NO_REPEAT()
    return share_of_bad(other, n, tolerated, none=none, detail=_kappa(pairs, values, other) if n else None)


def _kappa(pairs: Ints, values: tuple[str, ...], other: int) -> Reason:
    labels = [[values[code] for code in column] for column in pairs.T]
    kappa = cohen_kappa(label_table(labels)).estimate
    if kappa is None:
        return reasons.BAD_OF(bad=other, n=len(pairs))
    return reasons.OTHER_OF(other=other, n=len(pairs), kappa=f"{kappa:.2f}")


SIGNALS = (
    Signal(
        name="repeat",
        place=40,
        title=Phrase("Unlike oneself"),
        meaning=Phrase("The share of repeated units that got another answer than the first time."),
        needs=Phrase("repeats"),
        reason="agreement",
        default=Rule(0.4, 4, Action.WARN),
        measure=own_disagreement,
    ),
)
