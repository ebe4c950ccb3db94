"""Bradley–Terry ratings by Newton's method on counts; a tie is half a win for either."""

from dataclasses import dataclass

import numpy as np
import scipy

from stats.arrays import Floats
from stats.ratings.connectivity import has_maximum

#: The prior of systems that nothing else holds: N(0, 2²) in log-odds, however many votes there are.
PRIOR_SD = 2.0

_TOLERANCE = 1e-10
_MOST_STEPS = 200


class NoMaximum(ValueError):
    """The likelihood has no finite maximum: a system won or lost everything."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Log-odds of the systems, mean 0, and the curvature of what was maximised, shape (systems, systems)."""

    log_odds: Floats
    information: Floats
    prior_sd: float | None = None


def bradley_terry(scores: Floats, *, prior_sd: float | None = None, start: Floats | None = None) -> Fit:
    """Find the log-odds under which the votes are most likely: P(i over j) = 1 / (1 + exp(θj − θi)).

    `scores`, shape (systems, systems), has what i took from j: wins and half the ties. With `prior_sd`, each θ has a
    normal prior around 0 with that standard deviation, and the maximum always exists. Raises NoMaximum where it does
    not (Bradley & Terry 1952; Ford 1957). `start` saves steps, and changes nothing else.

    >>> fit = bradley_terry(np.array([[0.0, 3.0], [1.0, 0.0]]))
    >>> bool(np.isclose(fit.log_odds[0] - fit.log_odds[1], np.log(3)))
    True
    """
    if prior_sd is None and not has_maximum(scores):
        raise NoMaximum("not every group of systems took a win or a tie from the others")
    votes = scores + scores.T
    taken = scores.sum(axis=1)
    held = 0.0 if prior_sd is None else prior_sd**-2
    log_odds = np.zeros(len(scores)) if start is None else start - start.mean()
    for _ in range(_MOST_STEPS):
        expected, weights = expectation(log_odds, votes)
        information = laplacian(weights, held=held)
        step = solve(information, taken - expected - held * log_odds)
        log_odds = log_odds + damped(step, reach=float(np.ptp(step)))
        log_odds -= log_odds.mean()
        if np.abs(step).max() < _TOLERANCE:
            return Fit(log_odds, information, prior_sd)
    raise NoMaximum(f"no convergence in {_MOST_STEPS} steps")


def expectation(log_odds: Floats, votes: Floats) -> tuple[Floats, Floats]:
    """What each system is expected to take in all, and the variance of each pair's votes, at these log-odds."""
    strength = np.exp(log_odds)
    both = strength[:, np.newaxis] + strength
    shares = votes / both
    expected = strength * shares.sum(axis=1)
    shares /= both
    shares *= strength
    shares *= strength[:, np.newaxis]
    return expected, shares


def laplacian(weights: Floats, *, held: float = 0.0) -> Floats:
    """The Laplacian of a weighted graph, plus `held` on its diagonal."""
    matrix = -weights
    matrix[np.diag_indices(len(matrix))] = weights.sum(axis=1) - weights.diagonal() + held
    return matrix


def solve(information: Floats, right: Floats) -> Floats:
    """Solve for the log-odds, or for columns of them, whose mean is 0."""
    solved: Floats = scipy.linalg.cho_solve(
        scipy.linalg.cho_factor(grounded(information), check_finite=False), right, check_finite=False
    )
    return solved


def grounded(information: Floats) -> Floats:
    """The same curvature, with some along the shift of all log-odds, which no vote tells anything about."""
    result: Floats = information + information.trace() / len(information) ** 2
    return result


def kept_inverse(information: Floats) -> Floats:
    """The inverse of the grounded curvature, for steps towards log-odds whose mean is 0."""
    return np.asarray(np.linalg.inv(grounded(information)), dtype=np.float64)


def inverse(information: Floats) -> Floats:
    """The covariance of log-odds around their mean: the pseudo-inverse without the shift of all."""
    covariance = solve(information, np.eye(len(information)))
    covariance -= covariance.mean(axis=0)
    covariance -= covariance.mean(axis=1, keepdims=True)
    return covariance


def damped(step: Floats, *, reach: float) -> Floats:
    """Newton's step on a likelihood of logistic form, shortened so that the likelihood cannot fall (Bach 2010, §2).

    `reach` is how far the whole step moves a linear predictor at most.

    >>> damped(np.array([4.0]), reach=4.0).round(4), damped(np.array([0.01]), reach=0.01).round(4)
    (array([1.6094]), array([0.01]))
    """
    return step * (np.log1p(reach) / reach) if reach > 0 else step
