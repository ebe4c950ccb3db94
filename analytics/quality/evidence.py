"""Evidence that may be looked at after every answer, and cries wolf no more than once in so many whole sessions.

Each function returns an e-value: a number that, as long as what is tolerated holds, is 1 on average however many
answers have come. By Ville's inequality it ever reaches 1/α in at most a share α of sessions, whenever one looks and
however often (Ville 1939; Ramdas et al. 2023, "Game-theoretic statistics and safe anytime-valid inference").
"""

import numpy as np
import scipy

from stats.arrays import Bools, Floats

#: At most this share of sessions within the tolerance raises a signal.
FALSE_ALARMS = 0.01
#: The evidence from which on a signal speaks.
ENOUGH = 1 / FALSE_ALARMS
_SHARES = np.array([0.6, 0.75, 0.9, 0.97, 1 - 1e-9])
_BETS = np.array([0.25, 0.5, 0.75, 0.95])
_LEAST, _MOST = 1e-3, 1 - 1e-3


def of_share(bad: int, n: int, tolerated: float) -> float:
    """Evidence that the chance of a bad answer is above `tolerated`: the likelihood ratio, mixed over all above it.

    >>> round(of_share(3, 3, 0.1)), round(of_share(1, 10, 0.1), 2)
    (278, 0.18)
    """
    p = min(max(tolerated, _LEAST), _MOST)
    above = _log(float(scipy.special.betaincc(bad + 1, n - bad + 1, p)))
    likelihoods = float(scipy.special.betaln(bad + 1, n - bad + 1)) + above
    return _exp(likelihoods - float(np.log1p(-p) + bad * np.log(p) + (n - bad) * np.log1p(-p)))


def of_one_side(first: int, second: int, tolerated: float) -> float:
    """Evidence that one of two sides is chosen with a chance above `tolerated`, whichever it is."""
    n = first + second
    return (of_share(first, n, tolerated) + of_share(second, n, tolerated)) / 2


def of_habit(gave: Floats, tolerated: Floats) -> float:
    """Evidence that one and the same value is given more often than `tolerated`.

    `gave` and `tolerated` have shape (answers, values): whether the value was given, and the chance of it that would
    still be all right for this very unit. The habit may be any of the values, given with any of several chances.
    """
    p = np.clip(tolerated, _LEAST, _MOST)[..., None]
    q = np.maximum(_SHARES, p)
    logs = np.where(gave[..., None] > 0, np.log(q / p), np.log((1 - q) / (1 - p) + 1e-300)).sum(axis=0)
    return _exp(float(scipy.special.logsumexp(logs) - np.log(logs.size)))


def of_streak(again: Bools, tolerated: Floats) -> float:
    """Evidence that from some answer on the one before is given again with a higher chance than `tolerated`.

    Of shape (answers - 1,): whether each answer is the one before, and the chance of that which would still be all
    right. The habit may begin anywhere: at the n-th with a weight of 1/(n(n+1)), so that long observation raises no
    signal by itself.

    >>> [round(of_streak(np.ones(n, dtype=bool), np.full(n, 0.5))) for n in (6, 10, 20)]
    [21, 273, 215836]
    """
    p = np.clip(tolerated, _LEAST, _MOST)[..., None]
    q = np.maximum(_SHARES, p)
    logs = np.where(again[:, None], np.log(q / p), np.log((1 - q) / (1 - p) + 1e-300))
    since = np.flip(np.flip(logs, axis=0).cumsum(axis=0), axis=0)
    n = np.arange(1, len(again) + 1)[:, None]
    begun = scipy.special.logsumexp(since - np.log(n * (n + 1)) - np.log(len(_SHARES))) if len(again) else -np.inf
    return _exp(float(np.logaddexp(begun, -np.log(len(again) + 1))))


def of_low_mean(scores: Floats, tolerated: float) -> float:
    """Evidence that scores between 0 and 1 are lower on average than `tolerated`, by bets against each of them.

    (Waudby-Smith & Ramdas 2024, "Estimating means of bounded random variables by betting".)
    """
    m = min(max(tolerated, _LEAST), _MOST)
    bets = _BETS / (1 - m)
    logs = np.log1p(bets[:, None] * (m - scores)).sum(axis=1)
    return _exp(float(scipy.special.logsumexp(logs) - np.log(len(bets))))


def _log(x: float) -> float:
    return float(np.log(x)) if x > 0 else -np.inf


def _exp(logarithm: float) -> float:
    """Large enough is as good as larger: nothing overflows."""
    return float(np.exp(min(logarithm, 600.0)))
