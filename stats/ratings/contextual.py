"""Ratings at equal context: what of a system's lead remains once duration, loudness or position are accounted for."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

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
from stats.ratings.table import AGAINST_ITSELF, PRIOR, PROVISIONAL, RatingTable, tabulate, without_votes
from stats.ratings.votes import Votes, count_votes
from stats.results import Estimate, Excluded, Interval, left_out

_METHOD = "contextual Bradley–Terry, ties as half wins"
_TOLERANCE = 1e-9
_MOST_STEPS = 200
#: A covariate that keeps less than this part of its information beside the systems cannot be told apart from them.
_LEAST_OWN = 1e-8
#: Log-odds as large as this are on their way to infinity.
_FARTHEST = 35.0
_NOT_ITS_OWN = reasons.NOT_ITS_OWN()


@dataclass(frozen=True, eq=False)
class ContextualRatings:
    """Ratings at equal context, and by covariate the change of log-odds for one unit more of the first system's."""

    table: RatingTable
    effects: dict[str, Estimate]


@dataclass(frozen=True, eq=False)
class ContextFit:
    """Log-odds of the systems, mean 0, one effect for each covariate, and the curvature of both."""

    log_odds: Floats
    effects: Floats
    information: Floats
    chance: Floats


def rate_in_context(
    votes: Votes,
    covariates: Mapping[str, Sequence[float] | Floats],
    *clusters: Ints,
    established: Sequence[bool] | Bools | None = None,
    level: float = 0.95,
    watched: bool = False,
) -> tuple[ContextualRatings, ...]:
    """Rate by logit P(first over second) = θfirst − θsecond + Σ effect × covariate, ties as half wins.

    A covariate has, for each vote, what the first system's clip has more of than the second's (seconds, LU, words per
    second); a column of ones is the pull of being presented first. Votes without a covariate (NaN) are left out.
    Islands, prior, errors and centring are as in `rate_votes`, `watched` as in `rate_with_ties`. A covariate that
    follows from which systems met has no effect of its own: its estimate is None (Bradley & Terry 1952 with
    covariates: Springall 1973).

    >>> votes = Votes(np.array([0, 1] * 8), np.array([1, 0] * 8), np.array([0, 0, 0, 0, 1, 0, 0, 1] * 2), ("A", "B"))
    >>> (found,) = rate_in_context(votes, {"position": np.ones(16)})
    >>> found.effects["position"].estimate > 0
    True
    """
    columns = np.empty((len(votes.first), len(covariates)))
    for place, column in enumerate(covariates.values()):
        if len(column) != len(columns):
            raise ValueError("each covariate needs a number for every vote")
        columns[:, place] = column
    known, itself = ~np.isnan(columns).any(axis=1), votes.first == votes.second
    excluded = left_out(((~known).sum(), reasons.COVARIATE_MISSING()), ((known & itself).sum(), AGAINST_ITSELF))
    used = known & ~itself
    chosen = votes.where(used)
    found = []
    for places in islands(count_votes(chosen).scores()):
        own, kept = chosen.between(places)
        context = _Context(own, columns[used][kept], tuple(cluster[used][kept] for cluster in clusters))
        centre = None if established is None else np.asarray(established)[places]
        found.append(_island(context, tuple(covariates), centre, OverVotes(level, watched), excluded))
    return tuple(found)


@dataclass(frozen=True, eq=False)
class _Context:
    votes: Votes
    columns: Floats
    clusters: tuple[Ints, ...]


def fit_in_context(votes: Votes, columns: Floats, *, prior_sd: float | None = None) -> ContextFit:
    """Find log-odds and effects by Newton's method on votes; `columns` has shape (votes, covariates).

    With `prior_sd`, log-odds and the effects of a covariate's usual size (its root mean square) have normal priors
    around 0. Raises NoMaximum where votes do not bound a system or an effect.
    """
    size, scores = len(votes.systems), votes.scores()
    usual = np.concatenate([np.ones(size), np.sqrt((columns**2).mean(axis=0))])
    held = np.zeros(len(usual)) if prior_sd is None else (usual / prior_sd) ** 2
    found = np.zeros(len(usual))
    for _ in range(_MOST_STEPS):
        gap = found[votes.first] - found[votes.second] + columns @ found[size:]
        chance = scipy.special.expit(gap)
        residual = scores - chance
        slope = np.concatenate([_by_system(votes, residual), residual @ columns]) - held * found
        information = _information(votes, columns, chance * (1 - chance)) + np.diag(held)
        if np.abs(gap).max() > _FARTHEST:
            break
        step: Floats = np.asarray(np.linalg.solve(grounded_with(information, size), slope), dtype=np.float64)
        moved = float(np.abs(step[votes.first] - step[votes.second] + columns @ step[size:]).max())
        found = found + damped(step, reach=moved)
        found[:size] -= found[:size].mean()
        if moved < _TOLERANCE:
            return ContextFit(found[:size], found[size:], information, chance)
    raise NoMaximum("the votes leave a system or an effect without bounds")


def _by_system(votes: Votes, column: Floats) -> Floats:
    """What a column of votes adds up to for the systems: with its sign where first, against it where second."""
    size = len(votes.systems)
    sums = np.bincount(votes.first, column, size) - np.bincount(votes.second, column, size)
    return np.asarray(sums, dtype=np.float64)


def _information(votes: Votes, columns: Floats, weights: Floats) -> Floats:
    size = len(votes.systems)
    pair = votes.first.astype(np.int64) * size + votes.second
    information = np.empty((size + columns.shape[1],) * 2)
    met = np.asarray(np.bincount(pair, weights, size * size), dtype=np.float64).reshape(size, size)
    information[:size, :size] = laplacian(met + met.T)
    for place, column in enumerate(columns.T, start=size):
        information[:size, place] = information[place, :size] = _by_system(votes, weights * column)
    information[size:, size:] = columns.T @ (weights[:, np.newaxis] * columns)
    return information


def _island(
    context: _Context,
    names: tuple[str, ...],
    established: Bools | None,
    errors: OverVotes,
    excluded: tuple[Excluded, ...],
) -> ContextualRatings:
    votes, counts = context.votes, count_votes(context.votes)
    if not len(votes.first):
        none = Estimate(None, 0, _METHOD, excluded=excluded, reason=reasons.NO_VOTES())
        return ContextualRatings(without_votes(counts), dict.fromkeys(names, none))
    own = _with_effect_of_their_own(context)
    columns = context.columns[:, own]
    try:
        reason = None if has_maximum(counts.scores()) else PROVISIONAL
        fit = fit_in_context(votes, columns, prior_sd=PRIOR_SD if reason else None)
    except NoMaximum:
        reason = reasons.WITHOUT_BOUNDS()
        fit = fit_in_context(votes, columns, prior_sd=PRIOR_SD)
    covariance = _covariance(fit, context, columns, is_provisional=bool(reason))
    spread = (
        covariance if isinstance(covariance, NoSpread) else FromCovariance(covariance, errors.level, errors.watched)
    )
    method = f"{_METHOD}, {PRIOR}" if reason else _METHOD
    effects = _effects(fit, [names[place] for place in own], spread, len(votes.first), method, excluded)
    none = Estimate(None, len(votes.first), method, excluded=excluded, reason=_NOT_ITS_OWN)
    of_systems = spread if isinstance(spread, NoSpread) else spread.of_systems(len(fit.log_odds))
    table = tabulate(counts, fit.log_odds, of_systems, established, method=method, reason=reason)
    return ContextualRatings(table, {name: effects.get(name, none) for name in names})


def _covariance(
    fit: ContextFit, context: _Context, columns: Floats, *, is_provisional: bool
) -> Covariance | NoSpread:
    bread = inverse_with(fit.information, len(fit.log_odds))
    if is_provisional:
        return Covariance(bread, None, "curvature of the posterior")
    votes = context.votes
    residual = votes.scores() - fit.chance
    scores = Scores(votes.first, votes.second, residual, residual[:, np.newaxis] * columns, len(fit.log_odds))
    return clustered_or_reason(bread, scores, *context.clusters)


def _effects(
    fit: ContextFit,
    names: list[str],
    spread: FromCovariance | NoSpread,
    n: int,
    method: str,
    excluded: tuple[Excluded, ...],
) -> dict[str, Estimate]:
    if isinstance(spread, NoSpread):
        found = zip(names, fit.effects, strict=True)
        return {name: Estimate(float(it), n, method, excluded=excluded, reason=spread.reason) for name, it in found}
    reach = spread.reach(lambda matrix: matrix.diagonal()[len(fit.log_odds) :])
    return {
        name: _effect(float(it), float(far), spread, n, method, excluded)
        for name, it, far in zip(names, fit.effects, reach, strict=True)
    }


def _effect(
    it: float, far: float, spread: FromCovariance, n: int, method: str, excluded: tuple[Excluded, ...]
) -> Estimate:
    if math.isinf(far):
        return Estimate(it, n, method, excluded=excluded, reason=reasons.NOTHING_YET())
    return Estimate(it, n, method, Interval(it - far, it + far, spread.level, spread.method), excluded)


def _with_effect_of_their_own(context: _Context) -> list[int]:
    """The places of the covariates that neither the systems nor the covariates before them already tell."""
    votes, columns = context.votes, context.columns
    size = len(votes.systems)
    information = grounded_with(_information(votes, columns, np.full(len(columns), 0.25)), size)
    kept = list(range(size))
    for place in range(size, len(information)):
        inner = np.linalg.solve(information[np.ix_(kept, kept)], information[kept, place])
        explained = information[place, kept] @ inner
        if information[place, place] - explained > _LEAST_OWN * information[place, place]:
            kept.append(place)
    return [place - size for place in kept[size:]]
