"""Online Elo: ratings that move with each vote, and so depend on the order of votes."""

import math

import numpy as np

from analytics.stats import reasons
from analytics.stats.arrays import Floats
from analytics.stats.ratings.votes import Integers, Votes
from analytics.stats.results import Estimate, left_out

SCALE = 400.0
#: One unit of log-odds in points of the Elo scale.
POINTS = SCALE / math.log(10)


def online_elo(
    votes: Votes, *, k: float = 4.0, initial: float = 1000.0, order: Integers | None = None
) -> tuple[Estimate, ...]:
    """Elo ratings after all votes, one for each system (MTalk-Bench §5.1.1 and App. C.1.2).

    A vote moves the two ratings apart by `k` times what was taken beyond expectation; a tie of any kind is half a
    win. Votes are taken as they stand, or in `order`, which has their places. There is no interval: an Elo rating
    belongs to one order. A system without votes has no rating. Raises ValueError for an order that does not name
    every vote once.

    >>> votes = Votes(np.array([0, 0]), np.array([1, 1]), np.array([0, 2]), ("A", "B", "C"))
    >>> [it.estimate and round(it.estimate, 3) for it in online_elo(votes)]
    [1001.977, 998.023, None]
    """
    n_votes = len(votes.first)
    if order is not None and not np.array_equal(np.sort(order), np.arange(n_votes)):
        raise ValueError("an order names the place of every vote once")
    places = np.arange(n_votes) if order is None else order
    if n_itself := int((votes.first == votes.second).sum()):
        places = places[votes.first[places] != votes.second[places]]
    first, second, scores = votes.first[places], votes.second[places], votes.scores()[places]
    ratings = np.full(len(votes.systems), initial, dtype=np.float64)
    elo_pass(first, second, scores, ratings, k)
    n = np.bincount(first, minlength=len(ratings)) + np.bincount(second, minlength=len(ratings))
    taken = "in the order of the votes" if order is None else "in a given order"
    method = f"online Elo, K = {k:g}, from {initial:g}, {taken}"
    excluded = left_out((n_itself, reasons.AGAINST_ITSELF()))
    return tuple(
        Estimate(float(rating), int(own), method, excluded=excluded)
        if own
        else Estimate(None, 0, method, excluded=excluded, reason=reasons.NO_VOTES())
        for rating, own in zip(ratings, n, strict=True)
    )


def elo_pass(first: Integers, second: Integers, scores: Floats, ratings: Floats, k: float) -> None:
    """Take the votes one after the other, and leave the outcome in `ratings`."""
    now = ratings.tolist()
    for one, other, score in zip(first.tolist(), second.tolist(), scores.tolist(), strict=True):
        mine, theirs = now[one], now[other]
        change = k * (score - 1 / (1 + math.exp((theirs - mine) / POINTS)))
        now[one], now[other] = mine + change, theirs - change
    ratings[:] = now
