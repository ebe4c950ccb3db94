"""Rubric scores beside arena votes: absolute against relative (MTalk-Bench §5.2, §7.2, App. F)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from stats import reasons
from stats.agreement.coefficients import cohen_kappa
from stats.agreement.labels import LabelTable, label_table
from stats.arrays import Bools, Floats, Ints
from stats.intervals import Bootstrap
from stats.results import Ends, Estimate, Interval, left_out
from stats.systems.means import cluster_mean

#: Above this, two evaluators of a pair of systems would mostly say the same (App. F.3).
PSEUDO_AGREEMENT = 0.75
_SCORE = "mean rubric score"
#: Between which a rubric score is.
SCALE = (0.0, 1.0)
#: Residuals up to here are rounding.
_NOTHING = 1e-12
_FEWEST_SYSTEMS = 3


@dataclass(frozen=True, eq=False)
class Checks:
    """Criteria that were checked on responses, an entry each: the places of system, item and criterion, and whether
    it was met. A criterion that was not answered has no entry.
    """

    systems: Ints
    items: Ints
    criteria: Ints
    met: Bools

    def __post_init__(self) -> None:
        if len({len(self.systems), len(self.items), len(self.criteria), len(self.met)}) > 1:
            raise ValueError("the columns are not equally long")


def case_scores(checks: Checks) -> tuple[Floats, Ints, Ints]:
    """The share of criteria met in each case (a system's response to an item), with its system and item (eq. 3)."""
    n_items = int(checks.items.max(initial=-1)) + 1
    keys, which = np.unique(checks.systems * max(n_items, 1) + checks.items, return_inverse=True)
    met = np.bincount(which.reshape(-1), weights=checks.met.astype(np.float64), minlength=len(keys))
    asked = np.bincount(which.reshape(-1), minlength=len(keys))
    return met / asked, keys // max(n_items, 1), keys % max(n_items, 1)


def rubric_scores(checks: Checks, n_systems: int, *, level: float = 0.95) -> tuple[Estimate, ...]:
    """Each system's mean over its cases, every case the same weight (eq. 4); the interval is over items,
    and stays between 0 and 1.

    >>> checks = Checks(np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([0, 1, 0]), np.array([True, False, True]))
    >>> rubric_scores(checks, 1)[0].estimate
    0.75
    """
    scores, systems, items = case_scores(checks)
    of_system = (systems == system for system in range(n_systems))
    return tuple(
        cluster_mean(scores[own].tolist(), items[own].tolist(), level=level, method=_SCORE, ends=SCALE)
        for own in of_system
    )


def implied_winners(one: Sequence[float | None], other: Sequence[float | None]) -> list[str | None]:
    """Who has the higher rubric score of two: `a`, `b`, `tie`, or None where a score is missing.

    >>> implied_winners([1.0, 0.5, None], [0.5, 0.5, 1.0])
    ['a', 'tie', None]
    """
    return [
        None if a is None or b is None else "tie" if a == b else "a" if a > b else "b"
        for a, b in zip(one, other, strict=True)
    ]


def internal_consistency(
    explicit: Sequence[str | None], implied: Sequence[str | None], *, bootstrap: Bootstrap | None = None
) -> Estimate:
    """Cohen's κ of the winner that an evaluator named with the one their own rubric answers imply (App. F.1).

    Pairs whose rubric scores are equal, or on which no winner was named, are left out and counted.

    >>> internal_consistency(["a", "b", "a", "b", "a"], ["a", "b", "b", "b", "tie"]).estimate
    0.5
    """
    table = label_table(
        [explicit, implied], categories=sorted({"a", "b", "tie", *filter(None, [*explicit, *implied])})
    )
    decided = _decided(table)
    both = (table.codes >= 0).all(axis=1)
    found = cohen_kappa(
        LabelTable(np.where(decided[:, np.newaxis], table.codes, -1), table.categories), bootstrap=bootstrap
    )
    why = left_out(
        ((~both).sum(), reasons.NOT_JUDGED_BOTH_WAYS()),
        ((both & ~decided).sum(), reasons.TIE_ON_ONE_SIDE()),
    )
    return replace(found, method="Cohen's κ of named and implied winner", excluded=why)


def pseudo_agreement(one: float, other: float) -> float:
    """The chance that two evaluators name the same winner of an item drawn at random, given their win rates for the
    same system of two, if they judged independently (App. F.3).

    >>> round(pseudo_agreement(0.9, 0.8), 2)
    0.74
    """
    if not (0 <= one <= 1 and 0 <= other <= 1):
        raise ValueError(f"win rates of {one} and {other}")
    return one * other + (1 - one) * (1 - other)


@dataclass(frozen=True)
class Excluding:
    """Spearman's ρ of systems' scores from some of the criteria with a reference, over resamples.

    `undefined` resamples rank no system; the interval has the middle 95 % of the others.
    """

    share: float
    rho: Estimate
    undefined: int


def rubric_exclusion(
    checks: Checks,
    n_systems: int,
    reference: Sequence[float] | None = None,
    *,
    rng: np.random.Generator,
    shares: Sequence[float] = (0.1, 0.3, 0.5, 0.7, 0.9),
    resamples: int = 5_000,
) -> tuple[Excluding, ...]:
    """Rank the systems by a part of the criteria, again and again, and compare (MTalk-Bench §7.2.1, Fig. 9).

    `reference` is a score of each system, such as the arena's; without one it is that of all criteria. `shares` are
    of the criteria that are removed. Here a system's score is its share of criteria met.

    >>> checks = Checks(np.repeat([0, 1, 2], 4), np.zeros(12, int), np.tile([0, 1, 2, 3], 3), np.arange(12) > 5)
    >>> rubric_exclusion(checks, 3, rng=np.random.default_rng(1), shares=[0.5], resamples=100)[0].rho.estimate > 0.8
    True
    """
    names, place = np.unique(checks.criteria, return_inverse=True)
    cells = place.reshape(-1) * n_systems + checks.systems
    met = _table(cells, checks.met.astype(np.float64), (len(names), n_systems))
    asked = _table(cells, np.ones(len(checks.met)), (len(names), n_systems))
    against = np.asarray(reference, dtype=np.float64) if reference is not None else _shares_met(met, asked)
    return tuple(_excluding(met, asked, against, share, rng, resamples) for share in shares)


@dataclass(frozen=True)
class Trend:
    """How scores change from turn to turn: the mean of each turn, and the slope per turn."""

    means: tuple[Estimate, ...]
    slope: Estimate


def turn_trend(
    scores: Sequence[float | None], turns: Sequence[int], *, level: float = 0.95, ends: Ends | None = None
) -> Trend:
    """Whether quality falls as a conversation goes on (MTalk-Bench App. D.2); turns are counted from 1.

    The slope is that of least squares with Student's t. Undefined for fewer than three scores, or on one turn only;
    without an interval where all scores lie on one line, which says nothing of how others would vary. `ends` are
    those of the scale, between which intervals of means stay.

    >>> turn_trend([3.0, 2.0, 1.0, 3.0, 2.0, 1.0], [1, 2, 3, 1, 2, 3]).slope.estimate
    -1.0
    """
    known = np.array([score is not None for score in scores], dtype=bool)
    at = np.asarray(turns, dtype=np.int64)[known]
    values = np.array([score for score in scores if score is not None], dtype=np.float64)
    of_turn = (values[at == turn].tolist() for turn in range(1, int(at.max(initial=0)) + 1))
    means = tuple(cluster_mean(own, range(len(own)), level=level, method=_SCORE, ends=ends) for own in of_turn)
    excluded, method = left_out(((~known).sum(), reasons.NO_SCORE())), "slope per turn, least squares"
    if len(values) < 3 or len(np.unique(at)) < 2:
        reason = reasons.FEW_SCORES()
        return Trend(means, Estimate(None, len(values), method, excluded=excluded, reason=reason))
    line = scipy.stats.linregress(at, values)
    off = values - line.intercept - line.slope * at
    if np.abs(off).max() < _NOTHING:
        reason = reasons.ON_ONE_LINE()
        return Trend(means, Estimate(float(line.slope), len(values), method, excluded=excluded, reason=reason))
    reach = float(scipy.stats.t.ppf((1 + level) / 2, len(values) - 2) * line.stderr)
    interval = Interval(float(line.slope) - reach, float(line.slope) + reach, level, "Student's t")
    return Trend(means, Estimate(float(line.slope), len(values), method, interval, excluded))


def _table(cells: Ints, values: Floats, shape: tuple[int, int]) -> Floats:
    return np.asarray(np.bincount(cells, weights=values, minlength=shape[0] * shape[1]), dtype=np.float64).reshape(
        shape
    )


def _decided(table: LabelTable) -> Bools:
    """Where both sides name a winner."""
    wins = np.array([category in ("a", "b") for category in table.categories] + [False], dtype=bool)
    return np.asarray(wins[table.codes].all(axis=1), dtype=bool)


def _shares_met(met: Floats, asked: Floats) -> Floats:
    """Of each system, over the criteria (the second last axis); NaN where none was asked."""
    total = asked.sum(axis=-2)
    share: Floats = np.divide(met.sum(axis=-2), total, out=np.full(total.shape, np.nan), where=total > 0)
    return share


def _excluding(
    met: Floats, asked: Floats, reference: Floats, share: float, rng: np.random.Generator, resamples: int
) -> Excluding:
    n = len(met)
    method = f"Spearman's ρ with {share:.0%} of the criteria removed, {resamples} resamples"
    n_kept = round(n * (1 - share))
    if n_kept < 1 or len(reference) < _FEWEST_SYSTEMS or np.ptp(reference) == 0:
        reason = reasons.NO_CRITERION_LEFT() if n_kept < 1 else reasons.FEW_SYSTEMS()
        return Excluding(share, Estimate(None, n, method, reason=reason), resamples)
    kept = rng.permuted(np.tile(np.arange(n), (resamples, 1)), axis=1)[:, :n_kept]
    mask = np.zeros((resamples, n))
    np.put_along_axis(mask, kept, 1.0, axis=1)
    total = mask @ asked
    scores = np.divide(mask @ met, total, out=np.full(total.shape, np.nan), where=total > 0)
    rho = _spearmans(scores, reference)
    known = rho[~np.isnan(rho)]
    if len(known) < 0.95 * resamples:
        reason = reasons.RESAMPLES_RANK_NOBODY(undefined=resamples - len(known), n=resamples)
        return Excluding(share, Estimate(None, n, method, reason=reason), resamples - len(known))
    low, high = np.quantile(known, [0.025, 0.975])
    interval = Interval(float(low), float(high), 0.95, "middle of the resamples")
    return Excluding(share, Estimate(float(known.mean()), n, method, interval), resamples - len(known))


def _spearmans(scores: Floats, reference: Floats) -> Floats:
    """Of each row with the reference; NaN where a score is missing, or all are alike."""
    ranks = scipy.stats.rankdata(scores, axis=1, nan_policy="propagate")
    own, other = ranks - ranks.mean(axis=1, keepdims=True), scipy.stats.rankdata(reference)
    other = other - other.mean()
    below = np.sqrt((own * own).sum(axis=1) * (other @ other))
    rho: Floats = np.divide(own @ other, below, out=np.full(len(own), np.nan), where=below > 0)
    return rho
