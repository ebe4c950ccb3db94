"""How far raters agree, beyond chance where the coefficient says so. A missing label is missing, never a tie."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import krippendorff
import numpy as np

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.agreement import coincidences
from stats.agreement.cells import Weights, disagreement, distance_between, kappa_of_cells
from stats.agreement.coincidences import Level
from stats.agreement.labels import LabelTable, kinds_of, merged_ties, without_ties
from stats.arrays import Floats, Ints, ratio
from stats.intervals import Bootstrap, Statistic, UnitSums, Watched
from stats.proportions import wilson
from stats.results import COEFFICIENT, SHARE, Ends, Estimate, Excluded, left_out

Ways = Literal[2, 3, 4]

#: For coefficients that are read again and again while answers come in.
WATCHED = Watched(scale=0.2, low=-1.0, high=1.0)

_TOO_FEW = reasons.TOO_FEW_LABELS()
_NO_OVERLAP = reasons.NO_OVERLAP()
#: Coincidences are tables of categories by categories; finer scales than this are for interval α.
_MOST_CATEGORIES = 64
#: The package fills units × categories² numbers; beyond this many the same sums are taken by kinds of unit.
_MOST_CELLS = 2**24


def percent_agreement(table: LabelTable, *, ways: Ways = 4, bootstrap: Bootstrap | None = None) -> Estimate:
    """The share of pairs of raters that gave the same label, averaged over units with two labels or more.

    `ways` is 4 for labels as they are, 3 for ties of every kind counted as the same, 2 for units in which raters
    named winners (TRACE/HCoT Table 2). Two raters get Wilson's interval unless a bootstrap is asked for.

    >>> from stats.agreement.labels import label_table
    >>> table = label_table([["1", "2", "both_good", "1"], ["1", "1", "both_bad", None]])
    >>> percent_agreement(table, ways=3).n
    3
    >>> percent_agreement(table, ways=2).estimate
    0.5
    """
    counted = merged_ties(table) if ways == 3 else without_ties(table) if ways == 2 else table
    sums = _by_label_counts(counted, _agreeing_pairs, lambda s: ratio(s[..., 0], s[..., 1]), ends=SHARE)
    pairable = (table.codes >= 0).sum(axis=1) >= 2
    excluded = left_out(((~pairable).sum(), _TOO_FEW), ((pairable & ~sums.used).sum(), reasons.TIE_NOT_COUNTED()))
    found = _estimate(f"percent agreement, {ways}-way", sums, excluded, undefined=_NO_OVERLAP, bootstrap=bootstrap)
    if found.estimate is None or bootstrap is not None or table.n_raters > 2:
        return found
    return replace(found, interval=wilson(round(found.estimate * found.n), found.n))


def cohen_kappa(table: LabelTable, *, weights: Weights = "none", bootstrap: Bootstrap | None = None) -> Estimate:
    """Cohen's κ of two raters: agreement above what their own habits would give by chance.

    Weights make some disagreements smaller: by steps on the scale (`linear`), by squared steps (`quadratic`), or by
    the typed-tie distance. Undefined where both raters always gave one and the same label. Raises ValueError for
    other than two raters (Cohen 1960; Cohen 1968; TRACE/HCoT §4.1).

    >>> from stats.agreement.labels import label_table
    >>> cohen_kappa(label_table([["a", "a", "b", "b"], ["a", "a", "b", "a"]])).estimate
    0.5
    """
    if table.n_raters != 2:
        raise ValueError(f"Cohen's κ is for two raters, not {table.n_raters}")
    size = len(table.categories)
    used = np.asarray((table.codes >= 0).all(axis=1))
    cells = table.codes[used, 0] * size + table.codes[used, 1]
    kappa = kappa_of_cells(disagreement(table, weights))
    sums = UnitSums(
        np.eye(size * size), cells, used, lambda s: kappa(s.reshape(*s.shape[:-1], size, size)), COEFFICIENT
    )
    return _estimate(
        "Cohen's κ" if weights == "none" else f"Cohen's κ, {weights.replace('_', '-')} weights",
        sums,
        left_out(((~used).sum(), _TOO_FEW)),
        undefined=reasons.ONE_LABEL_THROUGHOUT() if used.any() else _NO_OVERLAP,
        bootstrap=bootstrap,
    )


def fleiss_kappa(table: LabelTable, *, bootstrap: Bootstrap | None = None) -> Estimate:
    """Fleiss' κ of any number of raters, who need not be the same from unit to unit.

    Where labels are missing, agreement is averaged over units with two labels or more and chance over all labelled
    units, each unit weighing the same (Fleiss 1971; Gwet 2014 ch. 2). Undefined where every label is the same.

    >>> from stats.agreement.labels import label_table
    >>> round(fleiss_kappa(label_table([["a", "b", "b"], ["a", "b", "a"], ["a", "b", None]])).estimate, 4)
    0.3333
    """

    def kappa(sums: Floats) -> Floats:
        agreement, prevalence = _agreement_and_prevalence(sums)
        chance = (prevalence**2).sum(axis=-1)
        return ratio(agreement - chance, 1 - chance)

    return _with_prevalence("Fleiss' κ", table, kappa, undefined=reasons.SAME_LABEL(), bootstrap=bootstrap)


def gwet_ac1(table: LabelTable, *, bootstrap: Bootstrap | None = None) -> Estimate:
    """Gwet's AC1, which stays high where nearly everybody gives the same label and κ collapses.

    Chance depends on how many categories the scale has, used or not. Missing labels as in `fleiss_kappa`
    (Gwet 2008; Gwet 2014 ch. 2). Undefined for a scale of one category.

    >>> from stats.agreement.labels import label_table
    >>> round(gwet_ac1(label_table([["a"] * 9 + ["b"], ["a"] * 10])).estimate, 4)
    0.8895
    """
    others = np.array(len(table.categories) - 1.0)

    def ac1(sums: Floats) -> Floats:
        agreement, prevalence = _agreement_and_prevalence(sums)
        chance = ratio((prevalence * (1 - prevalence)).sum(axis=-1), others)
        return ratio(agreement - chance, 1 - chance)

    undefined = reasons.ONE_CATEGORY()
    return _with_prevalence("Gwet's AC1", table, ac1, undefined=undefined, bootstrap=bootstrap)


def krippendorff_alpha(
    table: LabelTable, *, level: Level = "nominal", bootstrap: Bootstrap | None = None
) -> Estimate:
    """Krippendorff's α of any number of raters: one minus observed over expected disagreement.

    `level` says what a disagreement weighs: all the same (`nominal`), by ranks (`ordinal`), by squared differences
    of the categories as numbers (`interval`), or 1 between winners and between both_good and both_bad, ½ between a
    winner and a tie (`typed_tie`). The value comes from the `krippendorff` package, its interval from our own sums.
    Undefined without a unit that two raters labelled, and where all their labels are the same. Raises ValueError
    for categories that the level cannot measure (Krippendorff 2004 ch. 11; Krippendorff 2011).

    >>> from stats.agreement.labels import label_table
    >>> table = label_table([["1", "2", "both_bad", "1"], ["1", "1", "both_bad", None]])
    >>> round(krippendorff_alpha(table, level="typed_tie").estimate, 4)
    0.2857
    """
    if level != "interval" and len(table.categories) > _MOST_CATEGORIES:
        raise ValueError(f"{len(table.categories)} categories are too many for {level} α; take the interval level")
    sums = _by_label_counts(table, *_alpha_kernel(table, level))
    same = reasons.NOTHING_TO_TELL_APART()
    found = _estimate(
        f"Krippendorff's α, {level.replace('_', '-')}",
        sums,
        left_out(((~sums.used).sum(), _TOO_FEW)),
        undefined=same if sums.used.any() else _NO_OVERLAP,
        bootstrap=bootstrap,
    )
    if found.estimate is None or table.n_units * len(table.categories) ** 2 > _MOST_CELLS:
        return found
    return replace(found, estimate=_alpha_of_package(table, level))


def _estimate(
    method: str, sums: UnitSums, excluded: tuple[Excluded, ...], *, undefined: Reason, bootstrap: Bootstrap | None
) -> Estimate:
    value, n = sums.value(), int(sums.used.sum())
    if value is None:
        return Estimate(None, n=n, method=method, excluded=excluded, reason=undefined)
    found = Estimate(value, n=n, method=method, excluded=excluded)
    return found if bootstrap is None else bootstrap.of_sums(found, sums)


def _by_label_counts(
    table: LabelTable, parts: Callable[[Ints], Floats], statistic: Statistic, ends: Ends = COEFFICIENT
) -> UnitSums:
    """Sums over the units with two labels or more, which are of one kind where their label counts are the same."""
    counts = table.counts()
    used = counts.sum(axis=1) >= 2
    kinds = kinds_of(counts[used])
    return UnitSums(parts(kinds.rows), kinds.of_unit, used, statistic, ends)


def _agreeing_pairs(counts: Ints) -> Floats:
    """For each row of label counts: the share of its pairs of labels that agree, and 1 if it has a pair."""
    labels = counts.sum(axis=1)
    share = (counts * (counts - 1)).sum(axis=1) / np.maximum(labels * (labels - 1), 1)
    return np.stack([share, labels >= 2], axis=1)


def _with_prevalence(
    method: str, table: LabelTable, statistic: Statistic, *, undefined: Reason, bootstrap: Bootstrap | None
) -> Estimate:
    """A coefficient whose chance comes from how common each label is among all labelled units."""
    counts = table.counts()
    labels = counts.sum(axis=1)
    labelled, paired = labels >= 1, int((labels >= 2).sum())
    kinds = kinds_of(counts[labelled])
    shares = kinds.rows / kinds.rows.sum(axis=1, keepdims=True)
    parts = np.column_stack([_agreeing_pairs(kinds.rows), np.ones(len(shares)), shares])
    sums = UnitSums(parts, kinds.of_unit, labelled, statistic, COEFFICIENT)
    excluded = left_out(((~labelled).sum(), reasons.NO_LABEL()), ((labels == 1).sum(), reasons.FOR_CHANCE_ONLY()))
    undefined = undefined if paired else _NO_OVERLAP
    return replace(_estimate(method, sums, excluded, undefined=undefined, bootstrap=bootstrap), n=paired)


def _agreement_and_prevalence(sums: Floats) -> tuple[Floats, Floats]:
    return ratio(sums[..., 0], sums[..., 1]), ratio(sums[..., 3:], sums[..., 2, np.newaxis])


def _alpha_kernel(table: LabelTable, level: Level) -> tuple[Callable[[Ints], Floats], Statistic]:
    """What each row of label counts adds, and α as a function of the sums."""
    match level:
        case "interval":
            values = table.values
            return lambda counts: coincidences.moments(counts, values), coincidences.interval_alpha
        case "ordinal":
            return coincidences.coincidences, coincidences.ordinal_alpha
        case _:
            return coincidences.coincidences, coincidences.alpha_of_coincidences(distance_between(table, level))


def _alpha_of_package(table: LabelTable, level: Level) -> float:
    domain = table.values if level == "interval" else np.arange(len(table.categories))
    level_or_distance: Any = level
    if level == "typed_tie":
        distance = coincidences.typed_tie_distance(table.categories)
        level_or_distance = lambda _v1, _v2, i1, i2, *_args, **_kwargs: distance[i1, i2]  # noqa: E731
    return float(
        krippendorff.alpha(value_counts=table.counts(), value_domain=domain, level_of_measurement=level_or_distance)
    )
