"""Whether one judge is closer to people than another: the difference of their κ, every two judges at once."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from analytics.data.label_arrays import JudgeRun
from analytics.judged.sides import Pairs, Side
from stats import reasons
from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import LabelTable
from stats.judges.judged import with_no_answer
from stats.judges.watched import at_every_look, at_one_look, difference_spread, kappa_influence
from stats.results import Estimate

METHOD = "difference of Cohen's κ, paired"


@dataclass(frozen=True)
class Judge:
    """One side of a difference."""

    run: int
    title: str


@dataclass(frozen=True)
class Difference:
    """κ of the one judge minus κ of the other, both on the places that count for both.

    The intervals of all differences of an aspect hold together. `planned` is the same for one look at the planned
    size.
    """

    one: Judge
    other: Judge
    kappa: Estimate
    planned: Estimate | None = None

    @property
    def closer(self) -> Judge | None:
        """Who is closer to people beyond doubt; None where that is open."""
        if self.kappa.interval is None or self.kappa.interval.low <= 0 <= self.kappa.interval.high:
            return None
        return self.one if self.kappa.interval.low > 0 else self.other


def differences(side: Side, runs: Iterable[JudgeRun]) -> tuple[Difference, ...]:
    """Of every two runs beside the reference, the one with the higher κ first. Intervals are by Bonferroni."""
    pairs = list(combinations(runs, 2))
    found = (_difference(side, one, other, at_once=len(pairs)) for one, other in pairs)
    return tuple(map(_higher_first, found))


def _difference(side: Side, one: JudgeRun, other: JudgeRun, *, at_once: int) -> Difference:
    first, second = (side.cast(run) for run in (one, other))
    rows = (first.counts | first.undecided) & (second.counts | second.undecided)
    at = first.at[rows]
    reference = side.reference[at]
    ours = [Pairs(np.stack([cast.codes[rows], reference], axis=1), at) for cast in (first, second)]
    left, right = (Judge(run.run.pk, run.run.judge.title) for run in (one, other))
    kappa = _kappa_difference([side.labels(said.codes[reference >= 0]) for said in ours])
    if kappa.estimate is None:
        return Difference(left, right, kappa)
    beside = side.beside_people(ours[0], merged=side.merges_ties)
    over = difference_spread(beside, replace(beside, own=side.labels(ours[1].codes).codes[:, 0]), kappa_influence)
    once = at_one_look(kappa, over, low=-2.0, high=2.0, at_once=at_once)
    if not side.looks.every:
        return Difference(left, right, once)
    found = at_every_look(kappa, over, low=-2.0, high=2.0, at_once=at_once)
    return Difference(left, right, found, once if side.looks.planned else None)


def _kappa_difference(tables: list[LabelTable]) -> Estimate:
    n = tables[0].n_units
    if n and any((table.codes[:, 0] < 0).all() for table in tables):
        return Estimate(None, 0, METHOD, reason=reasons.NO_ANSWER_TO_THESE())
    one, other = (cohen_kappa(with_no_answer(table)) for table in tables)
    if one.estimate is None or other.estimate is None:
        return Estimate(None, n, METHOD, reason=one.reason or other.reason)
    return Estimate(one.estimate - other.estimate, n, METHOD)


def _higher_first(found: Difference) -> Difference:
    if found.kappa.estimate is None or found.kappa.estimate >= 0:
        return found
    planned = _turned(found.planned) if found.planned else None
    return Difference(found.other, found.one, _turned(found.kappa), planned)


def _turned(found: Estimate) -> Estimate:
    if found.estimate is None:
        return found
    interval = found.interval and replace(found.interval, low=-found.interval.high, high=-found.interval.low)
    return replace(found, estimate=-found.estimate, interval=interval)
