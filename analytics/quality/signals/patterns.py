"""The same answer again and again, where others do not give it."""

from itertools import groupby

import numpy as np

from analytics.quality import evidence
from analytics.quality.given import Given, Others, others_of_everybody
from analytics.quality.signals.signal import Measurement, Signal, undefined
from analytics.stats.arrays import Floats, Ints
from campaigns.phrases import Phrase
from campaigns.quality.rule import Action, Rule

#: What others said about all units weighs as much as so many of their answers to this one.
PRIOR = 2.0


def straight_lining(given: Given, tolerated: float) -> list[Measurement]:
    """How much more often somebody gives their favourite answer than others do, to the same units.

    Answers are taken as they stood on the screen. Where all others say "both good" too, there is no excess.
    """
    shown = given.shown
    return [_of_rows(given, others, shown[others.rows], tolerated) for others in others_of_everybody(given)]


def _of_rows(given: Given, others: Others, shown: Ints, tolerated: float) -> Measurement:
    if not len(shown):
        return undefined(Phrase("there is no answer yet"))
    if not others.overall.sum():
        return undefined(Phrase("nobody else has answered"), len(shown))
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


def _detail(given: Given, shown: Ints, favourite: int) -> Phrase:
    longest = max(len(list(run)) for _, run in groupby(shown.tolist()))
    shares = np.bincount(shown) / len(shown)
    entropy = -float((shares[shares > 0] * np.log2(shares[shares > 0])).sum())
    return Phrase(
        "%(value)s in %(share)s %%, longest run %(longest)s, %(bits)s bits",
        value=repr(SIDES.get(given.values[favourite], given.values[favourite])),
        share=round(100 * float((shown == favourite).mean())),
        longest=longest,
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
        stage=1,
    ),
)
