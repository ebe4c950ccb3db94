"""How often systems win by several voters' votes, and how far two voters rank them alike, over the same items."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np
import scipy

from infrastructure.wording.reasons import Reason
from stats import reasons
from stats.arrays import Floats, Ints, ratio
from stats.intervals import percentile_interval, percentiles
from stats.jackknife import ENOUGH, LeftOut, jackknife_interval
from stats.proportions import wilson
from stats.results import SHARE, Estimate
from stats.systems.correlation import Coefficient, correlation
from stats.systems.shrinkage import Measured, interval_between, true_means

_CELLS_AT_ONCE = 2**22
_METHOD = "win rate, ties as half wins"
_ONE_ITEM = reasons.ONE_ITEM()


@dataclass(frozen=True, eq=False)
class Rates:
    """Doubled wins and votes by item and system, both of shape (items, systems)."""

    won: Ints
    votes: Ints

    @cached_property
    def exact(self) -> list[Fraction | None]:
        """Each system's rate; None without votes."""
        pairs = zip(self.won.sum(axis=0).tolist(), self.votes.sum(axis=0).tolist(), strict=True)
        return [Fraction(won, 2 * votes) if votes else None for won, votes in pairs]


@dataclass(frozen=True, eq=False)
class Resampled:
    """Rates of several voters, shape (resamples, systems) each, NaN without votes, on the same draws of items.

    `seed` is for further draws from them, so that the order of calls does not matter.
    """

    rates: tuple[Floats, ...]
    n_items: int
    level: float
    seed: int = 0


def rates_by_item(
    a: Ints, b: Ints, score: Floats, items: Ints, *, shape: tuple[int, int], against: int | None = None
) -> Rates:
    """Count votes between systems a and b with the score of `a` (1, ½, 0; NaN is no vote); shape (items, systems).

    Against one system, only votes that it took part in count, and it has a rate itself only where it met another take
    of its own, whose first place is then meant (AlpacaEval's way; AudioJudge Table 8). Else votes of a system against
    itself are left out.

    >>> votes = np.array([0, 1, 0]), np.array([1, 0, 1]), np.array([1, 0.5, 0])
    >>> rates_by_item(*votes, np.array([0, 0, 1]), shape=(2, 2)).exact
    [Fraction(1, 2), Fraction(1, 2)]
    """
    counted = ~np.isnan(score)
    doubled = np.round(2 * np.where(counted, score, 0)).astype(np.int64)
    as_a = counted & (a != b) if against is None else counted & (b == against)
    as_b = counted & (a != b) if against is None else counted & (a == against) & (b != against)
    won, votes = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for used, system, points in ((as_a, a, doubled), (as_b, b, 2 - doubled)):
        np.add.at(won, (items[used], system[used]), points[used])
        np.add.at(votes, (items[used], system[used]), 1)
    return Rates(won, votes)


def resample_items(
    voters: Sequence[Rates], *, rng: np.random.Generator, resamples: int, level: float = 0.95
) -> Resampled:
    """Draw the items on which any of the voters voted with replacement, the same for all voters."""
    seen = np.flatnonzero(sum(it.votes.sum(axis=1) for it in voters))
    n = len(seen)
    if n < 2:
        return Resampled(tuple(np.zeros((0, it.won.shape[1])) for it in voters), n, level)
    blocks = np.hstack([part[seen] for it in voters for part in (it.won, it.votes)]).astype(np.float64)
    step = max(1, _CELLS_AT_ONCE // n)
    drawn = [_draw(rng, n, min(step, resamples - start)) @ blocks for start in range(0, resamples, step)]
    parts = np.split(np.concatenate(drawn), 2 * len(voters), axis=1)
    # Quotients of whole numbers: equal fractions come out as equal floats.
    rates = tuple(ratio(won, 2 * votes) for won, votes in zip(parts[::2], parts[1::2], strict=True))
    return Resampled(rates, n, level, seed=int(rng.integers(2**63)))


def win_rate_estimates(voter: Rates, drawn: Floats, resampled: Resampled) -> list[Estimate]:
    """Each system's rate with its interval; `drawn` is the voter's of `resampled`.

    Where every draw has the same rate, as of a system that wins on all its items, percentiles would say that nothing
    is uncertain. The interval is then Wilson's over items (Wilson 1927), each a trial: no spread of the items' rates,
    which lie between 0 and 1 and have this mean, is wider than that of trials. Of fewer than twenty items it is the
    jackknife's, never narrower than if each vote were a trial.
    """
    votes = voter.votes.sum(axis=0).tolist()
    found = []
    for place, exact in enumerate(voter.exact):
        if exact is None:
            found.append(Estimate(None, 0, _METHOD, reason=reasons.NO_VOTES()))
            continue
        estimate = Estimate(float(exact), votes[place], _METHOD)
        of_system = voter.won[:, place], voter.votes[:, place]
        found.append(_with_interval(estimate, drawn[:, place], resampled, *of_system))
    return found


def rank_correlation(
    one: Rates, other: Rates, drawn: tuple[Floats, Floats], resampled: Resampled, *, kind: Coefficient
) -> Estimate:
    """Correlate two voters' exact rates of the systems that both have.

    The interval is about the correlation of these systems' true rates, those over all items like these, which that of
    rates over finitely many items falls short of (see `shrinkage.true_means`, which also says when there is none).
    """
    rates = one.exact, other.exact
    found = correlation(*rates, kind=kind)
    if found.estimate is None:
        return found
    if resampled.n_items < 2:
        return replace(found, reason=_ONE_ITEM)
    used = [place for place, pair in enumerate(zip(*rates, strict=True)) if None not in pair]
    measured = (
        Measured(np.array([float(exact[at] or 0) for at in used]), rows[:, used], resampled.n_items)
        for exact, rows in zip(rates, drawn, strict=True)
    )
    return of_true_means(
        found, *measured, kind=kind, level=resampled.level, rng=np.random.default_rng(resampled.seed)
    )


def of_true_means(
    estimate: Estimate,
    one: Measured,
    other: Measured,
    *,
    kind: Coefficient,
    level: float,
    rng: np.random.Generator,
) -> Estimate:
    """Add to a correlation of measured means the interval of that of the true ones, or say why there is none."""
    drawn = true_means(one, other, rng=rng)
    if isinstance(drawn, Reason):
        return replace(estimate, reason=drawn)
    method = f"true means of systems, shrunken bootstrap over {one.n_items} items, {len(drawn[0])} draws"
    return interval_between(estimate, correlations(*drawn, kind=kind), level=level, method=method)


def correlations(one: Floats, other: Floats, *, kind: Coefficient) -> Floats:
    """The correlation of each row of `one` with that of `other`, shapes (rows, things); NaN where it is undefined.

    >>> correlations(np.array([[1.0, 2, 3]]), np.array([[1.0, 3, 2]]), kind="spearman")
    array([0.5])
    """
    known = ~(np.isnan(one) | np.isnan(other)).any(axis=1)
    found = np.full(len(one), np.nan)
    if known.any():
        one, other = one[known], other[known]
        if kind == "kendall":
            found[known] = _kendall(one, other)
        else:
            rows = (one, other) if kind == "pearson" else (_ranks(one), _ranks(other))
            found[known] = _pearson(*rows)
    return found


def _with_interval(estimate: Estimate, values: Floats, resampled: Resampled, won: Ints, votes: Ints) -> Estimate:
    if resampled.n_items < 2:
        return replace(estimate, reason=_ONE_ITEM)
    defined, items = values[~np.isnan(values)], int((votes > 0).sum())
    if items > 1 and len(defined) and np.ptp(defined) == 0:
        interval = wilson((estimate.estimate or 0.0) * items, items, level=resampled.level)
        assert interval is not None  # noqa: S101 - there are items
        return replace(estimate, interval=replace(interval, method=f"Wilson over {items} items"))
    if items < ENOUGH:
        return _over_few_items(estimate, won, votes, resampled.level)
    ends = percentiles(resampled.level, resampled.n_items)
    return percentile_interval(
        estimate, values, ends, method=f"percentile bootstrap over items, {len(values)} resamples"
    )


def _over_few_items(estimate: Estimate, won: Ints, votes: Ints, level: float) -> Estimate:
    """By leaving out each of its items; `won` counts halves."""
    seen, rate = votes > 0, estimate.estimate or 0.0
    without = ratio(won.sum() - won[seen], 2 * (votes.sum() - votes[seen]))
    left = LeftOut(without, "item", alone=rate * (1 - rate) / float(votes.sum()))
    return jackknife_interval(estimate, left, level=level, ends=SHARE)


def _draw(rng: np.random.Generator, n: int, resamples: int) -> Floats:
    """How often each of n items was drawn, shape (resamples, n)."""
    places = rng.integers(n, size=(resamples, n)) + n * np.arange(resamples)[:, np.newaxis]
    counts = np.bincount(places.reshape(-1), minlength=resamples * n).reshape(resamples, n)
    return counts.astype(np.float64)


def _ranks(rows: Floats) -> Floats:
    return np.asarray(scipy.stats.rankdata(rows, axis=1), dtype=np.float64)


def _pearson(one: Floats, other: Floats) -> Floats:
    flat = (np.ptp(one, axis=1) == 0) | (np.ptp(other, axis=1) == 0)
    one, other = (rows - rows.mean(axis=1, keepdims=True) for rows in (one, other))
    found = ratio((one * other).sum(axis=1), np.sqrt((one**2).sum(axis=1) * (other**2).sum(axis=1)))
    return np.where(flat, np.nan, np.clip(found, -1, 1))


def _kendall(one: Floats, other: Floats) -> Floats:
    """τ-b from the signs of all differences, some rows at a time."""
    step = max(1, _CELLS_AT_ONCE // one.shape[1] ** 2)
    return np.concatenate([_tau(one[at : at + step], other[at : at + step]) for at in range(0, len(one), step)])


def _tau(one: Floats, other: Floats) -> Floats:
    first, second = (np.sign(rows[:, :, np.newaxis] - rows[:, np.newaxis, :]) for rows in (one, other))
    together = (first * second).sum(axis=(1, 2))
    return ratio(together, np.sqrt((first**2).sum(axis=(1, 2)) * (second**2).sum(axis=(1, 2))))
