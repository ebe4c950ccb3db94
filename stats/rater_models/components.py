"""Where ratings vary: variance components of systems, items and raters, from data that need not be balanced."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Floats, Ints
from stats.rater_models.rated import Rated, groups

#: What ratings can have in common, the single facets first. A response is what one system made of one item.
FACETS = ("system", "item", "rater", "response", "system_rater", "item_rater")
RESIDUAL = "residual"
#: Beyond this ratio of the largest to the least singular value, equations cannot be told apart.
_MOST_CONDITION = 1e10


@dataclass(frozen=True)
class Components:
    """Estimated variances by facet, `residual` last; negative ones are kept as they came out.

    A facet that the design cannot separate is in `within`, with the one that holds it; one of which there is a single
    level is in neither. With a `reason` there are none.
    """

    variances: Mapping[str, float]
    within: Mapping[str, str]
    n: int
    reason: Reason | None = None

    def at_least_zero(self, facet: str) -> float:
        """The variance of this facet, 0 where it came out negative or is not separate (Brennan 2001, §3.4.6)."""
        return max(0.0, self.variances.get(facet, 0.0))


def variance_components(rated: Rated) -> Components:
    """Components of variance of ratings of systems' responses to items by raters, all taken as drawn at random.

    Henderson's first method: sums of squares of group means are set equal to what they are expected to be; in
    balanced data these are the estimates of the analysis of variance (Henderson 1953; Searle, Casella & McCulloch
    1992, §5.3; in generalizability theory: Brennan 2001, §7.1). Interactions that no two ratings share are within
    the residual. Undefined where no ratings have anything in common, or where the design mixes facets.

    >>> two = np.array([9.0, 2, 5, 8, 6, 1, 3, 2, 8, 4, 6, 8, 7, 1, 2, 6, 10, 5, 6, 9, 6, 2, 4, 7])
    >>> rated = Rated(two, np.zeros(24, int), np.repeat(np.arange(6), 4), np.tile(np.arange(4), 6))
    >>> found = variance_components(rated)
    >>> {facet: round(variance, 3) for facet, variance in found.variances.items()}, dict(found.within)
    ({'item': 2.556, 'rater': 5.244, 'residual': 1.019}, {'item_rater': 'residual'})
    """
    n = len(rated)
    kept, within = _separate(rated)
    if not kept:
        return Components({}, within, n, reasons.NOTHING_TO_SEPARATE())
    parts = [kept[it] for it in kept]
    centred = rated.values - rated.values.mean()
    # Each total: the overall one, one for each facet, and the plain sum of squares.
    levels = [np.zeros(n, dtype=np.int64), *parts, np.arange(n)]
    totals = np.array([_total(centred, it) for it in levels])
    expected = np.array([[float(n), *(_shared(of, it) for it in parts), float(of.max() + 1)] for of in levels])
    if np.linalg.cond(expected / np.abs(expected).max(axis=0)) > _MOST_CONDITION:
        return Components({}, within, n, reasons.FACETS_MIXED())
    solved = np.linalg.solve(expected, totals)
    return Components(dict(zip((*kept, RESIDUAL), solved[1:].tolist(), strict=True)), within, n)


def facet_groups(rated: Rated) -> dict[str, Ints]:
    """The group of each rating by each facet."""
    single = {"system": rated.systems, "item": rated.items, "rater": rated.raters}
    pairs = {"response": ("system", "item"), "system_rater": ("system", "rater"), "item_rater": ("item", "rater")}
    return {
        **{name: groups(it) for name, it in single.items()},
        **{name: groups(single[one], single[other]) for name, (one, other) in pairs.items()},
    }


def _separate(rated: Rated) -> tuple[dict[str, Ints], dict[str, str]]:
    """The facets that have a variance of their own, and those that another holds.

    A pair of facets of which one has a single level is the other; groups of one rating each are within the residual.
    """
    found, kept, within = facet_groups(rated), dict[str, Ints](), dict[str, str]()
    n = len(rated)
    for name, of in found.items():
        n_levels = int(of.max(initial=-1)) + 1
        if n_levels < 2:
            continue
        same = next(
            (it for it, other in kept.items() if _levels(other) == n_levels == _levels(groups(of, other))), ""
        )
        if name in FACETS[3:] and any(_levels(found[it]) < 2 for it in _parts(name)) and same:
            continue  # of a single system, say, responses are items
        if n_levels == n:
            within[name] = RESIDUAL
        elif same:
            within[name] = same
        else:
            kept[name] = of
    return kept, within


def _parts(name: str) -> tuple[str, str]:
    return {"response": ("system", "item"), "system_rater": ("system", "rater"), "item_rater": ("item", "rater")}[
        name
    ]


def _levels(of: Ints) -> int:
    return int(of.max(initial=-1)) + 1


def _total(values: Floats, of: Ints) -> float:
    sums, sizes = np.bincount(of, weights=values), np.bincount(of)
    return float((sums**2 / sizes).sum())


def _shared(of: Ints, facet: Ints) -> float:
    """How often the variance of `facet` is expected in the total over the groups `of`: Σ over groups of Σ n² / n."""
    both = groups(of, facet)
    sizes, group_of = np.bincount(both), np.zeros(_levels(both), dtype=np.int64)
    group_of[both] = of
    return float((np.bincount(group_of, weights=sizes.astype(np.float64) ** 2) / np.bincount(of)).sum())
