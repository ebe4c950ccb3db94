"""Whether something that happens now and then happens unusually often of late."""

from dataclasses import dataclass

import scipy


@dataclass(frozen=True)
class JumpRule:
    """When a share is said to have jumped.

    The last `window` events (at the beginning half of all, and never fewer than `fewest`) are compared with all
    before them by Fisher's exact test, one-sided, and with the share `most` by the exact binomial test. Each has
    the chance `level` of a false alarm at any one look; looking again and again adds up to more.
    What has begun goes on until neither test finds anything at the level `calm`.
    """

    window: int = 100
    fewest: int = 20
    most: float = 0.25
    level: float = 1e-4
    calm: float = 0.01


@dataclass(frozen=True)
class Shares:
    """How many of the last events, and of those before them, are of the kind that is watched."""

    recent: int
    of_recent: int
    before: int
    of_before: int


def window_of(n: int, rule: JumpRule) -> int:
    """How many of `n` events are the last ones; 0 where there are too few to say anything.

    >>> [window_of(n, JumpRule()) for n in (19, 30, 60, 1000)]
    [0, 20, 30, 100]
    """
    return 0 if n < rule.fewest else min(rule.window, max(rule.fewest, n // 2))


def has_jumped(shares: Shares, rule: JumpRule, *, already: bool = False) -> bool:
    """Whether the recent share lies above the earlier one, or above what is ever to be expected, beyond chance.

    `already` says that an alarm stands, which ends only when all is calm.

    >>> has_jumped(Shares(38, 100, 4, 300), JumpRule()), has_jumped(Shares(6, 100, 12, 300), JumpRule())
    (True, False)
    """
    level = rule.calm if already else rule.level
    if not shares.of_recent:
        return False
    too_many = scipy.stats.binom.sf(shares.recent - 1, shares.of_recent, rule.most)
    return bool(min(too_many, fisher_greater(shares)) < level)


def fisher_greater(shares: Shares) -> float:
    """The one-sided p-value of Fisher's exact test that the recent share is greater; 1 with nothing to compare with.

    >>> round(fisher_greater(Shares(3, 4, 1, 4)), 4)
    0.2429
    """
    total, kind = shares.of_recent + shares.of_before, shares.recent + shares.before
    return float(scipy.stats.hypergeom.sf(shares.recent - 1, total, kind, shares.of_recent))
