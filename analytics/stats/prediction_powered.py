"""A mean of human labels, made narrower by a judge's verdicts on many more units: prediction-powered inference."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from analytics.stats.arrays import Floats, Ints
from analytics.stats.means import cluster_mean
from analytics.stats.results import Estimate, Interval

_METHOD = "prediction-powered mean (PPI++)"
_HUMAN = "mean of human labels"
#: With fewer human labels the interval does not hold its level (see its simulation among the tests).
FEWEST = 50
#: What a judge gets wrong can only be told from what it was seen to get wrong.
FEWEST_DIFFERENCES = 5
#: A judge that saves less than this share of the labels is not worth an assumption.
LEAST_GAIN = 0.05


@dataclass(frozen=True)
class Corrected:
    """The mean from human labels and verdicts together, beside each alone.

    `weight` λ says how far the verdicts are believed, from 0 (not at all); `saved` is how many more human labels
    would have given the same interval. Where the judge does not help, `estimate` has no number, and its reason says
    why; `human` holds all the same.
    """

    estimate: Estimate
    human: Estimate
    judge_mean: float | None
    weight: float | None
    saved: float | None


def corrected_mean(
    labels: Sequence[float] | Floats,
    verdicts: Sequence[float] | Floats,
    unlabelled: Sequence[float] | Floats,
    *,
    clusters: tuple[Sequence[int] | Ints, Sequence[int] | Ints] | None = None,
    level: float = 0.95,
) -> Corrected:
    """Estimate the mean label over all units, most of which have a verdict only (Angelopoulos, Duchi & Zrnic 2023).

    `labels` and `verdicts` belong to the same n units, drawn at random from all; `unlabelled` has the verdicts on the
    N others; wins count 1, ties ½. The estimate is mean(Y) − λ(mean(F) − mean(F′)), with the λ of least variance
    (their §6), cut to [0, 1]; a judge's bias cancels. `clusters` has the item of each labelled and unlabelled unit,
    numbered alike, where items have several units; the interval is Student's t over the clusters with human labels,
    with residuals as if their own unit had not helped to choose λ (HC3, MacKinnon & White 1985).
    Raises ValueError where labels and verdicts are not of the same units.

    >>> found = corrected_mean([1, 0] * 40 + [1] * 10, [1, 0] * 40 + [0] * 10, [1, 0] * 400)
    >>> round(found.human.estimate, 3), round(found.estimate.estimate, 3), round(found.saved)
    (0.556, 0.595, 114)
    """
    human, judge, others = (np.asarray(it, dtype=np.float64) for it in (labels, verdicts, unlabelled))
    if len(human) != len(judge):
        raise ValueError(f"{len(human)} labels and {len(judge)} verdicts of the same units")
    of_labelled, of_others = _clusters(len(human), len(others), clusters)
    alone, n = cluster_mean(human.tolist(), of_labelled.tolist(), level=level, method=_HUMAN), len(human)
    judge_mean = float(np.concatenate([judge, others]).mean()) if n + len(others) else None
    n_clusters = len(np.unique(of_labelled))
    if reason := _useless(human, judge, others, n_clusters):
        return Corrected(Estimate(None, n, _METHOD, reason=reason), alone, judge_mean, None, None)
    weight = _weight(human, judge, others, of_labelled, of_others)
    mean = float(human.mean() - weight * (judge.mean() - others.mean()))
    variance = _variance(_left_out(human - weight * judge, judge), weight * others, of_labelled, of_others)
    gain = 1 - variance / _variance(human, 0 * others, of_labelled, of_others)
    if gain < LEAST_GAIN:
        reason = f"the judge's verdicts narrow the interval by too little: it saves {max(gain, 0):.1%} of the labels"
        return Corrected(Estimate(None, n, _METHOD, reason=reason), alone, judge_mean, weight, None)
    interval = _student(mean, variance, n_clusters - 2, level, _METHOD)
    return Corrected(Estimate(mean, n, _METHOD, interval), alone, judge_mean, weight, n * gain / (1 - gain))


def _clusters(
    n: int, n_others: int, clusters: tuple[Sequence[int] | Ints, Sequence[int] | Ints] | None
) -> tuple[Ints, Ints]:
    """Each unit for itself where nothing else is said."""
    if clusters is None:
        return np.arange(n), np.arange(n, n + n_others)
    of_labelled, of_others = (np.asarray(it, dtype=np.int64) for it in clusters)
    if (len(of_labelled), len(of_others)) != (n, n_others):
        raise ValueError("a unit without its cluster")
    return of_labelled, of_others


def _useless(human: Floats, judge: Floats, others: Floats, n_clusters: int) -> str:
    """Why nothing can be gained from this judge, whatever it says."""
    if n_clusters < FEWEST:
        return f"{n_clusters} items with human labels; at least {FEWEST} are needed"
    if not len(others):
        return "the judge has no verdict on a unit without a human label"
    if np.ptp(human) == 0:
        return "all human labels are the same"
    if np.ptp(judge) == 0 or np.ptp(others) == 0:
        return "the judge always says the same"
    if (differences := int((human != judge).sum())) < FEWEST_DIFFERENCES:
        return (
            f"people and judge differ on {differences} labelled units only; how often they differ elsewhere cannot "
            f"be told from fewer than {FEWEST_DIFFERENCES}"
        )
    return ""


def _weight(human: Floats, judge: Floats, others: Floats, of_labelled: Ints, of_others: Ints) -> float:
    """The λ at which the variance, a parabola in λ, is least."""
    at_0, at_1, at_minus_1 = (
        _variance(human - weight * judge, weight * others, of_labelled, of_others) for weight in (0.0, 1.0, -1.0)
    )
    slope, curve = (at_1 - at_minus_1) / 2, (at_1 + at_minus_1) / 2 - at_0
    return float(np.clip(-slope / (2 * curve), 0.0, 1.0))


def _left_out(rectified: Floats, judge: Floats) -> Floats:
    """Residuals of a line through the labels at that slope, each as if fitted without its unit."""
    around = judge - judge.mean()
    leverage = 1 / len(judge) + around**2 / (around @ around)
    left: Floats = (rectified - rectified.mean()) / (1 - leverage)
    return left


def _variance(rectified: Floats, believed: Floats, of_labelled: Ints, of_others: Ints) -> float:
    """Of mean(rectified) + mean(believed), from what each cluster adds to it."""
    names, which = np.unique(np.concatenate([of_labelled, of_others]), return_inverse=True)
    parts = (rectified - rectified.mean()) / len(rectified)
    if len(believed):
        parts = np.concatenate([parts, (believed - believed.mean()) / len(believed)])
    sums = np.bincount(which.reshape(-1), weights=parts, minlength=len(names))
    n_labelled = len(np.unique(of_labelled))
    return float(sums @ sums) * n_labelled / (n_labelled - 1)


def _student(mean: float, variance: float, freedom: int, level: float, method: str) -> Interval:
    reach = float(stats.t.ppf((1 + level) / 2, freedom)) * variance**0.5
    return Interval(mean - reach, mean + reach, level, f"{method}, Student's t with {freedom} degrees of freedom")
