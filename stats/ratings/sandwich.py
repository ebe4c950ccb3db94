"""Errors that hold although votes are not what the model says: ties, voters with tastes, hard items.

The covariance is H⁻¹ B H⁻¹ (White 1980): H is the curvature of the likelihood, B what the votes' scores really vary,
summed within clusters first where votes hang together (Liang & Zeger 1986), and over two kinds of clusters by adding
both and subtracting their intersection, negative eigenvalues set to zero (Cameron, Gelbach & Miller 2011, §2.3).

Few clusters tell their own variance badly: it is scaled by G / (G − 1), and intervals take Student's t with G − 1
degrees of freedom, of the kind with fewer clusters (Cameron & Miller 2015, §VI). With three or four of them it still
comes out far too small once in a while; so an interval over clusters is never narrower than the one of the same votes
each for itself.

So do few votes: a system with one vote, a tie, fits it exactly, so that its difference from the other has no residual
and no error. Who looks at every vote comes upon it. An interval for every look is therefore never narrower than the
one of the model with the dispersion of all votes (quasi-likelihood: McCullagh & Nelder 1989, §9.2): by how much more
their residuals vary than it says. Where pairs differ much in their ties, it is wider than it has to be for those with
many.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy

from infrastructure.wording.reasons import Reasoned
from stats import reasons
from stats.arrays import Floats, Ints
from stats.confidence_sequences import reaches
from stats.ratings.bradley_terry import Fit, grounded, inverse, laplacian
from stats.ratings.votes import Counts, Integers, Votes, count_votes

_DENSE_CELLS = 2**24
#: A vote's leverage is kept below this, so that a system that hangs on one vote does not divide by zero.
_MOST_LEVERAGE = 0.999


class NoSpread(Reasoned, ValueError):
    """There is no interval."""


@dataclass(frozen=True, eq=False)
class Covariance:
    """The covariance of parameters, with the degrees of freedom for its intervals (None: as many as one likes).

    `votes` is the covariance with each vote for itself, below which no interval over clusters goes; None where
    `matrix` is that already. `dispersed` is that of the model with the dispersion of all votes, below which no
    interval for every look goes; None where `matrix` is of the model.
    """

    matrix: Floats
    freedom: int | None
    method: str
    votes: Floats | None = None
    dispersed: Floats | None = None

    def of_systems(self, n: int) -> "Covariance":
        """The part of the first `n` parameters, which are the systems'."""
        votes, dispersed = (None if it is None else it[:n, :n] for it in (self.votes, self.dispersed))
        return Covariance(self.matrix[:n, :n], self.freedom, self.method, votes, dispersed)

    def reach(self, level: float, variance: Callable[[Floats], Floats]) -> Floats:
        """How far intervals reach to either side; `variance` takes from a covariance the variances in question."""
        reach = self.quantile(level) * np.sqrt(np.maximum(variance(self.matrix), 0))
        if self.votes is None:
            return np.asarray(reach)
        return np.maximum(reach, _quantile(level, None) * np.sqrt(np.maximum(variance(self.votes), 0)))

    def reach_at_every_look(self, level: float, variance: Callable[[Floats], Floats], *, at_once: int) -> Floats:
        """The same at every look, for so many intervals that hold together."""
        reach = reaches(variance(self.matrix), level=level, at_once=at_once, freedom=self.freedom)
        for least in (self.votes, self.dispersed):
            if least is not None:
                reach = np.maximum(reach, reaches(variance(least), level=level, at_once=at_once))
        return reach

    def quantile(self, level: float) -> float:
        """How many standard errors an interval reaches to either side."""
        return _quantile(level, self.freedom)


@lru_cache(maxsize=256)
def _quantile(level: float, freedom: int | None) -> float:
    tail = (1 - level) / 2
    return float(scipy.stats.norm.isf(tail) if freedom is None else scipy.stats.t.isf(tail, freedom))


@dataclass(frozen=True, eq=False)
class Scores:
    """What each vote's likelihood says: `residual` for the first system, against the second, and `extra` columns.

    The residual is what the first took beyond expectation; `extra`, shape (votes, columns), belongs to the parameters
    that follow the systems'.
    """

    first: Integers
    second: Integers
    residual: Floats
    extra: Floats
    n_systems: int

    def by_cluster(self, cluster: Ints, n: int) -> "scipy.sparse.csr_array | Floats":
        """The sums within clusters, shape (clusters, parameters)."""
        width = self.n_systems + self.extra.shape[1]
        columns = [(self.first, self.residual), (self.second, -self.residual)]
        columns += [(np.array(self.n_systems + k), self.extra[:, k]) for k in range(self.extra.shape[1])]
        if n * width > _DENSE_CELLS:
            data = np.concatenate([score for _, score in columns])
            place = np.concatenate([np.broadcast_to(where, cluster.shape) for where, _ in columns])
            return scipy.sparse.csr_array((data, (np.tile(cluster, len(columns)), place)), shape=(n, width))
        row = cluster * width
        total = np.zeros(n * width)
        for where, score in columns:
            total += np.bincount(row + where, weights=score, minlength=n * width)
        return total.reshape(n, width)

    def meat(self) -> Floats:
        """The sum over votes of the outer products of their scores, shape (parameters, parameters)."""
        size, extra = self.n_systems, self.extra
        pair = self.first.astype(np.int64) * size + self.second
        sums = np.bincount(pair, weights=self.residual**2, minlength=size * size)
        squares = np.asarray(sums, dtype=np.float64).reshape(size, size)
        meat = np.empty((size + extra.shape[1],) * 2)
        meat[:size, :size] = laplacian(squares + squares.T)
        for at, column in enumerate((self.residual[:, np.newaxis] * extra).T, start=size):
            meat[:size, at] = np.bincount(self.first, column, size) - np.bincount(self.second, column, size)
            meat[at, :size] = meat[:size, at]
        meat[size:, size:] = extra.T @ extra
        return meat


def by_votes(fit: Fit, counts: Counts) -> Covariance:
    """The covariance of Bradley–Terry log-odds, each vote for itself, from counts alone (HC2)."""
    bread = inverse(fit.information)
    chance = probabilities(fit.log_odds)
    wins, ties = counts.wins(), counts.tied()
    squares = wins * (1 - chance) ** 2 + wins.T * chance**2 + ties * (0.5 - chance) ** 2
    meat = laplacian(squares / (1 - leverage(bread, chance)))
    scores = counts.scores()
    dispersed = bread * (np.trace(meat) / np.sum((scores + scores.T) * chance * (1 - chance)))
    return Covariance(bread @ meat @ bread, None, "sandwich errors over votes", dispersed=dispersed)


def by_clusters(fit: Fit, votes: Votes, *clusters: Ints, counts: Counts | None = None) -> Covariance:
    """The covariance of Bradley–Terry log-odds where votes of one cluster hang together, in one or two ways.

    `clusters` have a whole number per vote: its voter, its item. `counts` are those of the same votes, where they are
    there already.
    """
    bread = inverse(fit.information)
    chance = probabilities(fit.log_odds)
    pair = votes.first.astype(np.int64) * len(chance) + votes.second
    stretch = 1 / np.sqrt(1 - leverage(bread, chance))
    residual = (votes.scores() - chance.reshape(-1)[pair]) * stretch.reshape(-1)[pair]
    scores = Scores(votes.first, votes.second, residual, np.empty((len(pair), 0)), len(chance))
    own = by_votes(fit, count_votes(votes) if counts is None else counts)
    return clustered(bread, scores, *clusters, own=own)


def clustered(bread: Floats, scores: Scores, *clusters: Ints, own: Covariance | None = None) -> Covariance:
    """The sandwich of any scores whose likelihood has `bread` as the inverse of its curvature.

    Without clusters each vote stands for itself, with one kind or two it hangs together with others; `own` is the
    covariance of votes each for itself, where it is known already. Raises NoSpread where a kind has one cluster only,
    and ValueError for more than two kinds.
    """
    if own is None:
        own = _of_single_votes(bread, scores)
    if not clusters:
        return own
    votes, dispersed = own.matrix, own.dispersed
    if len(clusters) == 1:
        matrix, n = _one_way(bread, scores, clusters[0])
        return Covariance(matrix, n - 1, f"sandwich errors, {n} clusters", votes, dispersed)
    if len(clusters) != 2:
        raise ValueError(f"votes are clustered in one or two ways, not in {len(clusters)}")
    one, n_one = _one_way(bread, scores, clusters[0])
    other, n_other = _one_way(bread, scores, clusters[1])
    both = clusters[0].astype(np.int64) * (int(clusters[1].max(initial=0)) + 1) + clusters[1]
    shared, _ = _one_way(bread, scores, both)
    method = f"sandwich errors, {n_one} and {n_other} crossed clusters"
    matrix = _without_negative_variance(one + other - shared)
    return Covariance(matrix, min(n_one, n_other) - 1, method, votes, dispersed)


def _of_single_votes(bread: Floats, scores: Scores) -> Covariance:
    """Raises NoSpread where there is one vote only."""
    n = len(scores.residual)
    if n < 2:
        raise NoSpread(reasons.ONE_CLUSTER())
    meat, systems = scores.meat() * (n / (n - 1)), slice(scores.n_systems)
    model = np.linalg.pinv(bread, hermitian=True)[systems, systems]
    dispersed = bread * (np.trace(meat[systems, systems]) / np.trace(model))
    return Covariance(bread @ meat @ bread, None, "sandwich errors over votes", dispersed=dispersed)


def clustered_or_reason(bread: Floats, scores: Scores, *clusters: Ints) -> Covariance | NoSpread:
    """The same, or what says why there is none."""
    try:
        return clustered(bread, scores, *clusters)
    except NoSpread as reason:
        return reason


def inverse_with(information: Floats, n_systems: int) -> Floats:
    """The inverse of the curvature of log-odds and other parameters, the log-odds taken around their mean."""
    systems = slice(n_systems)
    covariance = np.asarray(np.linalg.inv(grounded_with(information, n_systems)), dtype=np.float64)
    covariance[systems] -= covariance[systems].mean(axis=0)
    covariance[:, systems] -= covariance[:, systems].mean(axis=1, keepdims=True)
    return covariance


def grounded_with(information: Floats, n_systems: int) -> Floats:
    """The same curvature, with some along the shift of all log-odds, which no vote tells anything about."""
    result = information.copy()
    result[:n_systems, :n_systems] = grounded(information[:n_systems, :n_systems])
    return result


def leverage(bread: Floats, chance: Floats) -> Floats:
    """How far a vote between two systems pulls its own expectation, shape (systems, systems)."""
    own = bread.diagonal()
    spread = own[:, np.newaxis] + own - 2 * bread
    return np.asarray(np.clip(chance * (1 - chance) * spread, 0, _MOST_LEVERAGE))


def probabilities(log_odds: Floats) -> Floats:
    """The chance of the system of the row against that of the column."""
    strength = np.exp(log_odds)
    chance: Floats = strength[:, np.newaxis] / (strength[:, np.newaxis] + strength)
    return chance


def _one_way(bread: Floats, scores: Scores, clusters: Ints) -> tuple[Floats, int]:
    n, cluster = _numbered(clusters)
    if n < 2:
        raise NoSpread(reasons.ONE_CLUSTER())
    sums = scores.by_cluster(cluster, n)
    meat = (sums.T @ sums).toarray() if isinstance(sums, scipy.sparse.csr_array) else sums.T @ sums
    return bread @ meat @ bread * (n / (n - 1)), n


def _numbered(clusters: Ints) -> tuple[int, Ints]:
    """How many clusters there are, and each vote's, counted from 0 without gaps."""
    if clusters.min(initial=0) >= 0 and clusters.max(initial=0) <= 4 * len(clusters):
        seen = np.bincount(clusters) > 0
        return int(seen.sum()), (np.cumsum(seen) - 1)[clusters]
    labels, cluster = np.unique(clusters, return_inverse=True)
    return len(labels), cluster.reshape(-1)


def _without_negative_variance(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    result: Floats = (vectors * np.maximum(values, 0)) @ vectors.T
    return result
