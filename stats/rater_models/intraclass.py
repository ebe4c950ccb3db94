"""Intraclass correlations: how reliable one rating is, and the mean of several."""

from dataclasses import dataclass

import numpy as np
import scipy

from stats import reasons
from stats.arrays import Floats, Ints
from stats.rater_models.rated import groups
from stats.results import Estimate, Interval
from stats.systems.means import chi_squares

_NAMES = {"1": "ICC(1)", "k1": "ICC(1,k)", "2": "ICC(2,1)", "k2": "ICC(2,k)"}


@dataclass(frozen=True)
class Intraclass:
    """Reliability of one rating, and of the mean of `k`, by a one-way and a two-way model of random raters.

    `k` is the (harmonic) mean number of ratings of a response.
    """

    one_way: Estimate
    one_way_mean: Estimate
    two_way: Estimate
    two_way_mean: Estimate
    k: float


def intraclass(values: Floats, responses: Ints, raters: Ints, *, level: float = 0.95) -> Intraclass:
    """ICC(1,1), (1,k), (2,1) and (2,k) of ratings of responses, an entry per rating (Shrout & Fleiss 1979).

    The one-way model leaves severity in the error: it is for responses that different raters rated. The two-way model
    names it: how far ratings agree absolutely, from the analysis of variance where every rater rated every response
    once (interval: McGraw & Wong 1996), else from sums of squares adjusted for each other (Henderson's third method,
    Searle, Casella & McCulloch 1992, §5.5), with a generalized interval (Weerahandi 1993). With unequal numbers of
    ratings the one-way interval takes their harmonic mean (Thomas & Hultquist 1978). Undefined where no response has
    two ratings, or there is one.

    >>> values = np.array([9.0, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7])
    >>> found = intraclass(values, np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6))
    >>> [round(it.estimate, 2) for it in (found.one_way, found.one_way_mean, found.two_way, found.two_way_mean)]
    [0.17, 0.44, 0.29, 0.62]
    """
    responses, raters = groups(responses), groups(raters)
    sizes = np.bincount(responses)
    n = len(values)
    if len(sizes) < 2 or n == len(sizes) or not np.ptp(values):
        reason = (
            reasons.ONE_RESPONSE()
            if len(sizes) < 2
            else reasons.NO_REPEATED_RATINGS()
            if n == len(sizes)
            else reasons.SAME_VALUES()
        )
        one, one_mean, two, two_mean = (Estimate(None, n, name, reason=reason) for name in _NAMES.values())
        return Intraclass(one, one_mean, two, two_mean, k=float(scipy.stats.hmean(sizes)) if len(sizes) else 0.0)
    k = float(scipy.stats.hmean(sizes))
    one, one_mean = _one_way(values, responses, sizes, k, level)
    two, two_mean = _two_way(values, responses, raters, k, level)
    return Intraclass(one, one_mean, two, two_mean, k)


def of_mean(single: float, k: float) -> float:
    """The reliability of a mean of `k` ratings from that of one (Spearman 1910; Brown 1910).

    >>> round(of_mean(0.5, 2), 3)
    0.667
    """
    return k * single / (1 + (k - 1) * single)


def _one_way(values: Floats, responses: Ints, sizes: Ints, k: float, level: float) -> tuple[Estimate, Estimate]:
    n, n_responses = len(values), len(sizes)
    means = np.bincount(responses, weights=values) / sizes
    within = float(((values - means[responses]) ** 2).sum()) / (n - n_responses)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (n_responses - 1)
    average = (n - float((sizes.astype(np.float64) ** 2).sum()) / n) / (n_responses - 1)
    single = (between - within) / (between + (average - 1) * within)
    if within == 0:
        return _pair(1.0, k, n, "1", None, level)
    ratio = k * float(means.var(ddof=1)) / within
    freedom = n_responses - 1, n - n_responses
    low, high = (ratio / float(scipy.stats.f.isf(tail, *freedom)) for tail in ((1 - level) / 2, (1 + level) / 2))
    ends = ((low - 1) / (low + k - 1), (high - 1) / (high + k - 1))
    return _pair(single, k, n, "1", ends, level, "F distribution")


def _two_way(values: Floats, responses: Ints, raters: Ints, k: float, level: float) -> tuple[Estimate, Estimate]:
    n, n_responses, n_raters = len(values), int(responses.max()) + 1, int(raters.max()) + 1
    if n_raters < 2:
        nothing = [Estimate(None, n, _NAMES[name], reason=reasons.ONE_RATER()) for name in ("2", "k2")]
        return nothing[0], nothing[1]
    counts = np.zeros((n_responses, n_raters))
    np.add.at(counts, (responses, raters), 1)
    freedom = n_responses - 1, n_raters - 1, n - n_responses - n_raters + 1
    squares = _adjusted_squares(values, responses, raters, counts)
    if freedom[2] < 1 or squares is None:
        nothing = [Estimate(None, n, _NAMES[name], reason=reasons.FACETS_MIXED()) for name in ("2", "k2")]
        return nothing[0], nothing[1]
    per_response = (n - float((counts**2 / counts.sum(axis=0)).sum())) / freedom[0]
    per_rater = (n - float((counts**2 / counts.sum(axis=1, keepdims=True)).sum())) / freedom[1]
    mean_squares = tuple(square / df for square, df in zip(squares, freedom, strict=True))
    of_response, of_rater, rest = (np.array(it) for it in mean_squares)
    single = float(_agreement(of_response, of_rater, rest, per_response, per_rater))
    if mean_squares[2] <= 1e-12 * max(mean_squares):
        return _pair(single, k, n, "2", None, level)
    if (counts == 1).all():
        ends = _mcgraw_wong(mean_squares, n_responses, n_raters, level)
        return _pair(single, k, n, "2", ends, level, "F distribution")
    drawn = [square / chi_squares(df, at) for at, (square, df) in enumerate(zip(mean_squares, freedom, strict=True))]
    found = _agreement(drawn[0], drawn[1], drawn[2], per_response, per_rater)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    return _pair(single, k, n, "2", (float(low), float(high)), level, "generalized interval")


def _agreement(response: Floats, rater: Floats, rest: Floats, per_response: float, per_rater: float) -> Floats:
    """Absolute agreement of one rating from mean squares; what variances of raters come out negative are 0.

    In balanced data this is Shrout and Fleiss' ICC(2,1), which has no such 0; so it is taken only in the draws.
    """
    of_response = (response - rest) / per_response
    of_rater = (rater - rest) / per_rater
    if np.ndim(rater):
        of_rater = np.maximum(of_rater, 0)
    return np.asarray(of_response / (of_response + of_rater + rest))


def _adjusted_squares(
    values: Floats, responses: Ints, raters: Ints, counts: Floats
) -> tuple[float, float, float] | None:
    """Sums of squares of responses after raters, raters after responses, and the rest; None where they mix."""
    centred = values - values.mean()
    by_response, by_rater = counts.sum(axis=1), counts.sum(axis=0)
    sums_response, sums_rater = (np.bincount(it, weights=centred) for it in (responses, raters))
    # Raters' normal equations with responses swept out; the first rater is the origin.
    shares = counts / by_response[:, np.newaxis]
    matrix = np.diag(by_rater) - counts.T @ shares
    wanted = sums_rater - shares.T @ sums_response
    if np.linalg.matrix_rank(matrix) < len(matrix) - 1:
        return None
    raised = np.concatenate([[0.0], np.linalg.solve(matrix[1:, 1:], wanted[1:])])
    raters_after = float(raised @ wanted)
    of_responses = float((sums_response**2 / by_response).sum())
    of_raters = float((sums_rater**2 / by_rater).sum())
    both = of_responses + raters_after
    return both - of_raters, raters_after, max(0.0, float(centred @ centred) - both)


def _mcgraw_wong(mean_squares: tuple[float, ...], n: int, k: int, level: float) -> tuple[float, float]:
    """McGraw & Wong (1996), case 2A: n responses, each rated once by each of k raters."""
    between, rater, rest = mean_squares
    ratio = rater / rest
    single = (between - rest) / (between + (k - 1) * rest + k * (rater - rest) / n)
    scaled = n * (1 + (k - 1) * single) - k * single
    above = (k - 1) * (n - 1) * (k * single * ratio + scaled) ** 2
    freedom = above / ((n - 1) * k**2 * single**2 * ratio**2 + scaled**2)
    tail = (1 - level) / 2
    lower, upper = float(scipy.stats.f.isf(tail, n - 1, freedom)), float(scipy.stats.f.isf(tail, freedom, n - 1))
    shared = k * rater + (k * n - k - n) * rest
    low = n * (between - lower * rest) / (lower * shared + n * between)
    high = n * (upper * between - rest) / (shared + n * upper * between)
    return low, high


def _pair(
    single: float, k: float, n: int, model: str, ends: tuple[float, float] | None, level: float, how: str = ""
) -> tuple[Estimate, Estimate]:
    """One rating's reliability and that of the mean of k; an interval that leaves what a mean can have ends there."""
    found = []
    for name, to in ((model, 1.0), (f"k{model}", k)):
        if 1 + (to - 1) * single <= 0:
            found.append(Estimate(None, n, _NAMES[name], reason=reasons.RATINGS_DISAGREE()))
            continue
        interval = None
        if ends and 1 + (to - 1) * ends[0] > 0:
            interval = Interval(of_mean(ends[0], to), of_mean(ends[1], to), level, how)
        reason = None if interval else reasons.ALIKE_CLUSTERS() if ends is None else reasons.RATINGS_DISAGREE()
        found.append(Estimate(of_mean(single, to), n, _NAMES[name], interval, reason=reason))
    return found[0], found[1]
