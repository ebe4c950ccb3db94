"""What sways raters besides the responses: their position, their length, their own habits, noise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.agreement.labels import TIES, LabelTable, winners
from stats.arrays import Bools, Floats, Ints
from stats.design_effects import design_effects
from stats.proportions import proportion
from stats.results import Estimate, Excluded, left_out

#: With more votes than this, a sum of signs is normal for all that a p value can tell.
_MANY = 500
_SIGN_TEST = "exact binomial test, two-sided"


_NO_VOTES = reasons.NO_VOTES()


@dataclass(frozen=True)
class Preference:
    """How often the one kind of response was preferred, and the other; `difference` is the bias score Δ.

    `p` is for no preference at all.
    """

    rate: Estimate
    other_rate: Estimate
    difference: float | None
    p: Estimate


@dataclass(frozen=True)
class PositionBias:
    """What flipping the order changed. Counts of units: the same response twice (`stable`), the first place twice,
    the second place twice, a tie in one order or both (`tied`).

    Shares are of all units and of the decided ones (stable or not); `p` is for the two places against each other.
    """

    stable: int
    first_twice: int
    second_twice: int
    tied: int
    of_all: Mapping[str, Estimate]
    of_decided: Mapping[str, Estimate]
    p: Estimate
    first_rate: Estimate


def preference(
    preferred: Sequence[bool] | Bools, *clusters: Ints, level: float = 0.95, none: Reason = _NO_VOTES
) -> Preference:
    """How often votes went to one kind of response, such as the one on top or the longer one; ties are not votes.

    `clusters` have the voter or the item of each vote, a whole number, where votes of one hang together; published
    figures count each vote for itself. `none` says why there are no votes, where there are none.

    TPR and BPR, LPR and SPR with Wilson's intervals and Δ of MTalk-Bench App. C.1.3. Under no preference each vote is
    as likely to go either way, so the permutation test has the binomial distribution, which is used exactly.

    >>> found = preference([True] * 612 + [False] * 634)
    >>> round(100 * found.rate.estimate, 2), round(100 * found.difference, 2)
    (49.12, -1.77)
    """
    votes = np.asarray(preferred, dtype=bool)
    n, hits = len(votes), int(votes.sum())
    alone = np.zeros(n, dtype=np.int64)
    (effect,) = design_effects(votes.astype(np.float64), alone, 1, *clusters, level=level).tolist()
    rate, other = (
        proportion(number, n, method="preference rate", level=level, reason=none, effect=effect)
        for number in (hits, n - hits)
    )
    difference = (2 * hits - n) / n if n else None
    return Preference(rate, other, difference, sign_test(hits, n - hits))


def sign_test(one: int, other: int) -> Estimate:
    """The chance of a split as uneven as this if both sides were equally likely.

    >>> round(sign_test(103, 131).estimate, 4)
    0.0773
    """
    if one + other == 0:
        return Estimate(None, 0, _SIGN_TEST, reason=reasons.NEITHER_SIDE())
    return Estimate(float(scipy.stats.binomtest(one, one + other).pvalue), one + other, _SIGN_TEST)


def position_bias(table: LabelTable, *, level: float = 0.95) -> PositionBias:
    """Compare verdicts on the same pairs in both orders (AudioJudge §6.3).

    The table's columns are the two orders, each in the frame of its own screen: `1` is what was presented first.
    Units without a verdict in both orders are left out. Raises ValueError for winners other than 1 and 2.

    >>> from stats.agreement.labels import label_table
    >>> found = position_bias(label_table([["1", "1", "2", "tie"], ["2", "1", "1", "1"]]))
    >>> found.stable, found.first_twice, found.second_twice, found.tied
    (2, 1, 0, 1)
    """
    first = {"1": 1, "2": 2}
    if unknown := [it for it, wins in zip(table.categories, winners(table), strict=True) if wins and it not in first]:
        raise ValueError(f"{unknown[0]!r} does not say which place won")
    place = np.array([first.get(category, 0) for category in table.categories], dtype=np.int64)
    both = (table.codes >= 0).all(axis=1)
    one, other = place[table.codes[both]].T
    decided = (one > 0) & (other > 0)
    twice = [int((decided & (one == at) & (other == at)).sum()) for at in (1, 2)]
    counts = {"stable": int((decided & (one != other)).sum()), "first_twice": twice[0], "second_twice": twice[1]}
    n_decided = sum(counts.values())
    excluded = left_out(((~both).sum(), reasons.NO_VERDICT_IN_ONE_ORDER()))
    verdicts = np.concatenate([one, other])
    heard_first = int((verdicts == 1).sum())
    first_rate = proportion(
        heard_first,
        int((verdicts > 0).sum()),
        method="first place preferred",
        level=level,
        reason=reasons.NO_WINNER_NAMED(),
    )
    return PositionBias(
        **counts,
        tied=len(one) - n_decided,
        of_all=_shares(counts, len(one), excluded, level),
        of_decided=_shares(counts, n_decided, excluded, level),
        p=replace(sign_test(*twice), excluded=excluded),
        first_rate=replace(first_rate, excluded=excluded),
    )


@dataclass(frozen=True)
class LengthBias:
    """Verdicts on pairs that people found equal, by which response was longer (AudioJudge §6.2)."""

    longer: int
    shorter: int
    tied: int
    shares: Mapping[str, Estimate]
    difference: float | None
    p: Estimate


def length_bias(
    verdicts: Sequence[str | None],
    first_length: Sequence[float],
    second_length: Sequence[float],
    *,
    least_gap: float = 0.0,
    level: float = 0.95,
) -> LengthBias:
    """How often the longer of two responses won, and the shorter, and how often neither did.

    `1` is the response of `first_length`. Pairs of equal length, pairs whose lengths differ by less than `least_gap`
    and pairs without a verdict are left out. To measure verbosity bias, give pairs that people found equal
    (AudioJudge Fig. 4: at least 5 tokens apart); for LPR and SPR, all pairs (MTalk-Bench Table 3).

    >>> found = length_bias(["1", "2", "tie", None], [9, 9, 9, 9], [3, 3, 3, 3], least_gap=5)
    >>> found.longer, found.shorter, found.tied
    (1, 1, 1)
    """
    if unknown := sorted({verdict for verdict in verdicts if verdict is not None} - {"1", "2", *TIES}):
        raise ValueError(f"{unknown[0]!r} does not say which response won")
    gap = np.asarray(first_length, dtype=np.float64) - np.asarray(second_length, dtype=np.float64)
    silent = np.array([verdict is None for verdict in verdicts], dtype=bool)
    apart = (np.abs(gap) >= least_gap) & (gap != 0)
    winner = np.array([{"1": 1, "2": -1}.get(verdict or "", 0) for verdict in verdicts], dtype=np.int64)
    toward = (winner * np.sign(gap))[apart & ~silent]
    counts = {"longer": int((toward > 0).sum()), "shorter": int((toward < 0).sum()), "tied": int((toward == 0).sum())}
    n = len(toward)
    excluded = left_out(((~apart).sum(), reasons.LENGTHS_TOO_CLOSE()), ((apart & silent).sum(), reasons.NO_VERDICT()))
    return LengthBias(
        **counts,
        shares=_shares(counts, n, excluded, level),
        difference=(counts["longer"] - counts["shorter"]) / n if n else None,
        p=replace(sign_test(counts["longer"], counts["shorter"]), excluded=excluded),
    )


def permutation_test(
    one: Sequence[float], other: Sequence[float], *, rng: np.random.Generator, resamples: int = 9_999
) -> Estimate:
    """The chance of means as far apart as these if it did not matter who is in which group (two-sided).

    With scipy's Monte Carlo permutations, or all of them where there are no more (Fisher 1935; MTalk-Bench
    App. C.1.3). Undefined with an empty group.

    >>> permutation_test([1, 1, 1, 1], [0, 0, 0, 0], rng=np.random.default_rng(1)).estimate
    0.02857142857142857
    """
    n, method = len(one) + len(other), f"permutation test, two-sided, {resamples} resamples"
    if not len(one) or not len(other):
        return Estimate(None, n, method, reason=reasons.GROUP_EMPTY())
    found = scipy.stats.permutation_test(
        (np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)),
        lambda x, y, axis: np.mean(x, axis=axis) - np.mean(y, axis=axis),
        n_resamples=resamples,
        vectorized=True,
        batch=max(1, 2**22 // n),
        rng=rng,
    )
    return Estimate(float(found.pvalue), n, method)


def toward_test(
    toward: Sequence[float] | Floats,
    gaps: Sequence[float] | Floats,
    *,
    rng: np.random.Generator,
    resamples: int = 9_999,
) -> Estimate:
    """The chance that votes lean as far to one end of a covariate if each could as well have gone the other way.

    `toward` is 1 for a vote to the first response, -1 for one to the second, `gaps` what the first has more of. The
    votes' signs are drawn anew (Fisher 1935; MTalk-Bench App. C.1.3); from 500 votes on, by the normal distribution
    that these draws then have. Two-sided. Votes of 0, and gaps of 0, say nothing.

    >>> round(toward_test([1, 1, 1, 1], [2, 3, 1, 2], rng=np.random.default_rng(1)).estimate, 1)
    0.1
    """
    leaning = np.asarray(toward, dtype=np.float64) * np.asarray(gaps, dtype=np.float64)
    leaning = leaning[leaning != 0]
    n, method = len(leaning), f"permutation test of signs, two-sided, {resamples} resamples"
    if not n:
        return Estimate(None, 0, method, reason=reasons.NO_DIFFERING_VOTE())
    observed = abs(float(leaning.sum()))
    if n >= _MANY:
        p = 2 * float(scipy.stats.norm.sf(observed / np.sqrt(leaning @ leaning)))
        return Estimate(p, n, "permutation test of signs, two-sided, normal")
    drawn = np.abs(rng.choice([-1.0, 1.0], size=(resamples, n)) @ leaning)
    reached = int((drawn >= observed * (1 - 1e-12)).sum())
    return Estimate((reached + 1) / (resamples + 1), n, method)


def unchanged_share(table: LabelTable, *, undecided: Bools | None = None, level: float = 0.95) -> dict[str, Estimate]:
    """How often the second column repeats the first, by what the first said, and over all under the key "".

    Noise robustness where the second heard noise (AudioJudge §6.1), the text-driven share where it read a transcript.
    `undecided` marks the rows, (n,), where one of the two has verdicts in both orders that disagree.

    >>> from stats.agreement.labels import label_table
    >>> found = unchanged_share(label_table([["1", "1", "2"], ["1", "tie", "2"]]))
    >>> found["1"].estimate, round(found[""].estimate, 4)
    (0.5, 0.6667)
    """
    if table.n_raters != 2:
        raise ValueError(f"{table.n_raters} columns where 2 are compared")
    before, after = table.codes.T
    both = (before >= 0) & (after >= 0)
    torn = ~both & (np.zeros(len(both), dtype=bool) if undecided is None else undecided)
    excluded = left_out((torn.sum(), reasons.HANGS_ON_ORDER()), ((~both & ~torn).sum(), reasons.FEW_VERDICTS()))
    groups = {"": both} | {name: both & (before == code) for code, name in enumerate(table.categories)}
    return {
        name: replace(
            proportion(
                int((group & (before == after)).sum()),
                int(group.sum()),
                method="unchanged share",
                level=level,
                reason=reasons.NEVER_SAID(),
            ),
            excluded=excluded,
        )
        for name, group in groups.items()
    }


def _shares(counts: Mapping[str, int], n: int, excluded: tuple[Excluded, ...], level: float) -> dict[str, Estimate]:
    return {
        name: replace(
            proportion(count, n, method=f"share {name}", level=level, reason=reasons.NO_PAIR_TO_COUNT()),
            excluded=excluded,
        )
        for name, count in counts.items()
    }
