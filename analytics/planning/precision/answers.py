"""Answers of people who agree as far as one assumes."""

from dataclasses import dataclass

import numpy as np

from stats.arrays import Floats, Ints


@dataclass(frozen=True, eq=False)
class People:
    """How people answer: `chances`, shape (units, categories), is how often each answer is given to each unit.

    A unit has one answer that suits it, drawn by its chances. Each person sees it with the probability `insight`, and
    otherwise draws an answer of their own by the same chances; so the chances hold for every person, and two people
    agree beyond chance by `kappa`.
    """

    chances: Floats
    insight: float
    kappa: float


def people(chances: Floats, *, kappa: float) -> People:
    """People whose κ, over all units, is `kappa`; or the nearest κ that these chances allow.

    Units that differ in their chances make people agree more than the habits of all would, even where there is no
    insight: κ is never less than that. Two people agree on a unit with the probability q² + (1 − q²) Σ p², where q is
    the insight.

    >>> found = people(np.full((9, 2), 0.5), kappa=0.49)
    >>> round(found.insight, 6), round(found.kappa, 6)
    (0.7, 0.49)
    """
    by_luck = float((chances**2).sum(axis=1).mean())
    by_habit = float((chances.mean(axis=0) ** 2).sum())
    wanted = kappa * (1 - by_habit) + by_habit
    squared = min(1.0, max(0.0, (wanted - by_luck) / (1 - by_luck))) if by_luck < 1 else 0.0
    agreement = squared + (1 - squared) * by_luck
    reached = (agreement - by_habit) / (1 - by_habit) if by_habit < 1 else 0.0
    return People(chances, float(np.sqrt(squared)), reached)


def answer(of: People, n_people: int, *, rng: np.random.Generator) -> Ints:
    """What `n_people` say of each unit, shape (units, people): places among the categories."""
    n_units = len(of.chances)
    suiting = _drawn(of.chances, rng.random((n_units, 1)))
    own = _drawn(of.chances, rng.random((n_units, n_people)))
    return np.where(rng.random((n_units, n_people)) < of.insight, suiting, own)


def _drawn(chances: Floats, at: Floats) -> Ints:
    """The category at each place between 0 and 1 of its unit's chances, shape as `at`."""
    ends = chances.cumsum(axis=1)[:, :-1]
    places: Ints = (at[:, :, np.newaxis] >= ends[:, np.newaxis, :]).sum(axis=2)
    return places
