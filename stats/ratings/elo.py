"""Online Elo: ratings that move with each vote, and so depend on the order of votes."""

import math
from dataclasses import replace

import numpy as np

from stats import reasons
from stats.arrays import Floats
from stats.ratings.votes import Integers, Votes
from stats.results import Estimate, Interval, left_out

SCALE = 400.0
#: One unit of log-odds in points of the Elo scale.
POINTS = SCALE / math.log(10)
#: What the interval of a mean over permutations is.
SPREAD = "percentiles of the permutations"


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


def shuffled_elo(
    votes: Votes, *, rng: np.random.Generator, permutations: int = 1_000, k: float = 4.0, initial: float = 1000.0
) -> tuple[Estimate, ...]:
    """The mean of Elo ratings over permutations of the votes, drawn at random, for each system.

    The interval holds 95 % of the permutations: it is how far the order of the votes alone moves a rating, and says
    nothing of other votes (Boubdir et al. 2023, "Elo uncovered", average over permutations).

    >>> votes = Votes(np.array([0, 0]), np.array([1, 1]), np.array([0, 0]), ("A", "B", "C"))
    >>> found = shuffled_elo(votes, rng=np.random.default_rng(0), permutations=10)
    >>> [it.estimate and round(it.estimate, 3) for it in found], found[0].interval.low == found[0].interval.high
    ([1003.977, 996.023, None], True)
    """
    in_order = online_elo(votes, k=k, initial=initial)
    places = np.flatnonzero(votes.first != votes.second)
    if not len(places):
        return in_order
    order = rng.permuted(np.tile(places, (permutations, 1)), axis=1)
    ratings = np.full((permutations, len(votes.systems)), initial, dtype=np.float64)
    scores, row = votes.scores(), np.arange(permutations)
    for step in range(len(places)):  # a vote of every permutation at once
        at = order[:, step]
        one, other = votes.first[at], votes.second[at]
        mine, theirs = ratings[row, one], ratings[row, other]
        change = k * (scores[at] - 1 / (1 + np.exp((theirs - mine) / POINTS)))
        ratings[row, one], ratings[row, other] = mine + change, theirs - change
    method = f"online Elo, K = {k:g}, from {initial:g}, mean over {permutations:,} orders of the votes"
    ends = np.percentile(ratings, [2.5, 97.5], axis=0).T.tolist()
    means = ratings.mean(axis=0).tolist()
    return tuple(
        it
        if it.estimate is None
        else replace(it, estimate=mean, method=method, interval=Interval(low, high, 0.95, SPREAD))
        for it, mean, (low, high) in zip(in_order, means, ends, strict=True)
    )


def elo_pass(first: Integers, second: Integers, scores: Floats, ratings: Floats, k: float) -> None:
    """Take the votes one after the other, and leave the outcome in `ratings`."""
    now = ratings.tolist()
    for one, other, score in zip(first.tolist(), second.tolist(), scores.tolist(), strict=True):
        mine, theirs = now[one], now[other]
        change = k * (score - 1 / (1 + math.exp((theirs - mine) / POINTS)))
        now[one], now[other] = mine + change, theirs - change
    ratings[:] = now
