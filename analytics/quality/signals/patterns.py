"""The same answer again and again, where others do not give it."""

from itertools import groupby

import numpy as np

from analytics.quality import evidence, reasons
from analytics.quality.inputs import Given, Others, others_of_each
from analytics.quality.signals.signal import Measurement, Signal, undefined
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from infrastructure.wording.reasons import Reason
from stats.arrays import Floats, Ints

#: What others said about all units weighs as much as so many of their answers to this one.
PRIOR = 2.0
#: So many of the latest answers say whether a streak goes on.
LATEST = 20


def straight_lining(given: Given, tolerated: float) -> list[Measurement]:
    """How much more often an annotator gives their favourite answer than others do, to the same units.

    Answers are taken as they stood on the screen. Where all others say "both good" too, there is no excess.
    """
    shown = given.shown
    return [_of_rows(given, others, shown[others.rows], tolerated) for others in others_of_each(given)]


def streak(given: Given, tolerated: float) -> list[Measurement]:
    """How much more often than others an annotator lately repeats the previous answer, as shown on the screen.

    An annotator who stops listening has no favourite answer overall, but has one from then on.
    """
    shown = given.shown
    return [_of_repeats(given, others, shown[others.rows], tolerated) for others in others_of_each(given)]


def _of_repeats(given: Given, others: Others, shown: Ints, tolerated: float) -> Measurement:
    again = shown[1:] == shown[:-1]
    if not len(again):
        return undefined(reasons.NOT_TWO_ANSWERS(), len(shown))
    if not others.overall.sum():
        return undefined(reasons.NOBODY_ELSE_ANSWERED(), len(shown))
    usual = _usual(given, others)[1:][np.arange(len(again)), shown[:-1]]
    return Measurement(
        value=max(0.0, float((again - usual)[-LATEST:].mean())),
        n=len(shown),
        tolerated=tolerated,
        evidence=evidence.of_streak(again, usual + tolerated),
        detail=reasons.STREAK(n=_runs(shown)[-1], longest=max(_runs(shown))),
    )


def _runs(shown: Ints) -> list[int]:
    """How long each run of the same answer is."""
    return [len(list(run)) for _, run in groupby(shown.tolist())]


def _of_rows(given: Given, others: Others, shown: Ints, tolerated: float) -> Measurement:
    if not len(shown):
        return undefined(reasons.NO_ANSWER_YET())
    if not others.overall.sum():
        return undefined(reasons.NOBODY_ELSE_ANSWERED(), len(shown))
    usual = _usual(given, others)
    gave = np.eye(len(given.values))[shown]
    excess = gave.mean(axis=0) - usual.mean(axis=0)
    favourite = int(excess.argmax())
    return Measurement(
        value=max(0.0, float(excess[favourite])),
        n=len(shown),
        tolerated=tolerated,
        evidence=evidence.of_habit(gave, usual + tolerated),
        detail=_detail(given, shown, favourite),
    )


def _usual(given: Given, others: Others) -> Floats:
    """The chance of each value on each of these screens, if it were one of the others who answers."""
    overall = others.overall / others.overall.sum()
    chance = (others.on_unit + PRIOR * overall) / (others.n_on_unit[:, None] + PRIOR)
    turned = given.turned[others.rows]
    return np.asarray(np.where(turned[:, None], chance[:, given.mirror], chance))


def _detail(given: Given, shown: Ints, favourite: int) -> Reason:
    shares = np.bincount(shown) / len(shown)
    entropy = -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum())
    return reasons.FAVOURITE(
        value=repr(SIDES.get(given.values[favourite], given.values[favourite])),
        share=round(100 * float((shown == favourite).mean())),
        longest=max(_runs(shown)),
        bits=f"{abs(entropy):.1f}",
    )


SIDES = {"a": "1", "b": "2"}

SIGNALS = (
    Signal(
        name="pattern",
        place=90,
        title=Phrase("Always the same"),
        meaning=Phrase("How much more often the favourite answer is given than others give it to the same units."),
        needs=Phrase("another annotator"),
        reason="pattern",
        default=Rule(0.3, 12, Action.WARN),
        measure=straight_lining,
        in_arena=Action.EXCLUDE,
        stage=1,
    ),
    Signal(
        name="streak",
        place=95,
        title=Phrase("The same again"),
        meaning=Phrase(
            "How much more often than others would the answer before is given again, of the latest twenty."
        ),
        needs=Phrase("another annotator"),
        reason="pattern",
        default=Rule(0.3, 20, Action.WARN),
        measure=streak,
        in_arena=Action.EXCLUDE,
        stage=1,
    ),
)
