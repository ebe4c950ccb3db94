"""How a judge does against a reference: accuracy, what it confuses, and whether two judges truly differ."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import scipy

from stats import reasons
from stats.agreement.labels import LabelTable, winners
from stats.arrays import Bools, Floats, Ints, ratio
from stats.intervals import Bootstrap, UnitSums
from stats.proportions import proportion
from stats.results import COEFFICIENT, SHARE, Estimate, Excluded, left_out

Unanswered = Literal["wrong", "left_out", "half"]
#: What a judge gets on a unit, in halves, as an estimate adds them up: right is 1.
_HALVES = np.array([[0.0, 1], [0.5, 1], [1.0, 1]])
_NO_REFERENCE = reasons.NO_REFERENCE()
_NO_ANSWER = reasons.NO_ANSWER()
_NOT_COMPARED = reasons.NOT_COMPARED()
_NOTHING = reasons.NO_UNIT_TO_COMPARE()


@dataclass(frozen=True, eq=False)
class Confusion:
    """How often each reference label (row) met each answer (column); the last column counts missing answers."""

    counts: Ints
    categories: tuple[str, ...]
    n: int
    excluded: tuple[Excluded, ...]


@dataclass(frozen=True)
class McNemar:
    """Whether two judges differ: units that only the first (`gain`) or only the second (`loss`) got right."""

    gain: int
    loss: int
    p: Estimate


def accuracy(table: LabelTable, *, unanswered: Unanswered = "wrong", bootstrap: Bootstrap | None = None) -> Estimate:
    """The share of reference labels that the judge gave: the table's first column against its second (TRACE §3.4).

    A missing answer, such as a reply that could not be parsed, counts as wrong unless it is to be left out, or to be
    half right; units without a reference are always left out. Wilson's interval, or a bootstrap's; of halves there is
    none without a bootstrap.

    >>> from stats.agreement.labels import label_table
    >>> table = label_table([["1", "2", None, "1"], ["1", "1", "2", None]])
    >>> accuracy(table).n, round(accuracy(table).estimate, 4), accuracy(table, unanswered="left_out").estimate
    (3, 0.3333, 0.5)
    >>> accuracy(table, unanswered="half").estimate
    0.5
    """
    judge, reference = _columns(table, 2)
    right, used = _right(judge, reference, unanswered)
    halves = _halves(right, judge, unanswered)[used]
    found = proportion(int(right[used].sum()), int(used.sum()), method="accuracy", reason=_NOTHING)
    silent = ((judge < 0) & (reference >= 0)).sum() if unanswered == "left_out" else 0
    found = replace(found, excluded=left_out(((reference < 0).sum(), _NO_REFERENCE), (silent, _NO_ANSWER)))
    if (halves == 1).any():
        found = replace(found, estimate=float(halves.mean()) / 2, interval=None)
    if bootstrap is None:
        return found
    return bootstrap.of_sums(replace(found, interval=None), UnitSums(_HALVES, halves, used, _mean, SHARE))


def accuracy_with_half_ties(
    table: LabelTable, *, bootstrap: Bootstrap | None = None, unanswered: Unanswered = "wrong"
) -> Estimate:
    """Accuracy where the reference names winners alone: a judge's tie is half right (AudioJudge Table 9).

    Undefined where the reference has a tie, which a judge could hit. A missing answer is wrong, or half right, too.

    >>> from stats.agreement.labels import label_table
    >>> accuracy_with_half_ties(label_table([["1", "tie", "2", None], ["1", "1", "1", "2"]])).estimate
    0.375
    """
    judge, reference = _columns(table, 2)
    used, names_winner = reference >= 0, winners(table)
    method, excluded = "accuracy, ties as half right", left_out(((~used).sum(), _NO_REFERENCE))
    if not used.any() or not names_winner[reference[used]].all():
        reason = reasons.REFERENCE_HAS_TIES() if used.any() else _NOTHING
        return Estimate(None, int(used.sum()), method, excluded=excluded, reason=reason)
    tied = (judge >= 0) & ~np.append(names_winner, True)[judge]
    kinds = np.where(tied, 1, _halves(judge == reference, judge, unanswered))[used]
    found = Estimate(float(kinds.mean()) / 2, len(kinds), method, excluded=excluded)
    sums = UnitSums(_HALVES, kinds.astype(np.int64), used, _mean, SHARE)
    return found if bootstrap is None else bootstrap.of_sums(found, sums)


def accuracy_difference(
    table: LabelTable, *, bootstrap: Bootstrap | None = None, unanswered: Unanswered = "wrong"
) -> Estimate:
    """How much more often the first judge was right than the second: columns one and two against column three.

    Both are taken on the same units, and a bootstrap resamples them together (TRACE/HCoT §3.4, paired bootstrap).

    >>> from stats.agreement.labels import label_table
    >>> table = label_table([["1", "2", "1"], ["1", "1", "2"], ["1", "2", "1"]])
    >>> round(accuracy_difference(table).estimate, 4)
    0.6667
    """
    first, second, used = _both_right(table, unanswered)
    method, excluded = "difference of accuracies, paired", left_out(((~used).sum(), _NOT_COMPARED))
    if not used.any():
        return Estimate(None, 0, method, excluded=excluded, reason=_NOTHING)
    one, other, _reference = (column[used] for column in _columns(table, 3))
    gained = _halves(first, one, unanswered) - _halves(second, other, unanswered)  # from -2 to 2
    found = Estimate(float(gained.mean()) / 2, len(gained), method, excluded=excluded)
    parts = np.array([[half / 2, 1] for half in (0, 1, 2, -2, -1)])
    sums = UnitSums(parts, gained % 5, used, _mean, COEFFICIENT)
    return found if bootstrap is None else bootstrap.of_sums(found, sums)


def mcnemar(table: LabelTable, *, unanswered: Unanswered = "wrong") -> McNemar:
    """McNemar's exact test of two judges against one reference: columns one and two against column three.

    Two-sided binomial test on the units that one judge alone got right (McNemar 1947; TRACE/HCoT §4.2). Undefined
    where there are none.

    >>> from stats.agreement.labels import label_table
    >>> found = mcnemar(label_table([["1"] * 5, ["2"] * 4 + ["1"], ["1"] * 5]))
    >>> found.gain, found.loss, found.p.estimate
    (4, 0, 0.125)
    """
    first, second, used = _both_right(table, unanswered)
    gain, loss = int((first & ~second).sum()), int((second & ~first).sum())
    method, excluded = "McNemar's exact test, two-sided", left_out(((~used).sum(), _NOT_COMPARED))
    if gain + loss == 0:
        reason = reasons.RIGHT_ON_THE_SAME() if used.any() else _NOTHING
        return McNemar(gain, loss, Estimate(None, len(first), method, excluded=excluded, reason=reason))
    p = float(scipy.stats.binomtest(gain, gain + loss).pvalue)
    return McNemar(gain, loss, Estimate(p, len(first), method, excluded=excluded))


def without_gain(gain: int, loss: int, n: int) -> float | None:
    """The share of resamples of `n` units in which a judge is not right more often than another, computed exactly.

    `gain` and `loss` are the units that the one and the other alone got right. This is what a bootstrap of accuracy
    differences tends to with ever more resamples (AudioJudge Table 1 marks its cells by it); it is no test.

    >>> without_gain(1, 1, 2)
    0.75
    """
    if not n:
        return None
    differ = np.arange(n + 1)
    share = gain / (gain + loss) if gain + loss else 0.0
    chances = scipy.stats.binom.pmf(differ, n, (gain + loss) / n) * scipy.stats.binom.cdf(differ // 2, differ, share)
    return float(chances.sum())


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """p values corrected for how many there are, so that all of them together err at the stated level (Holm 1979).

    None stays None, and counts as no test.

    >>> holm([0.01, 0.04, None, 0.03])
    [0.03, 0.06, None, 0.06]
    """
    known = sorted((p, place) for place, p in enumerate(ps) if p is not None)
    found: list[float | None] = [None] * len(ps)
    least = 0.0
    for done, (p, place) in enumerate(known):
        least = max(least, min(1.0, p * (len(known) - done)))
        found[place] = least
    return found


def confusion_matrix(table: LabelTable) -> Confusion:
    """Count what the judge (first column) answered for each reference label (second column).

    >>> from stats.agreement.labels import label_table
    >>> confusion_matrix(label_table([["1", "2", None], ["1", "1", "2"]])).counts.tolist()
    [[1, 1, 0], [0, 0, 1]]
    """
    size = len(table.categories)
    judge, reference = _columns(table, 2)
    used = reference >= 0
    answered = np.where(judge >= 0, judge, size)[used]
    counts = np.bincount(reference[used] * (size + 1) + answered, minlength=size * (size + 1))
    excluded = left_out(((~used).sum(), _NO_REFERENCE))
    return Confusion(counts.reshape(size, size + 1), table.categories, int(used.sum()), excluded)


def majority_baseline(reference: LabelTable) -> Estimate:
    """The accuracy of always giving the reference's most frequent label; `reference` has one column."""
    codes = _columns(reference, 1)[0]
    counts = np.bincount(codes[codes >= 0], minlength=len(reference.categories))
    excluded = left_out(((codes < 0).sum(), _NO_REFERENCE))
    found = proportion(int(counts.max(initial=0)), int(counts.sum()), method="most frequent label", reason=_NOTHING)
    return replace(found, excluded=excluded)


def random_baseline(reference: LabelTable) -> Estimate:
    """The accuracy to expect from drawing labels at random, all equally likely (TRACE/HCoT Table 3)."""
    n = int((_columns(reference, 1)[0] >= 0).sum())
    return Estimate(1 / len(reference.categories), n, "random guess")


def soft_accuracy(table: LabelTable, *, bootstrap: Bootstrap | None = None) -> Estimate:
    """The chance that a randomly drawn person gave the judge's answer: the first column against all the others.

    It compares with the distribution of people's answers and not with one label; its ceiling is how far people agree
    among themselves. Units without an answer of the judge, or without any other answer, are left out.

    >>> from stats.agreement.labels import label_table
    >>> soft_accuracy(label_table([["1", "2"], ["1", "1"], ["2", "1"]])).estimate
    0.25
    """
    judge, people = table.codes[:, 0], table.codes[:, 1:]
    labels = (people >= 0).sum(axis=1)
    used = (judge >= 0) & (labels > 0)
    excluded = left_out(((judge < 0).sum(), _NO_ANSWER), (((judge >= 0) & (labels == 0)).sum(), _NO_REFERENCE))
    if not used.any():
        return Estimate(None, 0, "soft accuracy", excluded=excluded, reason=_NOTHING)
    same = ((people == judge[:, np.newaxis]).sum(axis=1))[used] / labels[used]
    found = Estimate(float(same.mean()), int(used.sum()), "soft accuracy", excluded=excluded)
    shares, kinds = np.unique(same, return_inverse=True)
    sums = UnitSums(np.stack([shares, np.ones_like(shares)], axis=1), kinds.reshape(-1), used, _mean, SHARE)
    return found if bootstrap is None else bootstrap.of_sums(found, sums)


def _columns(table: LabelTable, n: int) -> Ints:
    if table.n_raters != n:
        raise ValueError(f"{table.n_raters} columns where {n} are compared")
    return table.codes.T


def _halves(right: Bools, judge: Ints, unanswered: Unanswered) -> Ints:
    """2 where an answer is right, 1 where there is none and it is half right, else 0."""
    halves = 2 * right.astype(np.int64)
    return np.where(judge < 0, 1, halves) if unanswered == "half" else halves


def _right(judge: Ints, reference: Ints, unanswered: Unanswered) -> tuple[Bools, Bools]:
    """Whether each unit's answer is right, and which units count."""
    used = (reference >= 0) & ((judge >= 0) | (unanswered != "left_out"))
    return judge == reference, used


def _both_right(table: LabelTable, unanswered: Unanswered) -> tuple[Bools, Bools, Bools]:
    """Whether each judge was right, on the units that count for both, and which those are."""
    first, second, reference = _columns(table, 3)
    first_right, first_used = _right(first, reference, unanswered)
    second_right, second_used = _right(second, reference, unanswered)
    used = first_used & second_used
    return first_right[used], second_right[used], used


def _mean(sums: Floats) -> Floats:
    return ratio(sums[..., 0], sums[..., 1])
