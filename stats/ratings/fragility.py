"""How few votes, or voters, a system's place on the board depends on.

The smallest number whose removal lets another system draw level is searched for by influence: one Newton step says
how far each vote moves the difference of two log-odds (Broderick, Giordano & Meager 2020). The votes that move it
most go first, and every number is confirmed by fitting again without them. It is an upper bound, and exact where all
smaller removals were tried, or where there are two systems only. Huang, Shen, Wei & Broderick (2025) ask the same of
published leaderboards.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations_with_replacement
from math import comb

import numpy as np

from stats.arrays import Floats, Ints
from stats.ratings.bradley_terry import PRIOR_SD, Fit, bradley_terry, inverse
from stats.ratings.connectivity import has_maximum, islands
from stats.ratings.sandwich import leverage, probabilities
from stats.ratings.votes import Votes

#: So many removals are tried for one place at most in order to call a number exact, and of many systems fewer, since
#: each takes a fit.
TRIED = 500
TRIED_CELLS = 200_000
#: Log-odds that differ by less are level.
LEVEL = 1e-8


@dataclass(frozen=True)
class Fewest:
    """So many of `of` votes, or voters, have to go before `by` draws level; None where no removal does it.

    `is_exact` says that no smaller number does; else it is an upper bound.
    """

    by: str
    n: int | None
    of: int
    is_exact: bool

    @property
    def share(self) -> float | None:
        return None if self.n is None else self.n / self.of


@dataclass(frozen=True)
class Hold:
    """What a place depends on: `voters` is None where nobody knows who voted."""

    place: int
    system: str
    votes: Fewest
    voters: Fewest | None

    @property
    def names(self) -> tuple[str, ...]:
        """Every system it names."""
        return (self.system, self.votes.by, *([self.voters.by] if self.voters else []))

    def under(self, codes: Mapping[str, str]) -> "Hold":
        """The same with codes for names."""
        votes = replace(self.votes, by=codes[self.votes.by])
        voters = replace(self.voters, by=codes[self.voters.by]) if self.voters else None
        return replace(self, system=codes[self.system], votes=votes, voters=voters)


def fragility(votes: Votes, voters: Ints | None = None, *, places: int = 10) -> tuple[Hold, ...]:
    """For each of the first places: how few votes, and how few voters, have to go before another system draws level.

    Ratings are Bradley–Terry with ties as half wins, as on the board, of the largest group of systems that votes
    connect. `voters` has a whole number per vote. Empty where fewer than two systems are connected.

    >>> votes = Votes(np.array([0] * 8), np.array([1] * 8), np.array([0, 0, 0, 0, 0, 1, 1, 2]), ("A", "B"))
    >>> (hold,) = fragility(votes, np.array([0, 0, 0, 1, 2, 3, 4, 5]))
    >>> hold.system, hold.votes.n, hold.voters.n, hold.votes.is_exact
    ('A', 3, 1, True)
    """
    largest = max(islands(_Pool.of_votes(votes).scores()), key=len, default=np.empty(0, dtype=np.int64))
    if len(largest) < 2:
        return ()
    between, kept = votes.between(largest)
    by_vote = _Pool.of_votes(between)
    by_voter = None if voters is None else _Pool.of_voters(between, voters[kept])
    order = np.argsort(-by_vote.fit.log_odds, kind="stable")
    return tuple(
        Hold(
            place + 1,
            between.systems[order[place]],
            _fewest(by_vote, order, place),
            _fewest(by_voter, order, place) if by_voter else None,
        )
        for place in range(min(places, len(order) - 1))
    )


@dataclass(frozen=True, eq=False)
class _Pool:
    """Votes as rows of equal ones, and the groups in which they can go: single votes of a row, or all of a voter.

    `n` counts the votes of a row, `size` the members of a group: as many as its row has votes, or one voter.
    """

    systems: tuple[str, ...]
    first: Ints
    second: Ints
    score: Floats
    n: Ints
    group: Ints
    size: Ints

    @classmethod
    def of_votes(cls, votes: Votes) -> "_Pool":
        first, second, score, n, _ = _rows(votes, np.zeros(len(votes.first), dtype=np.int64))
        return cls(votes.systems, first, second, score, n, np.arange(len(n)), n)

    @classmethod
    def of_voters(cls, votes: Votes, voters: Ints) -> "_Pool":
        known, numbered = np.unique(voters, return_inverse=True)
        first, second, score, n, group = _rows(votes, numbered.reshape(-1))
        return cls(votes.systems, first, second, score, n, group, np.ones(len(known), dtype=np.int64))

    def left(self, gone: Ints) -> Ints:
        """How many votes of each row are left when so many members of each group are gone."""
        return self.n - gone[self.group] * (self.n // self.size[self.group])

    def scores(self, gone: Ints | None = None) -> Floats:
        """What each system took from each other, shape (systems, systems)."""
        n = self.n if gone is None else self.left(gone)
        taken, size = np.zeros((len(self.systems),) * 2), len(self.systems)
        for one, other, score in ((self.first, self.second, self.score), (self.second, self.first, 1 - self.score)):
            taken += np.bincount(one * size + other, weights=score * n, minlength=size * size).reshape(size, size)
        return taken

    @cached_property
    def fit(self) -> Fit:
        return _fitted(self.scores(), None)

    def without(self, gone: Ints, start: Fit) -> Fit | None:
        """The fit of what is left; None where votes no longer connect the systems."""
        scores = self.scores(gone)
        return _fitted(scores, start.log_odds) if len(islands(scores)) == 1 else None

    @cached_property
    def influence(self) -> "_Influence":
        return _Influence(self, self.fit)


class _Influence:
    """How far the difference of two log-odds moves when one member of a group goes: one Newton step from a fit."""

    def __init__(self, pool: _Pool, fit: Fit) -> None:
        self._pool, self._bread = pool, inverse(fit.information)
        chance = probabilities(fit.log_odds)
        stretch = 1 - leverage(self._bread, chance)[pool.first, pool.second]
        residual = pool.score - chance[pool.first, pool.second]
        self._moved = residual / stretch * (pool.n // pool.size[pool.group])

    def on(self, ahead: int, behind: int) -> Floats:
        pool, direction = self._pool, self._bread[ahead] - self._bread[behind]
        moved = (direction[pool.second] - direction[pool.first]) * self._moved
        return np.asarray(np.bincount(pool.group, weights=moved, minlength=len(pool.size)))


def _rows(votes: Votes, voters: Ints) -> tuple[Ints, Ints, Floats, Ints, Ints]:
    """Equal votes once, those of a system against itself left out: first, second, score, how many, voter."""
    first, second, score = votes.first.astype(np.int64), votes.second.astype(np.int64), votes.scores()
    turned = first > second
    one, other = np.where(turned, second, first), np.where(turned, first, second)
    halves = np.where(turned, 2 - 2 * score, 2 * score).astype(np.int64)
    rows, n = np.unique(np.stack([voters, one, other, halves])[:, first != second], axis=1, return_counts=True)
    return rows[1], rows[2], rows[3] / 2, n, rows[0]


def _fitted(scores: Floats, start: Floats | None) -> Fit:
    return bradley_terry(scores, prior_sd=None if has_maximum(scores) else PRIOR_SD, start=start)


def _fewest(pool: _Pool, order: Ints, place: int) -> Fewest:
    """Of all systems below this place, the one that needs the fewest to go."""
    ahead, log_odds, best = int(order[place]), pool.fit.log_odds, None
    below = [int(it) for it in order[place + 1 :]]
    gaps = {it: float(log_odds[ahead] - log_odds[it]) for it in below}
    guesses = {it: _guess(pool.influence.on(ahead, it), pool.size, gaps[it]) for it in below}
    for behind in sorted(below, key=lambda it: (guesses[it], gaps[it])):
        if best is not None and guesses[behind] > 2 * best[1]:
            break
        n = _confirmed(pool, ahead, behind)
        if n is not None and (best is None or n < best[1]):
            best = (behind, n)
    total = int(pool.size.sum())
    if best is None:
        return Fewest(pool.systems[below[0]], None, total, is_exact=False)
    behind, n = best
    if len(pool.systems) == 2 and len(pool.size) == len(pool.n) and (pool.size == pool.n).all():
        return Fewest(pool.systems[behind], n, total, is_exact=True)  # a vote moves the sum of scores by 1 at most
    smaller, is_exact = _smaller(pool, ahead, below, n)
    return Fewest(pool.systems[smaller[0]] if smaller else pool.systems[behind], smaller[1] if smaller else n, total,
                  is_exact)  # fmt: skip


def _guess(effects: Floats, there: Ints, gap: float) -> float:
    """How many have to go for the sum of their effects to close the gap; infinite where all of them do not."""
    taken = _take(effects, there, gap)
    return float("inf") if taken is None else float(taken.sum())


def _take(effects: Floats, there: Ints, gap: float, most: int | None = None) -> Ints | None:
    """How many of each group go, the most effective first, until the gap is closed, or until `most` are gone."""
    order = np.argsort(effects, kind="stable")
    order = order[effects[order] < 0]
    each, available = -effects[order], there[order]
    before = np.concatenate([[0], np.cumsum(each * available)])
    gone = np.zeros(len(there), dtype=np.int64)
    if most is None:
        if before[-1] < gap:
            return None
        needed = np.ceil(np.clip((gap - before[:-1]) / np.where(each > 0, each, 1), 0, available))
    else:
        ahead = np.concatenate([[0], np.cumsum(available)])[:-1]
        needed = np.clip(most - ahead, 0, available)
    gone[order] = needed.astype(np.int64)
    return gone


def _is_level(fit: Fit | None, ahead: int, behind: int) -> bool:
    return fit is not None and bool(fit.log_odds[ahead] - fit.log_odds[behind] <= LEVEL)


def _confirmed(pool: _Pool, ahead: int, behind: int) -> int | None:
    """The fewest that were found, by influence at the fit of all and by influence renewed on the way."""
    found = [it for it in (_at_once(pool, ahead, behind), _stepwise(pool, ahead, behind)) if it is not None]
    return min(found, default=None)


def _at_once(pool: _Pool, ahead: int, behind: int) -> int | None:
    """Along the order of influence at the fit of all: the first number at which the two are level."""
    effects = pool.influence.on(ahead, behind)
    most = int(pool.size[effects < 0].sum())

    def level(n: int) -> bool:
        gone = _take(effects, pool.size, 0.0, most=n)
        return gone is not None and _is_level(pool.without(gone, pool.fit), ahead, behind)

    guess = _guess(effects, pool.size, float(pool.fit.log_odds[ahead] - pool.fit.log_odds[behind]))
    high, low = min(int(guess), most) if np.isfinite(guess) else most, 0
    while not level(high):
        if high >= most:
            return None
        low, high = high, min(most, high + max(1, high // 4))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if level(middle) else (middle, high)
    return high


def _stepwise(pool: _Pool, ahead: int, behind: int) -> int | None:
    """Half of what still seems to be needed goes, the fit and the influence are made anew, and so on."""
    gone, fit = np.zeros(len(pool.size), dtype=np.int64), pool.fit
    while not _is_level(fit, ahead, behind):
        gap = float(fit.log_odds[ahead] - fit.log_odds[behind])
        there = pool.size - gone
        effects = np.where(there > 0, _Influence(pool, fit).on(ahead, behind), 0.0)
        taken = _take(effects, there, gap)
        needed = int(there[effects < 0].sum()) if taken is None else int(taken.sum())
        more = _take(effects, there, gap, most=max(1, needed // 2))
        if more is None or not more.any():
            return None
        gone = gone + more
        left = pool.without(gone, fit)
        if left is None:
            return None
        fit = left
    return int(gone.sum())


def _smaller(pool: _Pool, ahead: int, below: list[int], n: int) -> tuple[tuple[int, int] | None, bool]:
    """The first smaller removal of all that makes one of `below` level, and whether all smaller ones were tried."""
    groups, tried = len(pool.size), 0
    most = min(TRIED, TRIED_CELLS // len(pool.systems) ** 2)
    for size in range(1, n):
        tried += comb(groups + size - 1, size)
        if tried > most:
            return None, False
        for gone in _removals(pool, size):
            fit = pool.without(gone, pool.fit)
            for behind in below:
                if _is_level(fit, ahead, behind):
                    return (behind, size), True
    return None, True


def _removals(pool: _Pool, size: int) -> Iterator[Ints]:
    for chosen in combinations_with_replacement(range(len(pool.size)), size):
        gone = np.bincount(chosen, minlength=len(pool.size))
        if (gone <= pool.size).all():
            yield gone
