"""Wilson's interval of a share, and of shares whose trials hang together."""

import math

import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.results import Estimate, Interval


def wilson(successes: float, n: float, *, level: float = 0.95) -> Interval | None:
    """Wilson's score interval of a proportion, from counts; None where n is 0 (Wilson 1927; MTalk-Bench App. C.1.3).

    Raises ValueError for other than 0 ≤ successes ≤ n.

    >>> interval = wilson(450, 497)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.8765, 0.9281)
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} of {n} is no proportion")
    if n == 0:
        return None
    z = -float(scipy.special.ndtri((1 - level) / 2))
    centre = (successes + z**2 / 2) / (n + z**2)
    half = z * math.sqrt(successes * (n - successes) / n + z**2 / 4) / (n + z**2)
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == n else centre + half
    return Interval(low, high, level, "Wilson")


def proportion(
    successes: float,
    n: int,
    *,
    method: str,
    level: float = 0.95,
    reason: Reason | None = None,
    effect: float = 1.0,
) -> Estimate:
    """The share of successes with Wilson's interval; undefined, for that reason, where n is 0.

    `effect` is how many trials are worth one (see `design_effects`).

    >>> proportion(3, 4, method="accuracy").estimate
    0.75
    """
    interval = wilson(successes / effect, n / effect, level=level)
    if interval is None:
        return Estimate(None, n=0, method=method, reason=reason or reasons.NOTHING_TO_COUNT())
    return Estimate(successes / n, n=n, method=method, interval=interval)


def share_within(share: float, half: float, n: int, *, level: float) -> tuple[float, float]:
    """Both ends of a share's interval that would reach `half` to either side, as Wilson's of so many trials as
    reach as far (Korn & Graubard 1998; Franco et al. 2019). Where nothing varies, of `n` trials.

    >>> low, high = share_within(0.5, 0.2, 5, level=0.95)
    >>> round(low, 3), round(high, 3)
    (0.314, 0.686)
    """
    z = float(scipy.stats.norm.isf((1 - level) / 2))
    trials = share * (1 - share) * (z / half) ** 2 if half > 0 and 0 < share < 1 else float(n)
    centre = (share + z**2 / (2 * trials)) / (1 + z**2 / trials)
    reach = z * math.sqrt(share * (1 - share) / trials + (z / trials) ** 2 / 4) / (1 + z**2 / trials)
    return max(0.0, centre - reach), min(1.0, centre + reach)
