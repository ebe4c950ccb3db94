"""Davidson's model: Bradley–Terry ratings with a parameter for how readily people say that two are equal."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Bools, Floats, Ints
from stats.ratings.bradley_terry import PRIOR_SD, NoMaximum, damped, laplacian
from stats.ratings.connectivity import has_maximum, islands
from stats.ratings.errors import OverVotes
from stats.ratings.sandwich import (
    Covariance,
    NoSpread,
    Scores,
    clustered_or_reason,
    grounded_with,
    inverse_with,
)
from stats.ratings.spread import FromCovariance
from stats.ratings.table import PRIOR, PROVISIONAL, RatingTable, rate, tabulate
from stats.ratings.votes import TIE, Counts, Votes, count_votes
from stats.results import Estimate, Interval

_METHOD = "Davidson"
_TOLERANCE = 1e-10
_MOST_STEPS = 200


@dataclass(frozen=True, eq=False)
class TieFit:
    """Log-odds of the systems, mean 0, the logarithm of the tie parameter, and the curvature of both."""

    log_odds: Floats
    log_tie: float
    information: Floats


@dataclass(frozen=True, eq=False)
class TieRatings:
    """Ratings, and the tie parameter ν: between equals, ties are as ν to 2 against decisions. At 0 nobody ties."""

    table: RatingTable
    tie: Estimate


def rate_with_ties(
    votes: Votes,
    *clusters: Ints,
    established: Sequence[bool] | Bools | None = None,
    level: float = 0.95,
    watched: bool = False,
) -> tuple[TieRatings, ...]:
    """Rate by Davidson's model: P(i over j) : P(j over i) : P(tie) = πi : πj : ν √(πi πj) (Davidson 1970).

    One table for each island of connected systems, with sandwich errors over votes or over one or two kinds of
    clusters (a whole number per vote), for one look or, `watched`, for every look. An island without a finite maximum
    is rated under the prior of `rate`, all of it provisional. Without a tie ν is 0; where all votes are ties it has
    no value.

    >>> votes = Votes(np.zeros(4, int), np.ones(4, int), np.array([0, 1, 2, 3]), ("A", "B"))
    >>> (found,) = rate_with_ties(votes)
    >>> round(found.tie.estimate, 6)
    2.0
    """
    found = []
    for places in islands(count_votes(votes).scores()):
        own, kept = votes.between(places)
        chosen = None if established is None else np.asarray(established)[places]
        errors = OverVotes(level, watched)
        found.append(_island(own, tuple(cluster[kept] for cluster in clusters), count_votes(own), chosen, errors))
    return tuple(found)


def davidson(counts: Counts, *, prior_sd: float | None = None) -> TieFit:
    """Find the log-odds and the tie parameter under which the votes are most likely, by Newton's method.

    `prior_sd` is as for `bradley_terry`. Raises NoMaximum where there are no ties, where all votes are ties, and
    where Bradley–Terry has no maximum either.

    >>> fit = davidson(Counts(np.array([[[0, 0, 0], [4, 1, 2]], [[0, 0, 0], [0, 0, 0]]]), ("A", "B")))
    >>> round(math.exp(fit.log_tie), 6), round(math.exp(fit.log_odds[0] - fit.log_odds[1]), 6)
    (1.0, 4.0)
    """
    scores, ties = counts.scores(), counts.tied()
    votes, taken, tied = scores + scores.T, scores.sum(axis=1), float(ties.sum() / 2)
    if tied in {0, votes.sum() / 2} or (prior_sd is None and not has_maximum(scores)):
        raise NoMaximum("the votes leave the tie parameter or a system without bounds")
    held = 0.0 if prior_sd is None else prior_sd**-2
    size = len(taken)
    log_odds, log_tie = np.zeros(size), 0.0
    for _ in range(_MOST_STEPS):
        score, tie = tie_expectation(log_odds, log_tie)
        information = _information(votes, score, tie, held=held)
        slope = np.append(taken - (votes * score).sum(axis=1) - held * log_odds, tied - (votes * tie).sum() / 2)
        step = np.linalg.solve(grounded_with(information, size), slope)
        step = damped(step, reach=float(np.ptp(step[:size]) + abs(step[size])))
        log_odds, log_tie = log_odds + step[:size] - step[:size].mean(), log_tie + float(step[size])
        if np.abs(step).max() < _TOLERANCE:
            return TieFit(log_odds, log_tie, information)
    raise NoMaximum(f"no convergence in {_MOST_STEPS} steps")


def tie_expectation(log_odds: Floats, log_tie: float) -> tuple[Floats, Floats]:
    """What a vote is expected to give to the system of the row, and the chance of a tie, shape (systems, systems)."""
    half = (log_odds[:, np.newaxis] - log_odds) / 2
    win, loss, tie = np.exp(half), np.exp(-half), math.exp(log_tie)
    return (win + tie / 2) / (win + loss + tie), tie / (win + loss + tie)


def _information(votes: Floats, score: Floats, tie: Floats, *, held: float) -> Floats:
    size = len(votes)
    variance = score - tie / 4 - score**2
    information = np.empty((size + 1, size + 1))
    information[:size, :size] = laplacian(votes * variance, held=held)
    information[:size, size] = information[size, :size] = (votes * tie * (0.5 - score)).sum(axis=1)
    information[size, size] = (votes * tie * (1 - tie)).sum() / 2
    return information


def tie_scores(fit: TieFit, votes: Votes) -> Scores:
    """What each vote says about log-odds and, in the extra column, about the tie parameter."""
    score, tie = tie_expectation(fit.log_odds, fit.log_tie)
    pair = votes.first.astype(np.int64) * len(score) + votes.second
    played = votes.first != votes.second
    residual = votes.scores() - score.reshape(-1)[pair]
    extra = ((votes.outcome >= TIE) - tie.reshape(-1)[pair]) * played
    return Scores(votes.first, votes.second, residual, extra[:, np.newaxis], len(score))


def _island(
    votes: Votes, clusters: tuple[Ints, ...], counts: Counts, established: Bools | None, errors: OverVotes
) -> TieRatings:
    if not counts.wins().any() or not counts.tied().any():
        return _without_tie_parameter(counts, established, errors)
    reason: Reason | None = None
    try:
        fit = davidson(counts)
    except NoMaximum:
        fit, reason = davidson(counts, prior_sd=PRIOR_SD), PROVISIONAL
    n_systems = len(counts.systems)
    bread = inverse_with(fit.information, n_systems)
    covariance: Covariance | NoSpread = Covariance(bread, None, "curvature of the posterior")
    if not reason:
        covariance = clustered_or_reason(bread, tie_scores(fit, votes), *clusters)
    method = f"{_METHOD}, {PRIOR}" if reason else _METHOD
    spread = (
        covariance if isinstance(covariance, NoSpread) else FromCovariance(covariance, errors.level, errors.watched)
    )
    of_systems = spread if isinstance(spread, NoSpread) else spread.of_systems(n_systems)
    table = tabulate(counts, fit.log_odds, of_systems, established, method=method, reason=reason)
    return TieRatings(table, _tie_parameter(fit, spread, table))


def _tie_parameter(fit: TieFit, spread: FromCovariance | NoSpread, table: RatingTable) -> Estimate:
    """ν with the interval of its logarithm."""
    tie = math.exp(fit.log_tie)
    if isinstance(spread, NoSpread):
        return Estimate(tie, table.n, table.method, reason=spread.reason)
    reach = float(spread.reach(lambda matrix: matrix[-1, -1]))
    if math.isinf(reach):
        return Estimate(tie, table.n, table.method, reason=reasons.NOTHING_YET())
    interval = Interval(tie * math.exp(-reach), tie * math.exp(reach), spread.level, spread.method)
    return Estimate(tie, table.n, table.method, interval)


def _without_tie_parameter(counts: Counts, established: Bools | None, errors: OverVotes) -> TieRatings:
    (table,) = rate(counts, errors=errors, established=established)
    if table.n == 0:
        return TieRatings(table, Estimate(None, 0, _METHOD, reason=reasons.NO_VOTES()))
    if counts.wins().any():
        return TieRatings(table, Estimate(0.0, table.n, _METHOD, reason=reasons.NO_VOTE_A_TIE()))
    return TieRatings(table, Estimate(None, table.n, _METHOD, reason=reasons.EVERY_VOTE_A_TIE()))
