"""The board as all others vote: for each voter the ratings without their votes, and how well these are known."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from stats.arrays import Bools, Floats, Ints
from stats.ratings.bradley_terry import PRIOR_SD, bradley_terry
from stats.ratings.sandwich import probabilities
from stats.ratings.votes import Votes

#: So many numbers are held at once: boards are computed for some voters after the others.
_CELLS = 2**21
_TOLERANCE, _MOST_STEPS = 1e-9, 100
_HELD = PRIOR_SD**-2


@dataclass(frozen=True, eq=False)
class Without:
    """The board without each of some voters.

    `log_odds` has shape (voters, systems); `variance`, of the difference of two systems, (voters, systems, systems);
    `others`, shape (voters,), is how many other voters there are.
    """

    voters: Ints
    log_odds: Floats
    variance: Floats
    others: Ints


def boards_without(votes: Votes, voters: Ints, of: Ints, *, counted: Bools) -> Iterator[Without]:
    """Fit Bradley–Terry without the votes of each voter in `of`, some of them at a time.

    `voters` has a number from 0 per vote, `of` distinct ones of them; `counted`, shape (votes,), marks the votes that
    make the board at all. Ties are half wins, and each log-odds has the prior N(0, 2²), so that there is always a
    fit. The variance is clustered by voter (Liang & Zeger 1986, as in `sandwich.by_clusters`), and never below that
    of the same votes each for itself; fewer than two others tell no variance.
    """
    if not len(of):
        return
    size, n = len(votes.systems), int(max(voters.max(initial=-1), of.max(initial=-1))) + 1
    cell, score = votes.first.astype(np.int64) * size + votes.second, votes.scores()
    total = _taken(cell[counted], score[counted], size)
    full = bradley_terry(total, prior_sd=PRIOR_SD)
    residual = np.where(counted, score - probabilities(full.log_odds).reshape(-1)[cell], 0.0)
    sums = np.zeros((n, size))
    np.add.at(sums, (voters, votes.first), residual)
    np.add.at(sums, (voters, votes.second), -residual)
    meat, is_counted = sums.T @ sums, np.bincount(voters[counted], minlength=n) > 0
    order = np.argsort(voters, kind="stable")
    starts = np.searchsorted(voters[order], np.arange(n + 1))
    for block in np.array_split(of, max(1, -(-len(of) * size * size // _CELLS))):
        own = np.zeros((len(block), size, size))
        for at, voter in enumerate(block):
            rows = order[starts[voter] : starts[voter + 1]]
            rows = rows[counted[rows]]
            own[at] = _taken(cell[rows], score[rows], size)
        log_odds, information = _fitted(total - own, full.log_odds)
        others = is_counted.sum() - is_counted[block]
        left = meat - sums[block][:, :, None] * sums[block][:, None, :]
        yield Without(block, log_odds, _variance(information, left, others), others)


def _taken(cell: Ints, score: Floats, size: int) -> Floats:
    """What the row's system took from the column's, shape (systems, systems)."""
    there = np.bincount(cell, weights=score, minlength=size * size).reshape(size, size)
    back = np.bincount(cell, weights=1 - score, minlength=size * size).reshape(size, size)
    return np.asarray(there + back.T)


def _fitted(scores: Floats, start: Floats) -> tuple[Floats, Floats]:
    """Newton's method on many boards at once: log-odds and curvatures, shapes (boards, systems[, systems])."""
    met, taken = scores + scores.transpose(0, 2, 1), scores.sum(axis=2)
    log_odds = np.repeat(start[None, :], len(scores), axis=0)
    for _ in range(_MOST_STEPS):
        chance = 1 / (1 + np.exp(log_odds[:, None, :] - log_odds[:, :, None]))
        information = _curvature(met * chance * (1 - chance))
        gradient = taken - (met * chance).sum(axis=2) - _HELD * log_odds
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        reach = np.maximum(np.ptp(step, axis=1, keepdims=True), 1e-12)
        log_odds = log_odds + step * (np.log1p(reach) / reach)
        if np.abs(step).max(initial=0) < _TOLERANCE:
            break
    return log_odds, information


def _curvature(weights: Floats) -> Floats:
    """The Laplacians of weighted graphs, with the curvature of the prior on the diagonal."""
    matrix = -weights
    place = np.arange(weights.shape[1])
    matrix[:, place, place] = weights.sum(axis=2) - weights[:, place, place] + _HELD
    return matrix


def _variance(information: Floats, meat: Floats, others: Ints) -> Floats:
    bread = np.linalg.inv(information)
    few = np.maximum(others - 1, 1)
    clustered = bread @ meat @ bread * (others / few)[:, None, None]
    return np.maximum(_of_differences(clustered), _of_differences(np.asarray(bread, dtype=np.float64)))


def _of_differences(covariance: Floats) -> Floats:
    own = np.diagonal(covariance, axis1=1, axis2=2)
    return np.asarray(own[:, :, None] + own[:, None, :] - 2 * covariance)
