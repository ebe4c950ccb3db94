"""Voters who prefer a system, or its opponents, more than the board without them and a taste explain."""

from dataclasses import dataclass

import numpy as np
import scipy

from analytics.quality import reasons
from analytics.quality.inputs import Given
from analytics.quality.signals.signal import Measurement, Signal, undefined
from campaigns.quality.rule import Action, Rule
from infrastructure.wording.phrases import Phrase
from stats.arrays import Bools, Ints
from stats.ratings.favour import FOR, Favours, favour
from stats.ratings.votes import Votes

#: A tolerated share of one half is no taste at all; of one, any.
_LEAST, _MOST = 0.5, 0.999


@dataclass(frozen=True, eq=False)
class VotesOf:
    """The votes in a campaign's answers, who gave each by index, and which of them make the others' board."""

    votes: Votes
    voters: Ints
    counted: Bools
    rows: Ints


def votes_of(given: Given) -> VotesOf:
    """The answers to the study that say which of two systems is better, used or not, as votes."""
    outcome = np.where(given.value >= 0, given.outcomes[given.value], -1)
    rows = np.flatnonzero(given.is_study & (outcome >= 0) & (given.a >= 0) & (given.b >= 0))
    votes = Votes(given.a[rows], given.b[rows], outcome[rows], given.systems)
    return VotesOf(votes, given.rater[rows], given.counts[rows], rows)


def taste_of(tolerated: float) -> float:
    """The log-odds that make of an even pair one of which the tolerated share is won."""
    return float(scipy.special.logit(min(max(tolerated, _LEAST), _MOST)))


def favours_of(given: Given, tolerated: float) -> Favours:
    """Of everybody who voted."""
    cast = votes_of(given)
    return favour(cast.votes, cast.voters, counted=cast.counted, taste=taste_of(tolerated))


def favouring(given: Given, tolerated: float) -> list[Measurement]:
    """The share that the system with most evidence would win against its equal, if this voter voted."""
    if not given.systems:
        return [undefined(reasons.NO_PAIR_OF_SYSTEMS())] * given.n_raters
    found = favours_of(given, tolerated)
    place = {int(voter): at for at, voter in enumerate(found.voters)}
    return [
        measured(found, place[rater], tolerated) if rater in place else undefined(reasons.NO_PAIR_OF_SYSTEMS())
        for rater in range(given.n_raters)
    ]


def measured(found: Favours, at: int, tolerated: float) -> Measurement:
    """What is known of the voter at this place."""
    n = int(found.n[at].sum()) // 2
    if (why := found.reason[at]) is not None:
        return undefined(why, n)
    system, direction = found.strongest(at)
    votes, took, expected = (float(of[at, system]) for of in (found.n, found.took, found.expected))
    is_for = direction == FOR
    counted = reasons.TOOK_FOR if is_for else reasons.TOOK_AGAINST
    return Measurement(
        value=float(scipy.special.expit(found.taste[at, system] if is_for else -found.taste[at, system])),
        n=n,
        tolerated=tolerated,
        evidence=float(found.of_voters[at]),
        detail=counted(
            took=f"{took if is_for else votes - took:g}",
            n=int(votes),
            expected=f"{expected if is_for else votes - expected:.1f}",
        ),
    )


SIGNALS = (
    Signal(
        name="favour",
        place=115,
        title=Phrase("Favours a system"),
        meaning=Phrase(
            "The share of votes that one system, or its opponents, would get from this voter in an even pair."
        ),
        needs=Phrase("votes between systems, and two other voters"),
        reason="favour",
        default=Rule(0.7, 8, Action.WARN),
        measure=favouring,
    ),
)
