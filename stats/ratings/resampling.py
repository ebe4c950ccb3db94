"""Intervals of ratings by drawing the votes anew: each for itself, or by whole clusters of them."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy

from stats import reasons
from stats.arrays import Floats, Ints
from stats.intervals import MAX_UNDEFINED, Percentiles, percentiles
from stats.ratings.bradley_terry import Fit, NoMaximum, bradley_terry, kept_inverse
from stats.ratings.errors import votes_of
from stats.ratings.sandwich import NoSpread
from stats.ratings.spread import FromDraws, Spread
from stats.ratings.votes import Counts, Integers, Votes

#: How exact the log-odds of a resample are: far finer than its percentiles need.
_TOLERANCE = 1e-6
_CELLS_AT_ONCE = 2**22
_MOST_CHORDS = 12


@dataclass(frozen=True)
class MultinomialBootstrap:
    """Percentile intervals over votes drawn with replacement, each for itself; `watched` ones are of every look.

    Drawing votes is drawing, multinomially, how often each pair had each outcome, so the cost does not grow with the
    votes. Resamples without a finite maximum are left out and counted (Efron & Tibshirani 1993, ch. 13).
    """

    rng: np.random.Generator
    resamples: int = 1_000
    level: float = 0.95
    watched: bool = False

    def spread(self, fit: Fit, counts: Counts, places: Ints) -> Spread:  # noqa: ARG002
        pairs = np.triu_indices(len(counts.systems), 1)
        cells = _cells(counts, pairs)
        drawn = multinomials(cells.reshape(-1), self.rng, self.resamples)
        found = _spread(fit, pairs, drawn, percentiles(self.level, int(cells.sum())), "votes", self.resamples)
        return found.watched(freedom=None) if self.watched else found


@dataclass(frozen=True, eq=False)
class ClusterBootstrap:
    """Percentile intervals over clusters drawn with replacement; `clusters` has a whole number per vote.

    All votes of a drawn voter, or on a drawn item, come along (Field & Welsh 2007).
    """

    votes: Votes
    clusters: Ints
    rng: np.random.Generator
    resamples: int = 1_000
    level: float = 0.95
    watched: bool = False

    def spread(self, fit: Fit, counts: Counts, places: Ints) -> Spread:
        votes, own = votes_of(counts, self.votes, places)
        pairs = np.triu_indices(len(places), 1)
        cells = _cells_by_cluster(votes, self.clusters[own], pairs)
        n = cells.shape[0]
        if n < 2:
            raise NoSpread(reasons.ONE_CLUSTER())
        drawn = _draw_clusters(cells, self.rng, self.resamples)
        found = _spread(fit, pairs, drawn, percentiles(self.level, n), "clusters", self.resamples)
        return found.watched(freedom=n - 1) if self.watched else found


def multinomials(cells: Ints, rng: np.random.Generator, resamples: int) -> Iterator[Ints]:
    """Draw multinomial counts with numpy, some resamples at a time."""
    seen = np.flatnonzero(cells)
    n = int(cells.sum())
    step = max(1, _CELLS_AT_ONCE // max(len(cells), 1))
    for start in range(0, resamples, step):
        drawn = np.zeros((min(step, resamples - start), len(cells)), dtype=np.int64)
        drawn[:, seen] = rng.multinomial(n, cells[seen] / n, size=len(drawn))
        yield drawn


def _cells(counts: Counts, pairs: tuple[Ints, Ints]) -> Ints:
    """For each pair, the wins of its one system, those of the other, and the ties: shape (3, pairs)."""
    one, other = pairs
    wins = counts.wins()
    return np.stack([wins[one, other], wins[other, one], counts.tied()[one, other]])


def _cells_by_cluster(votes: Votes, clusters: Ints, pairs: tuple[Ints, Ints]) -> "scipy.sparse.csr_array":
    """The same for each cluster, shape (clusters, 3 × pairs)."""
    size, n = len(votes.systems), len(pairs[0])
    place = np.zeros((size, size), dtype=np.int64)
    place[pairs] = np.arange(n)
    played = votes.first != votes.second
    first, second, scores = votes.first[played], votes.second[played], votes.scores()[played]
    pair = place[np.minimum(first, second), np.maximum(first, second)]
    one_won = np.where(first < second, scores, 1 - scores)
    outcome = np.select([one_won == 1, one_won == 0], [0, 1], 2)
    row = np.unique(clusters[played], return_inverse=True)[1].reshape(-1)
    shape = (int(row.max(initial=-1)) + 1, 3 * n)
    return scipy.sparse.csr_array((np.ones(len(row), dtype=np.int64), (row, outcome * n + pair)), shape=shape)


def _draw_clusters(by_cluster: "scipy.sparse.csr_array", rng: np.random.Generator, resamples: int) -> Iterator[Ints]:
    n, width = by_cluster.shape
    step = max(1, _CELLS_AT_ONCE // max(n, width))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        yield rng.multinomial(n, np.full(n, 1 / n), size=size) @ by_cluster


def _spread(
    fit: Fit, pairs: tuple[Ints, Ints], drawn: Iterable[Integers], ends: Percentiles, units: str, resamples: int
) -> FromDraws:
    if fit.prior_sd is not None:
        raise NoSpread(reasons.PRIOR_NOT_DRAWN())
    bread, where = kept_inverse(fit.information), _places_of_scores(pairs, len(fit.log_odds))
    found = [_refit(fit, bread, _scores(cells, where)) for some in drawn for cells in some]
    draws = np.array([log_odds for log_odds in found if log_odds is not None])
    undefined = len(found) - len(draws)
    if undefined > MAX_UNDEFINED * len(found):
        raise NoSpread(reasons.RESAMPLES_WITHOUT_MAXIMUM(undefined=undefined, n=len(found)))
    note = f", {undefined} of them undefined" if undefined else ""
    return FromDraws(draws, f"percentile bootstrap over {units}, {resamples} resamples{note}", ends)


def _places_of_scores(pairs: tuple[Ints, Ints], size: int) -> Ints:
    """Where each score of a table stands in the row of what pairs' systems took, which ends with a zero."""
    n = len(pairs[0])
    where = np.full((size, size), 2 * n)
    where[pairs] = np.arange(n)
    where.T[pairs] = np.arange(n, 2 * n)
    return where


def _scores(cells: Integers, where: Ints) -> Floats:
    one_won, other_won, tied = cells.reshape(3, -1)
    half = tied / 2
    row: Floats = np.concatenate([one_won + half, other_won + half, [0.0]])
    return row.take(where)


def _refit(fit: Fit, bread: Floats, scores: Floats) -> Floats | None:
    climbed = chords(fit.log_odds, scores.sum(axis=1), scores + scores.T, bread, tolerance=_TOLERANCE)
    if climbed is not None:
        return climbed
    try:
        return bradley_terry(scores, start=fit.log_odds).log_odds
    except NoMaximum:
        return None


def chords(start: Floats, taken: Floats, votes: Floats, bread: Floats, *, tolerance: float) -> Floats | None:
    """Climb to the maximum with one curvature for all steps; None if that does not get there.

    `taken` is what each system took in all, `votes`, shape (systems, systems), how often two met, and `bread` the
    inverse curvature. What is left to go is judged by how fast the steps shrink.
    """
    log_odds, before = start, math.nan
    both, ones = np.empty_like(votes), np.ones(len(taken))
    for _ in range(_MOST_CHORDS):
        strength = np.exp(log_odds)
        np.add.outer(strength, strength, out=both)
        np.divide(votes, both, out=both)
        step = bread @ (taken - strength * (both @ ones))
        log_odds = log_odds + step
        length = float(np.abs(step).max())
        shrinks = length / before if length < before / 2 else 0.5
        if length * shrinks / (1 - shrinks) < tolerance:
            return log_odds
        if length > before or not math.isfinite(length):
            return None
        before = length
    return None
