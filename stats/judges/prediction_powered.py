"""A mean of human labels, made narrower by a judge's verdicts on many more units: prediction-powered inference."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Floats, Ints
from stats.results import Estimate, Interval
from stats.systems.means import cluster_mean

_METHOD = "prediction-powered mean (PPI++)"
_HUMAN = "mean of human labels"
#: With fewer human labels the interval does not hold its level (see its simulation among the tests).
FEWEST = 50
#: What is imagined beside wins and losses: a label, a verdict, and how often, one win and one loss in all.
_IMAGINED = np.array([[1.0, 1.0, 0.625], [1.0, 0.0, 0.375], [0.0, 0.0, 0.625], [0.0, 1.0, 0.375]])
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
    Where all are wins, losses and ties, it is taken as if one win and one loss more had been labelled, three
    eighths of each against the verdict (after Agresti & Min 2005): what has hardly been seen may happen all the same.
    Raises ValueError where labels and verdicts are not of the same units.

    >>> found = corrected_mean([1, 0] * 40 + [1] * 10, [1, 0] * 40 + [0] * 10, [1, 0] * 400)
    >>> round(found.human.estimate, 3), round(found.estimate.estimate, 3), round(found.saved)
    (0.556, 0.595, 105)
    """
    human, judge, others = (np.asarray(it, dtype=np.float64) for it in (labels, verdicts, unlabelled))
    if len(human) != len(judge):
        raise ValueError(f"{len(human)} labels and {len(judge)} verdicts of the same units")
    of_labelled, of_others = _clusters(len(human), len(others), clusters)
    alone, n = label_mean(human, of_labelled, level=level), len(human)
    judge_mean = float(np.concatenate([judge, others]).mean()) if n + len(others) else None
    n_clusters = len(np.unique(of_labelled))
    if reason := _useless(human, judge, others, n_clusters):
        return Corrected(Estimate(None, n, _METHOD, reason=reason), alone, judge_mean, None, None)
    weight = _weight(human, judge, others, of_labelled, of_others)
    mean = float(human.mean() - weight * (judge.mean() - others.mean()))
    seen = _seen(human, judge, of_labelled)
    variance = _variance(seen.left_out(weight), weight * others, seen.clusters, of_others)
    gain = 1 - variance / _variance(seen.off(0.0), 0 * others, seen.clusters, of_others)
    if gain < LEAST_GAIN:
        reason = reasons.SAVES_TOO_LITTLE(saved=f"{max(gain, 0):.1%}")
        return Corrected(Estimate(None, n, _METHOD, reason=reason), alone, judge_mean, weight, None)
    middle = seen.mean(seen.human) - weight * (seen.mean(seen.judge) - float(others.mean()))
    interval = _student(middle, variance, n_clusters - 2, level, _METHOD, is_share=seen.is_share)
    return Corrected(Estimate(mean, n, _METHOD, interval), alone, judge_mean, weight, n * gain / (1 - gain))


def label_mean(labels: Sequence[float] | Floats, clusters: Sequence[int] | Ints, *, level: float = 0.95) -> Estimate:
    """The mean of human labels alone, with Student's t over clusters (items).

    Of wins it is taken as if one more were won and one lost. So it also has an interval where all labels are the
    same, and holds near 0 and 1 (Agresti & Coull 1998, who imagine two of each).

    >>> found = label_mean([1.0] * 60, range(60))
    >>> found.estimate, round(found.interval.low, 3), found.interval.high
    (1.0, 0.952, 1.0)
    """
    human, of_labelled = np.asarray(labels, dtype=np.float64), np.asarray(clusters, dtype=np.int64)
    found = cluster_mean(human.tolist(), of_labelled.tolist(), level=level, method=_HUMAN)
    n_clusters = len(np.unique(of_labelled))
    seen = _seen(human, human, of_labelled)
    if n_clusters < 2 or not seen.is_share:
        return found
    off = seen.off(0.0)
    # Few clusters may be alike by chance: not less than of labels each for itself.
    variance = max(_variance(off, np.zeros(0), seen.clusters, np.zeros(0, dtype=np.int64)), float(off @ off))
    interval = _student(seen.mean(seen.human), variance, n_clusters - 1, level, _HUMAN, is_share=True)
    return replace(found, interval=interval, reason=None)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Labelled units and what is imagined beside them: `times` is how often each is there."""

    human: Floats
    judge: Floats
    times: Floats
    clusters: Ints
    is_share: bool

    def mean(self, values: Floats) -> float:
        return float(self.times @ values / self.times.sum())

    def off(self, weight: float) -> Floats:
        """What each adds to the error of the mean rectified label, whose squares count as often as it is there."""
        rectified = self.human - weight * self.judge
        off: Floats = np.sqrt(self.times) * (rectified - self.mean(rectified)) / self.times.sum()
        return off

    def left_out(self, weight: float) -> Floats:
        """The same from residuals of a line through the labels, each as if fitted without its unit."""
        around = self.judge - self.mean(self.judge)
        leverage = 1 / self.times.sum() + around**2 / (self.times @ around**2)
        left: Floats = self.off(weight) / (1 - leverage)
        return left


def _seen(human: Floats, judge: Floats, clusters: Ints) -> _Seen:
    times, is_share = np.ones(len(human)), bool(np.isin(np.concatenate([human, judge]), (0, 0.5, 1)).all())
    if not is_share:
        return _Seen(human, judge, times, clusters, is_share)
    label, verdict, often = _IMAGINED.T
    own = np.iinfo(np.int64).min + np.arange(len(often))
    return _Seen(
        np.append(human, label),
        np.append(judge, verdict),
        np.append(times, often),
        np.append(clusters, own),
        is_share,
    )


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


def _useless(human: Floats, judge: Floats, others: Floats, n_clusters: int) -> Reason | None:
    """Why nothing can be gained from this judge, whatever it says."""
    if n_clusters < FEWEST:
        return reasons.FEW_LABELLED_ITEMS(n=n_clusters, needed=FEWEST)
    if not len(others):
        return reasons.NO_UNLABELLED_VERDICT()
    if np.ptp(human) == 0:
        return reasons.SAME_HUMAN_LABELS()
    if np.ptp(judge) == 0 or np.ptp(others) == 0:
        return reasons.JUDGE_SAYS_THE_SAME()
    return None


def _weight(human: Floats, judge: Floats, others: Floats, of_labelled: Ints, of_others: Ints) -> float:
    """The λ at which the variance, a parabola in λ, is least."""
    at_0, at_1, at_minus_1 = (
        _variance(_off(human - weight * judge), weight * others, of_labelled, of_others)
        for weight in (0.0, 1.0, -1.0)
    )
    slope, curve = (at_1 - at_minus_1) / 2, (at_1 + at_minus_1) / 2 - at_0
    return float(np.clip(-slope / (2 * curve), 0.0, 1.0))


def _off(values: Floats) -> Floats:
    off: Floats = (values - values.mean()) / len(values)
    return off


def _variance(off: Floats, believed: Floats, of_labelled: Ints, of_others: Ints) -> float:
    """Of the mean rectified label, of whose error each unit adds `off`, and mean(believed), by cluster."""
    names, which = np.unique(np.concatenate([of_labelled, of_others]), return_inverse=True)
    parts = np.concatenate([off, _off(believed)]) if len(believed) else off
    sums = np.bincount(which.reshape(-1), weights=parts, minlength=len(names))
    n_labelled = len(np.unique(of_labelled))
    return float(sums @ sums) * n_labelled / (n_labelled - 1)


def _student(mean: float, variance: float, freedom: int, level: float, method: str, *, is_share: bool) -> Interval:
    reach = float(scipy.stats.t.ppf((1 + level) / 2, freedom)) * variance**0.5
    low, high = (max(mean - reach, 0.0), min(mean + reach, 1.0)) if is_share else (mean - reach, mean + reach)
    method_text = f"{method}, Student's t with {freedom} degrees of freedom"
    return Interval(low, high, level, f"{method_text}, one win and one loss imagined" if is_share else method_text)
