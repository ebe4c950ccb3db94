"""From many metrics to a few that say different things: the filtering pipeline of COMPASS (§3.4, App. D)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Bools, Floats, Ints
from stats.metrics.redundancy import (
    FEWEST_SYSTEMS,
    absolute_correlations,
    known_spearman,
    redundancy_clusters,
    silhouette,
)

#: Groups are merged while their silhouette is less, or two of them correlate by more.
LEAST_SILHOUETTE, MOST_CORRELATED = 0.25, 0.70
#: Four scores of a metric, in this order, of the same weight.
CRITERIA = ("discriminability", "stability", "independence", "adoption")
#: By how much a weight is changed to see whether the ranking holds.
NUDGE = 0.2


@dataclass(frozen=True, eq=False)
class MetricTable:
    """Scores of shape (metrics, languages, systems), NaN where there is none; a mean over utterances each.

    `dimensions` has what each metric is meant to measure, `adoption` how much each is used in the literature, if that
    is known.
    """

    metrics: tuple[str, ...]
    dimensions: tuple[str, ...]
    scores: Floats
    adoption: Floats | None = None

    def __post_init__(self) -> None:
        n = len(self.metrics)
        if self.scores.ndim != 3 or len(self.scores) != n or len(self.dimensions) != n:
            raise ValueError(f"{n} metrics with {len(self.dimensions)} dimensions and scores {self.scores.shape}")
        if self.adoption is not None and len(self.adoption) != n:
            raise ValueError(f"{n} metrics with {len(self.adoption)} adoptions")


@dataclass(frozen=True)
class ScoredMetric:
    """One metric's criteria, each between 0 (the least of all metrics) and 1, None where it is undefined.

    `score` is their mean. `cluster` is the same for metrics of one group that carry the same signal.
    """

    metric: str
    dimension: str
    criteria: dict[str, float | None]
    score: float
    group: int
    cluster: int
    is_chosen: bool


@dataclass(frozen=True)
class Merged:
    """Two groups that became one, and why; the figures before."""

    one: tuple[str, ...]
    other: tuple[str, ...]
    correlation: float
    silhouette: float | None


@dataclass(frozen=True)
class MetricSelection:
    """What the pipeline chose. `left_out` names metrics that could not be compared, with the reason.

    `robustness` is the least Spearman ρ of the ranking by score with one weight changed by a fifth.
    """

    metrics: tuple[ScoredMetric, ...]
    groups: tuple[tuple[str, ...], ...]
    correlations: Floats
    silhouette: float | None
    most_correlated: float | None
    merged: tuple[Merged, ...]
    robustness: float | None
    left_out: tuple[tuple[str, Reason], ...]

    @property
    def chosen(self) -> tuple[str, ...]:
        return tuple(it.metric for it in self.metrics if it.is_chosen)


def select_metrics(table: MetricTable) -> MetricSelection:
    """Group metrics, score them, and keep the best of each group (COMPASS App. D, steps 1 to 6).

    Where the paper leaves a choice: a group keeps one metric of up to four, two of up to ten, else three, from
    different clusters, the best score first; criteria are scaled over all metrics at once; a criterion that is
    undefined for a metric does not count for it; the silhouette is that of the chosen metrics at distance 1 − |ρ|.
    A metric that is the same for all systems, or known of fewer than three, is left out.

    >>> scores = np.array([[[1., 2, 3, 4]], [[2., 4, 6, 8.1]], [[3., 1, 4, 2]]])
    >>> found = select_metrics(MetricTable(("BLEU", "ChrF", "WER"), ("text", "text", "sound"), scores))
    >>> found.chosen, found.groups
    (('ChrF', 'WER'), (('text',), ('sound',)))
    """
    system_level = mean_over(table.scores, 1)
    kept, left_out = _usable(table, system_level)
    names = tuple(table.dimensions[place] for place in np.flatnonzero(kept))
    rho = absolute_correlations(system_level[kept])
    criteria = _criteria(table, kept, system_level, rho)
    score = _mean_of(criteria, np.ones(len(CRITERIA)))
    groups, merged = _refined([(name,) for name in dict.fromkeys(names)], names, rho, score)
    chosen, clusters = _chosen(groups, names, rho, score)
    which = _group_of(groups, names)
    metrics = tuple(
        ScoredMetric(
            table.metrics[place],
            names[at],
            {name: _or_none(value) for name, value in zip(CRITERIA, criteria[at], strict=True)},
            float(score[at]),
            int(which[at]),
            int(clusters[at]),
            bool(chosen[at]),
        )
        for at, place in enumerate(np.flatnonzero(kept))
    )
    pair = _closest(which, chosen, rho, len(groups))
    return MetricSelection(
        metrics,
        tuple(groups),
        rho,
        silhouette(1 - rho[np.ix_(chosen, chosen)], which[chosen]),
        pair[0] if pair else None,
        merged,
        _robustness(criteria, score),
        left_out,
    )


def n_representatives(size: int) -> int:
    """How many of so many metrics are kept (App. D, step 5)."""
    return 1 if size <= 4 else 2 if size <= 10 else 3


def mean_over(scores: Floats, axis: int) -> Floats:
    """The mean of what is known, NaN where nothing is."""
    known = ~np.isnan(scores)
    n = known.sum(axis=axis)
    total = np.where(known, scores, 0.0).sum(axis=axis)
    mean: Floats = np.divide(total, n, out=np.full(n.shape, np.nan), where=n > 0)
    return mean


def _usable(table: MetricTable, system_level: Floats) -> tuple[Bools, tuple[tuple[str, Reason], ...]]:
    kept, left_out = np.ones(len(table.metrics), dtype=bool), []
    for place, name in enumerate(table.metrics):
        known = system_level[place][~np.isnan(system_level[place])]
        reason: Reason | None = None
        if len(known) < FEWEST_SYSTEMS:
            reason = reasons.KNOWN_OF_FEW_SYSTEMS(n=len(known), needed=FEWEST_SYSTEMS)
        elif np.ptp(known) == 0:
            reason = reasons.SAME_FOR_EVERY_SYSTEM()
        if reason:
            kept[place] = False
            left_out.append((name, reason))
    return kept, tuple(left_out)


def _criteria(table: MetricTable, kept: Bools, system_level: Floats, rho: Floats) -> Floats:
    """Shape (metrics, 4), each column scaled to [0, 1] over the metrics that have it, NaN for those that do not."""
    adoption = np.full(len(rho), np.nan) if table.adoption is None else table.adoption[kept]
    columns = [
        [_variation(row) for row in system_level[kept]],
        [_stability(languages) for languages in table.scores[kept]],
        [_independence(row, place) for place, row in enumerate(rho)],
        adoption,
    ]
    return np.array([_scaled(np.asarray(column, dtype=np.float64)) for column in columns]).T


def _variation(scores: Floats) -> float:
    """The coefficient of variation over systems."""
    known = scores[~np.isnan(scores)]
    mean = abs(known.mean())
    return float(known.std(ddof=1) / mean) if mean > 0 else float("nan")


def _stability(languages: Floats) -> float:
    """The mean Spearman ρ of how two languages rank the systems."""
    found = [known_spearman(one, other) for one, other in combinations(languages, 2)]
    known = [rho for rho in found if not np.isnan(rho)]
    return float(np.mean(known)) if known else float("nan")


def _independence(row: Floats, place: int) -> float:
    others = np.delete(row, place)
    known = others[~np.isnan(others)]
    return float(1 - known.mean()) if len(known) else float("nan")


def _scaled(column: Floats) -> Floats:
    """Between 0 and 1; where all are alike the criterion tells nothing, and is undefined."""
    known = column[~np.isnan(column)]
    if not len(known) or np.ptp(known) == 0:
        return np.full(len(column), np.nan)
    scaled: Floats = (column - known.min()) / np.ptp(known)
    return scaled


def _mean_of(criteria: Floats, weights: Floats) -> Floats:
    """The weighted mean of the criteria that each metric has; 0 where it has none."""
    known = ~np.isnan(criteria)
    total = (np.where(known, criteria, 0.0) * weights).sum(axis=1)
    over = (known * weights).sum(axis=1)
    mean: Floats = np.divide(total, over, out=np.zeros(len(total)), where=over > 0)
    return mean


def _refined(
    groups: list[tuple[str, ...]], names: Sequence[str], rho: Floats, score: Floats
) -> tuple[list[tuple[str, ...]], tuple[Merged, ...]]:
    """Merge the two groups whose chosen metrics correlate most, until groups stand apart (step 6)."""
    merged: list[Merged] = []
    while len(groups) > 1:
        chosen, _clusters = _chosen(groups, names, rho, score)
        which = _group_of(groups, names)
        width = silhouette(1 - rho[np.ix_(chosen, chosen)], which[chosen])
        pair = _closest(which, chosen, rho, len(groups))
        if pair is None or (pair[0] <= MOST_CORRELATED and (width is None or width >= LEAST_SILHOUETTE)):
            break
        correlation, one, other = pair
        merged.append(Merged(groups[one], groups[other], correlation, width))
        together = groups[one] + groups[other]
        groups = [together if at == one else group for at, group in enumerate(groups) if at != other]
    return groups, tuple(merged)


def _chosen(
    groups: Sequence[tuple[str, ...]], names: Sequence[str], rho: Floats, score: Floats
) -> tuple[Bools, Ints]:
    """Which metrics stand for their group, and each metric's cluster, numbered within its group."""
    chosen, clusters = np.zeros(len(names), dtype=bool), np.zeros(len(names), dtype=np.int64)
    for group in groups:
        members = np.flatnonzero([name in group for name in names])
        clusters[members] = redundancy_clusters(rho[np.ix_(members, members)])
        best_first = members[np.argsort(-score[members], kind="stable")]
        taken: set[int] = set()
        for place in best_first:
            if clusters[place] not in taken and len(taken) < n_representatives(len(members)):
                taken.add(int(clusters[place]))
                chosen[place] = True
    return chosen, clusters


def _closest(which: Ints, chosen: Bools, rho: Floats, n_groups: int) -> tuple[float, int, int] | None:
    """The mean |ρ| of the two groups that correlate most, and which they are; None where none can be compared."""
    found = []
    for one, other in combinations(range(n_groups), 2):
        between = rho[np.ix_(chosen & (which == one), chosen & (which == other))]
        if not np.isnan(between).all():
            found.append((float(np.nanmean(between)), one, other))
    return max(found, key=lambda it: it[0], default=None)


def _group_of(groups: Sequence[tuple[str, ...]], names: Sequence[str]) -> Ints:
    return np.array([next(at for at, group in enumerate(groups) if name in group) for name in names], dtype=np.int64)


def _robustness(criteria: Floats, score: Floats) -> float | None:
    found = []
    for place in range(len(CRITERIA)):
        for factor in (1 - NUDGE, 1 + NUDGE):
            weights = np.ones(len(CRITERIA))
            weights[place] = factor
            found.append(known_spearman(score, _mean_of(criteria, weights)))
    known = [rho for rho in found if not np.isnan(rho)]
    return min(known, default=None)


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
