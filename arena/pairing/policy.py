"""Which two systems meet next, on which item, and who is heard first. Pure: counts in, chances out.

A rule gives every pair a probability, and a draw is stored with its propensity, so that an analysis of the
votes knows how likely each pair was when it was drawn.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from stats.arrays import Bools, Floats, Ints
from stats.ratings.bradley_terry import PRIOR_SD, Fit, bradley_terry, expectation, inverse

#: Of the rules below and of what they are given: a draw's propensity belongs to it.
VERSION = "1"
#: The share of draws that are uniform over all pairs, whatever the rule for the rest thinks of them.
FLOOR = 0.2
#: The probability of the order that evens out a pair's imbalance; less than 1, so that it is not predictable.
BIAS = 2 / 3


class NoPair(ValueError):
    """No pair is left to be compared."""


@dataclass(frozen=True, eq=False)
class Field:
    """What is known of the systems before a draw.

    `votes`, shape (systems, systems), symmetric, has how often two systems met, `elo` their online ratings, and `fit`
    their log-odds under the prior N(0, 2²), which exist from the first vote on, for newcomers too.
    """

    votes: Floats
    elo: Floats
    fit: Fit

    @classmethod
    def of(cls, scores: Floats, elo: Floats) -> "Field":
        """From what the system of the row took from that of the column: wins and half the ties."""
        return cls(scores + scores.T, elo, bradley_terry(scores, prior_sd=PRIOR_SD))


@dataclass(frozen=True)
class Drawn:
    """Two systems by their places, `one` below `other`, and the chance that this pair had."""

    one: int
    other: int
    propensity: float


#: The weight of each pair in a draw, shape (systems, systems), symmetric, among the pairs that are allowed.
Rule = Callable[[Field, Bools], Floats]


def uniform(field: Field, _allowed: Bools) -> Floats:
    """Every pair alike."""
    return np.ones(field.votes.shape)


def balanced(field: Field, allowed: Bools) -> Floats:
    """The pairs that met least often, all alike."""
    return np.where(field.votes == field.votes[allowed].min(), 1.0, 0.0)


def closest_elo(field: Field, allowed: Bools) -> Floats:
    """The pairs whose Elo ratings are closest, all alike (MTalk-Bench App. C.1.1; within one dimension)."""
    apart = np.abs(field.elo[:, np.newaxis] - field.elo)
    return np.where(apart == apart[allowed].min(), 1.0, 0.0)


def variance_reduction(field: Field, allowed: Bools) -> Floats:
    """By how much one more vote narrows the pair's own win rate (Chiang et al. 2024, Chatbot Arena, §5).

    That is √(v/n) − √(v/(n+1)) with v = p(1 − p) at the ratings of now. Pairs that never met come first, all alike.
    """
    new = (field.votes == 0) & allowed
    if new.any():
        return np.where(new, 1.0, 0.0)
    n = np.maximum(field.votes, 1.0)
    narrower: Floats = np.sqrt(_variance(field.fit)) * (1 / np.sqrt(n) - 1 / np.sqrt(n + 1))
    return narrower


def a_optimal(field: Field, _allowed: Bools) -> Floats:
    """By how much one more vote lowers the trace of the ratings' covariance C (A-optimality; Atkinson & Donev 1992).

    A vote between i and j adds w·eeᵀ to the information, e = eᵢ − eⱼ, w = p(1 − p), and takes w·|Ce|² / (1 + w·eᵀCe)
    from the trace (Sherman & Morrison 1950).
    """
    covariance = inverse(field.fit.information)
    weight = _variance(field.fit)
    return weight * _between(covariance @ covariance) / (1 + weight * _between(covariance))


RULES: Mapping[str, tuple[Rule, float]] = {
    "uniform": (uniform, 0.0),
    "balanced": (balanced, 0.0),
    "closest_elo": (closest_elo, 0.0),
    "variance_reduction": (variance_reduction, 0.0),
    "a_optimal": (a_optimal, FLOOR),
}
"""The rules by name, each with the share of its draws that are uniform."""
DEFAULT = "a_optimal"


def pair_chances(field: Field, allowed: Bools, *, rule: str = DEFAULT) -> Floats:
    """The chance of each pair, in the upper triangle; they sum to 1.

    `allowed`, shape (systems, systems), symmetric, says which pairs may be compared; no system meets itself. Raises
    NoPair where none may, KeyError for a rule that is not there.

    >>> field = Field.of(np.zeros((3, 3)), np.zeros(3))
    >>> pair_chances(field, np.ones((3, 3), dtype=bool), rule="uniform").round(3)
    array([[0.   , 0.333, 0.333],
           [0.   , 0.   , 0.333],
           [0.   , 0.   , 0.   ]])
    """
    rule_of, floor = RULES[rule]
    pairs = np.triu(allowed, 1)
    if not pairs.any():
        raise NoPair("no two systems may meet")
    weights = np.where(pairs, rule_of(field, pairs), 0.0)
    total = weights.sum()
    chances = weights / total if total > 0 else pairs / pairs.sum()
    mixed: Floats = (1 - floor) * chances + floor * pairs / pairs.sum()
    return mixed


def draw_pair(chances: Floats, rng: np.random.Generator) -> Drawn:
    """A pair by its chance.

    >>> draw_pair(np.array([[0.0, 1.0], [0.0, 0.0]]), np.random.default_rng(0))
    Drawn(one=0, other=1, propensity=1.0)
    """
    place = int(rng.choice(chances.size, p=chances.ravel()))
    one, other = divmod(place, len(chances))
    return Drawn(one, other, float(chances[one, other]))


def draw_item(votes: Ints, rng: np.random.Generator) -> int:
    """The place of one of the items on which the pair met least often; `votes` has how often, for each.

    >>> draw_item(np.array([2, 0, 1]), np.random.default_rng(0))
    1
    """
    if not len(votes):
        raise NoPair("the pair has no item in common")
    return int(rng.choice(np.flatnonzero(votes == votes.min())))


def draws_forth(forth: int, back: int, rng: np.random.Generator) -> bool:
    """Whether the first of the pair is heard first, which happened `forth` times, and the other way `back` times.

    By a biased coin, in favour of what happened less often (Efron 1971): balanced, and not predictable.
    """
    chance = 0.5 if forth == back else BIAS if forth < back else 1 - BIAS
    return bool(rng.random() < chance)


def _variance(fit: Fit) -> Floats:
    """p(1 − p) of each pair: the information of one vote between two systems about their distance."""
    return expectation(fit.log_odds, np.ones((len(fit.log_odds), len(fit.log_odds))))[1]


def _between(covariance: Floats) -> Floats:
    """(eᵢ − eⱼ)ᵀ C (eᵢ − eⱼ) of every pair."""
    own = covariance.diagonal()
    spread: Floats = own[:, np.newaxis] + own - 2 * covariance
    return spread
