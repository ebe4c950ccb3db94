"""Which of many e-values are to be believed when all of them are looked at together."""

import numpy as np

from stats.arrays import Bools, Floats


def e_bh(evidence: Floats, *, share: float = 0.05) -> Bools:
    """Mark the e-values of which on average at most `share` are false, shape as `evidence`.

    The k largest of n are marked for the largest k whose k-th is at least n / (share · k), whatever the e-values have
    to do with each other (Wang & Ramdas 2022, "False discovery rate control with e-values", JRSS-B 84). Raises
    ValueError for a share outside of (0, 1].

    >>> e_bh(np.array([500.0, 0.3, 90.0, 1.0]), share=0.05)
    array([ True, False,  True, False])
    """
    if not 0 < share <= 1:
        raise ValueError(f"{share} is no share between 0 and 1")
    order = np.argsort(-evidence, kind="stable")
    enough = evidence[order] >= len(evidence) / (share * np.arange(1, len(evidence) + 1))
    n = int(np.flatnonzero(enough).max(initial=-1)) + 1
    found = np.zeros(len(evidence), dtype=bool)
    found[order[:n]] = True
    return found
