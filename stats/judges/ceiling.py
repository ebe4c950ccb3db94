"""How well a judge could do at most: people against the rest of the people."""

import numpy as np

from stats import reasons
from stats.agreement.labels import LabelTable, kinds_of
from stats.arrays import Floats, ratio
from stats.intervals import Bootstrap, UnitSums
from stats.results import SHARE, Estimate, left_out


def human_ceiling(table: LabelTable, *, bootstrap: Bootstrap | None = None) -> Estimate:
    """How often a person gave the label that most of the others gave, over all people and units.

    Each label is compared with the most frequent one among the others (leave-one-out); where the others have no
    single most frequent label, it is left out and counted. `n` counts labels. Undefined where no person has others.

    >>> from stats.agreement.labels import label_table
    >>> found = human_ceiling(label_table([["1", "1"], ["1", "2"], ["1", None]]))
    >>> found.estimate, found.n
    (0.6, 5)
    """
    counts, n_raters = table.counts(), table.n_raters
    right, compared, unclear, alone = (np.zeros(table.n_units, dtype=np.int64) for _ in range(4))
    rows = np.arange(table.n_units)
    for rater in range(n_raters):
        own = table.codes[:, rater]
        given = own >= 0
        others = counts.copy()
        others[rows[given], own[given]] -= 1
        most = others.max(axis=1, initial=0)
        clear = given & (most > 0) & ((others == most[:, np.newaxis]).sum(axis=1) == 1)
        compared += clear
        right += clear & (others[rows, own] == most)
        alone += given & (most == 0)
        unclear += given & (most > 0) & ~clear
    excluded = left_out((alone.sum(), reasons.NOBODY_ELSE()), (unclear.sum(), reasons.NO_MAJORITY()))
    n = int(compared.sum())
    method = "people against the majority of the others"
    if n == 0:
        return Estimate(None, 0, method, excluded=excluded, reason=reasons.NO_OTHERS())
    found = Estimate(float(right.sum() / n), n, method, excluded=excluded)
    used = compared > 0
    kinds = kinds_of(np.stack([right, compared], axis=1)[used])
    sums = UnitSums(kinds.rows.astype(np.float64), kinds.of_unit, used, _share, SHARE)
    return found if bootstrap is None else bootstrap.of_sums(found, sums)


def _share(sums: Floats) -> Floats:
    return ratio(sums[..., 0], sums[..., 1])
