"""Bradley–Terry ratings kept warm: each vote moves them to the new maximum, without counting again."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg.blas import dger

from analytics.stats.arrays import Floats
from analytics.stats.ratings.bradley_terry import bradley_terry, expectation, kept_inverse, laplacian

_EXACT = 5e-11
_MOST_CHORDS = 12
#: A vote taken back can carry off nearly all that held a system; then the curvature is taken anew.
_LEAST_GROWTH = 0.1
#: Taking the curvature anew costs about as much as so many steps. While votes are few it ages fast.
_WORTH_STEPS = 30


class WarmRatings:
    """The exact Bradley–Terry maximum of votes that keep coming; what a vote costs does not grow with their number.

    `scores`, shape (systems, systems), is as for `bradley_terry`, which says when NoMaximum is raised. The inverse
    curvature of an earlier maximum is kept for chord steps, and taken anew once these no longer serve.

    >>> warm = WarmRatings(np.array([[0.0, 3.0], [1.0, 0.0]]))
    >>> warm.add(1, 0)
    >>> bool(np.isclose(warm.log_odds[0] - warm.log_odds[1], np.log(3 / 2)))
    True
    """

    def __init__(self, scores: Floats) -> None:
        self._scores = scores.astype(np.float64)
        self._votes = self._scores + self._scores.T
        self._taken = self._scores.sum(axis=1)
        self.log_odds: Floats
        self._bread: Floats
        self._least: int
        self._lost: int
        self._settle(None)

    def add(self, one: int, other: int, *, score: float = 1.0, times: int = 1) -> None:
        """Count a vote of which `one` took `score`: 1, 0, or ½ for a tie. With `times=-1` a vote is taken back."""
        chance = 1 / (1 + math.exp(self.log_odds[other] - self.log_odds[one]))
        for mine, theirs, took in ((one, other, score), (other, one, 1 - score)):
            self._scores[mine, theirs] += times * took
            self._taken[mine] += times * took
            self._votes[mine, theirs] += times
        weight = times * chance * (1 - chance)
        column = self._bread[one] - self._bread[other]
        growth = 1 + weight * (column[one] - column[other])
        if growth < _LEAST_GROWTH:
            self._settle(self.log_odds)
            return
        # The vote's own curvature joins the kept ones (Sherman & Morrison 1950), in place: the matrix is symmetric.
        self._bread = dger(-weight / growth, column, column, a=self._bread.T, overwrite_a=1).T
        # At the old maximum the likelihood had no slope, so now it has this vote's.
        start = self.log_odds + times * (score - chance) / growth * column
        climb = chords(start, self._taken, self._votes, self._bread, tolerance=_EXACT)
        if climb is None:
            self._settle(start)
            return
        self.log_odds = climb.log_odds
        self._least = min(self._least, climb.steps)
        self._lost += climb.steps - self._least
        if self._lost > _WORTH_STEPS:
            self._take_anew(laplacian(expectation(self.log_odds, self._votes)[1]))

    def _settle(self, start: Floats | None) -> None:
        fit = bradley_terry(self._scores, start=start)
        self.log_odds = fit.log_odds
        self._take_anew(fit.information)

    def _take_anew(self, information: Floats) -> None:
        """Keep this curvature from now on. Since then, `_lost` counts the steps beyond the least that a vote took."""
        self._bread = kept_inverse(information)
        self._least, self._lost = _MOST_CHORDS, 0


@dataclass(frozen=True, eq=False)
class Climb:
    """Where the maximum is, and how many steps it took."""

    log_odds: Floats
    steps: int


def chords(start: Floats, taken: Floats, votes: Floats, bread: Floats, *, tolerance: float) -> Climb | None:
    """Climb to the maximum with one curvature for all steps; None if that does not get there.

    `taken` is what each system took in all, `votes`, shape (systems, systems), how often two met, and `bread` the
    inverse curvature. What is left to go is judged by how fast the steps shrink.
    """
    log_odds, before = start, math.nan
    both, ones = np.empty_like(votes), np.ones(len(taken))
    for n in range(1, _MOST_CHORDS + 1):
        strength = np.exp(log_odds)
        np.add.outer(strength, strength, out=both)
        np.divide(votes, both, out=both)
        step = bread @ (taken - strength * (both @ ones))
        log_odds = log_odds + step
        length = float(np.abs(step).max())
        shrinks = length / before if length < before / 2 else 0.5
        if length * shrinks / (1 - shrinks) < tolerance:
            return Climb(log_odds, n)
        if length > before or not math.isfinite(length):
            return None
        before = length
    return None
